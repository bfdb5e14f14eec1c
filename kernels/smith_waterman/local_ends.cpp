#include "kernels/smith_waterman/local_ends.h"

#include <algorithm>
#include <limits>

namespace warpseq {
namespace {

struct Column {
    std::int32_t h, gap;  // of the row above
};

// Returns the first cell, row by row, of the highest score or of `enough`. Rows are the first
// `rows` query residues, columns the first `columns` of the target. query_at and target_at count
// both from where the alignment is looked for.
template <class QueryAt, class TargetAt>
LocalEnd first_best(const PairScores& scores, std::span<const ResidueCode> query, std::span<const ResidueCode> target,
                    const ForbiddenRanges& forbidden, const std::stop_token& stop, std::uint64_t rows,
                    std::uint64_t columns, std::int32_t enough, const QueryAt& query_at, const TargetAt& target_at) {
    const std::int32_t gap_first = scores.gaps.first(), gap_extend = scores.gaps.extend;
    std::vector<Column> above(columns, {0, -scores.gaps.open});
    LocalEnd best;
    for (std::uint64_t i = 0; i < rows && best.score_raw < enough && !stop.stop_requested(); ++i) {
        const auto& row = scores.pairs[query[query_at(i)]];
        const auto ranges = forbidden.of(query_at(i));
        std::int32_t h = 0, gap = -scores.gaps.open, diagonal = 0;
        for (std::uint64_t j = 0; j < columns; ++j) {
            const std::uint64_t t = target_at(j);
            gap = std::max(h - gap_first, gap - gap_extend);
            Column& up = above[j];
            up.gap = std::max(up.h - gap_first, up.gap - gap_extend);
            const bool is_forbidden =
                std::ranges::any_of(ranges, [&](const auto& range) { return range.first <= t && t <= range.second; });
            h = std::max({is_forbidden ? 0 : std::max(diagonal + row[target[t]], 0), gap, up.gap});
            diagonal = up.h;
            up.h = h;
            if (h <= best.score_raw) continue;
            best = {h, query_at(i), t};
            if (h >= enough) break;
        }
    }
    return best;
}

}  // namespace

LocalEnd find_local_end(const PairScores& scores, std::span<const ResidueCode> query,
                        std::span<const ResidueCode> target, const ForbiddenRanges& forbidden,
                        const std::stop_token& stop) {
    const auto same = [](std::uint64_t k) { return k; };
    return first_best(scores, query, target, forbidden, stop, query.size(), target.size(),
                      std::numeric_limits<std::int32_t>::max(), same, same);
}

LocalEnd find_local_begin(const PairScores& scores, std::span<const ResidueCode> query,
                          std::span<const ResidueCode> target, const LocalEnd& end, const ForbiddenRanges& forbidden,
                          const std::stop_token& stop) {
    return first_best(
        scores, query, target, forbidden, stop, end.query + 1, end.target + 1, end.score_raw,
        [&](std::uint64_t k) { return end.query - k; }, [&](std::uint64_t k) { return end.target - k; });
}

}  // namespace warpseq
