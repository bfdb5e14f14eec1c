#include "engines/targets/headers.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "formats/blast/blast_database.h"
#include "formats/fasta/record_batch.h"

namespace warpseq {

Status for_each_header(const DatabaseSet& databases, std::span<const SequencePlace> places, const ThreadPool& pool,
                       const std::function<void(std::size_t index, std::string_view header)>& use) {
    std::vector<std::size_t> order(places.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(places[i].database, places[i].rank); });
    constexpr std::size_t kPiece = 512;
    std::vector<HeaderBuffer> buffers(pool.threads());
    return pool.parallel_for((order.size() + kPiece - 1) / kPiece, [&](std::uint64_t piece, unsigned thread) -> Status {
        const std::size_t end = std::min(order.size(), (piece + 1) * kPiece);
        for (std::size_t i = piece * kPiece; i < end; ++i) {
            const SequencePlace& place = places[order[i]];
            const auto header = databases.reader(place.database).header(place.rank, buffers[thread]);
            if (!header.ok()) return header.status();
            use(order[i], *header);
        }
        return {};
    });
}

std::string marked_header(const WsdbReader& reader, std::uint64_t rank, std::string_view header, bool has_marks) {
    if (!reader.has_taxids()) return std::string(header);
    std::vector<std::uint32_t> taxids;
    static_cast<void>(reader.taxids(rank, count_deflines(header), taxids));
    std::string marked;
    for (std::size_t line = 0, at = 0; at <= header.size(); ++line) {
        const std::size_t end = std::min(header.find('\x01', at), header.size());
        const std::string_view text = header.substr(at, end - at);
        std::uint64_t own = 0;
        const std::string_view without = without_taxid(text, own);
        const bool is_marked = without.size() != text.size();
        if (at != 0) marked += '\x01';
        marked += taxids[line] != 0 && has_marks ? without : text;
        if (taxids[line] != 0 || (is_marked && !has_marks)) marked += taxid_mark(taxids[line]);
        at = end + 1;
    }
    return marked;
}

}  // namespace warpseq
