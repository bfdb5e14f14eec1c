#include "formats/wsdb/name_candidates.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <utility>
#include <vector>

#include "formats/wsdb/wsdb_map.h"

namespace warpseq {

namespace {

/// Adds the ranks of the entries with one of the hashes. Hashes and entries ascend, so each search
/// begins where the last one ended.
Status find_some(std::span<const std::uint64_t> hashes, const WsdbReader::Map& map, std::vector<std::uint64_t>& ranks) {
    const std::uint64_t entries = map.names.size();
    WsdbFaults faults(false);
    wsdb::NameEntry entry{};
    std::uint64_t first = 0;
    for (const std::uint64_t hash : hashes) {
        // The search takes steps that double until an entry is not less. A binary search between
        // the last two steps follows.
        std::uint64_t behind = first, step = 1;
        for (; behind < entries; behind = first + step, step *= 2) {
            if (!map.read_name(behind, entry, faults)) return map.status_of(faults);
            if (entry.hash >= hash) break;
            first = behind + 1;
        }
        WARPSEQ_TRY(map.append_ranks_of_name(hash, first, std::min(behind, entries), ranks));
    }
    return {};
}

}  // namespace

Result<PositionSet> find_candidates(std::span<const std::uint64_t> hashes, const WsdbReader& reader,
                                    const ThreadPool& pool) {
    constexpr std::size_t kPiece = 4096;
    PositionSet all;
    std::mutex mutex;
    WARPSEQ_TRY(pool.parallel_for((hashes.size() + kPiece - 1) / kPiece, [&](std::uint64_t piece, unsigned) -> Status {
        std::vector<std::uint64_t> some;
        const std::size_t begin = static_cast<std::size_t>(piece) * kPiece;
        WARPSEQ_TRY(find_some(hashes.subspan(begin, std::min(kPiece, hashes.size() - begin)), reader.map(), some));
        const std::lock_guard lock(mutex);
        for (const std::uint64_t rank : some) all.insert(rank);
        return {};
    }));
    return all;
}

Status for_each_header(const PositionSet& ranks, const WsdbReader& reader, const ThreadPool& pool,
                       const std::function<Status(std::uint64_t rank, std::string_view header, unsigned thread)>& use) {
    constexpr std::size_t kPieceWords = 256;
    const std::vector<std::uint64_t>& words = ranks.words();
    std::vector<HeaderBuffer> buffers(pool.threads());
    return pool.parallel_for(
        (words.size() + kPieceWords - 1) / kPieceWords, [&](std::uint64_t piece, unsigned thread) -> Status {
            const std::size_t begin = static_cast<std::size_t>(piece) * kPieceWords;
            const std::size_t end = std::min(words.size(), begin + kPieceWords);
            for (std::size_t word = begin; word < end; ++word) {
                for (std::uint64_t rest = words[word]; rest != 0; rest &= rest - 1) {
                    const std::uint64_t rank = std::uint64_t{word} * 64 + static_cast<unsigned>(std::countr_zero(rest));
                    const auto header = reader.header(rank, buffers[thread]);
                    if (!header.ok()) return header.status();
                    WARPSEQ_TRY(use(rank, *header, thread));
                }
            }
            return {};
        });
}

}  // namespace warpseq
