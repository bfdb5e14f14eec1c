#include "formats/wsdb/wsdb_duplicate_identifiers.h"

#include <xxhash.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "formats/fasta/fasta.h"
#include "formats/fasta/sequence_names.h"
#include "formats/io/checksum.h"

namespace warpseq {

namespace {

/// An entry of the index whose hash another entry has, too.
struct Member {
    std::uint64_t name_hash = 0, rank = 0;
    XXH128_hash_t identifier{};
    bool is_first_name = false;  // the name is the first of its sequence
};

constexpr std::uint64_t kPieceNames = std::uint64_t{1} << 16;
constexpr std::size_t kMembersAtOnce = std::size_t{1} << 20;

/// Adds the members of the groups of equal hashes that begin among the entries [begin, end).
void add_members(const WsdbReader::Map& map, std::uint64_t begin, std::uint64_t end, std::vector<Member>& members) {
    const std::uint64_t count = map.names.size(), last_rank = map.header.sequences - 1;
    const auto hash_at = [&map](std::uint64_t index) { return copy_of(map.names[index].hash); };
    std::uint64_t first = begin;
    while (first < end && first > 0 && hash_at(first) == hash_at(first - 1)) ++first;  // belongs to the piece before
    while (first < end) {
        const std::uint64_t hash = hash_at(first);
        std::uint64_t behind = first + 1;
        while (behind < count && hash_at(behind) == hash) ++behind;
        for (std::uint64_t i = first; behind - first > 1 && i < behind; ++i)
            members.push_back({hash, std::min(copy_of(map.names[i].rank), last_rank), {}, false});
        first = behind;
    }
}

/// Looks up the identifiers of members whose headers are in one block.
Status find_identifiers(const WsdbReader::Map& map, std::span<Member> members, HeaderBuffer& headers) {
    WsdbFaults faults(false);
    if (!map.decode_header_block(map.block_of_header(members.front().rank), headers, faults))
        return map.status_of(faults);
    for (Member& member : members) {
        const auto header = map.header_in(headers, member.rank, faults);
        if (!header) return map.status_of(faults);
        const std::string_view identifier = identifier_of(*header);
        const std::string_view first_name = index_name_of(identifier);
        member.is_first_name = checksum_of(first_name.data(), first_name.size()) == member.name_hash;
        member.identifier = XXH3_128bits(identifier.data(), identifier.size());
    }
    return {};
}

/// Returns how many of the members have the identifier of an earlier member. The members must be
/// whole groups. Empties the list.
Result<std::uint64_t> count_duplicates(const WsdbReader::Map& map, const ThreadPool& pool,
                                       std::vector<Member>& members) {
    std::ranges::sort(members, {}, &Member::rank);
    std::vector<std::span<Member>> of_blocks;
    for (std::size_t begin = 0, end = 0; begin < members.size(); begin = end) {
        const std::uint64_t block = map.block_of_header(members[begin].rank);
        const std::uint64_t behind = copy_of(map.header_blocks[block + 1]).first_sequence;
        for (end = begin + 1; end < members.size() && members[end].rank < behind;) ++end;
        of_blocks.push_back(std::span(members).subspan(begin, end - begin));
    }
    std::vector<HeaderBuffer> headers(pool.threads());
    WARPSEQ_TRY(pool.parallel_for(of_blocks.size(), [&](std::uint64_t index, unsigned thread) {
        return find_identifiers(map, of_blocks[index], headers[thread]);
    }));
    std::erase_if(members, [](const Member& member) { return !member.is_first_name; });
    const auto key = [](const Member& member) {
        return std::tuple(member.name_hash, member.identifier.high64, member.identifier.low64);
    };
    std::ranges::sort(members, {}, key);
    std::uint64_t duplicates = 0;
    for (std::size_t i = 1; i < members.size(); ++i) {
        if (key(members[i]) == key(members[i - 1])) ++duplicates;
    }
    members.clear();
    return duplicates;
}

}  // namespace

Result<std::uint64_t> count_duplicate_identifiers(const WsdbReader::Map& map, const ThreadPool& pool) {
    const std::uint64_t pieces = (map.names.size() + kPieceNames - 1) / kPieceNames;
    const std::uint64_t pieces_at_once = std::uint64_t{16} * pool.threads();
    std::uint64_t duplicates = 0;
    std::vector<Member> members;
    for (std::uint64_t piece = 0; piece < pieces; piece += pieces_at_once) {
        std::vector<std::vector<Member>> found(std::min(pieces_at_once, pieces - piece));
        WARPSEQ_TRY(pool.parallel_for(found.size(), [&](std::uint64_t index, unsigned) {
            const std::uint64_t begin = (piece + index) * kPieceNames;
            add_members(map, begin, std::min<std::uint64_t>(map.names.size(), begin + kPieceNames), found[index]);
        }));
        for (const auto& part : found) members.insert(members.end(), part.begin(), part.end());
        if (members.size() < kMembersAtOnce && piece + pieces_at_once < pieces) continue;
        const auto more = count_duplicates(map, pool, members);
        if (!more.ok()) return more.status();
        duplicates += *more;
    }
    return duplicates;
}

}  // namespace warpseq
