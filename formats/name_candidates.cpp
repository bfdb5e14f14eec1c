#include "formats/name_candidates.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace warpseq {

Result<std::vector<NameCandidate>> find_name_candidates(std::span<const std::string_view> names,
                                                        const WsdbReader& reader, const ThreadPool& pool) {
    constexpr std::size_t kPiece = 4096;
    std::vector<NameCandidate> all;
    std::mutex mutex;
    WARPSEQ_TRY(pool.parallel_for((names.size() + kPiece - 1) / kPiece, [&](std::uint64_t piece, unsigned) -> Status {
        std::vector<NameCandidate> some;
        std::vector<std::uint64_t> ranks;
        const std::size_t end = std::min(names.size(), static_cast<std::size_t>(piece + 1) * kPiece);
        for (std::size_t n = static_cast<std::size_t>(piece) * kPiece; n < end; ++n) {
            ranks.clear();
            WARPSEQ_TRY(reader.find_candidates(names[n], ranks));
            for (const std::uint64_t rank : ranks) some.push_back({rank, n});
        }
        const std::lock_guard lock(mutex);
        all.insert(all.end(), some.begin(), some.end());
        return {};
    }));
    std::ranges::sort(all, {}, [](const NameCandidate& each) { return std::pair(each.rank, each.name); });
    return all;
}

}  // namespace warpseq
