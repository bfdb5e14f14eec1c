#include "engines/targets/headers.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

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

}  // namespace warpseq
