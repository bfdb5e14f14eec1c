// Smith-Waterman in plain scalar code; see the header.
#include "kernels/smith_waterman/smith_waterman_reference.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace warpseq {
namespace {

class ReferenceScorer final : public SmithWatermanScorer {
   public:
    ReferenceScorer(std::span<const std::span<const ResidueCode>> queries, ScoringScheme scheme)
        : scheme_(std::move(scheme)) {
        for (const auto& query : queries) queries_.emplace_back(query.begin(), query.end());
    }

    std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Workspace>(); }
    std::size_t query_count() const override { return queries_.size(); }
    CpuBackend backend() const override { return CpuBackend::kReference; }
    std::size_t preferred_tiles() const override { return 1; }

    void score(std::span<const TileView> tiles, Workspace& workspace,
               std::span<std::int32_t> scores_raw) const override {
        std::size_t lanes = 0;
        for (const TileView& tile : tiles) lanes += tile.lanes();
        std::vector<ResidueCode> target;
        std::size_t first_lane = 0;
        for (const TileView& tile : tiles) {
            for (std::uint32_t lane = 0; lane < tile.lanes(); ++lane) {
                target.resize(tile.lengths_residues[lane]);
                unpack_lane(tile, lane, target.data());
                for (std::size_t q = 0; q < queries_.size(); ++q) {
                    scores_raw[q * lanes + first_lane + lane] =
                        static_cast<std::int32_t>(reference_smith_waterman_raw(queries_[q], target, scheme_));
                    workspace.counts.cells += queries_[q].size() * target.size();
                }
            }
            first_lane += tile.lanes();
        }
    }

   private:
    ScoringScheme scheme_;
    std::vector<std::vector<ResidueCode>> queries_;
};

}  // namespace

std::int64_t reference_smith_waterman_raw(std::span<const ResidueCode> query, std::span<const ResidueCode> target,
                                          const ScoringScheme& scheme) {
    // Minus infinity is far enough from the limit that subtracting a gap cost from it does not wrap
    // around.
    constexpr std::int64_t kMinusInfinity = std::numeric_limits<std::int64_t>::min() / 2;
    const std::int64_t extend = scheme.gaps.extend;
    const std::int64_t open = scheme.gaps.open;
    const std::size_t m = query.size();
    std::vector<std::int64_t> h_column(m + 1, 0);               // H(i, j - 1), overwritten by H(i, j)
    std::vector<std::int64_t> e_column(m + 1, kMinusInfinity);  // E(i, j - 1), overwritten by E(i, j)
    std::int64_t score_raw = 0;
    for (const ResidueCode target_code : target) {
        std::int64_t diagonal = h_column[0];  // H(i - 1, j - 1)
        std::int64_t f = kMinusInfinity;      // F(0, j)
        for (std::size_t i = 1; i <= m; ++i) {
            const std::int64_t left = h_column[i];    // H(i, j - 1)
            const std::int64_t up = h_column[i - 1];  // H(i - 1, j)
            const std::int64_t e = std::max(e_column[i] - extend, left - open - extend);
            f = std::max(f - extend, up - open - extend);
            const std::int64_t match = diagonal + scheme.matrix.score_raw(query[i - 1], target_code);
            const std::int64_t h = std::max({std::int64_t{0}, match, e, f});
            diagonal = left;
            h_column[i] = h;
            e_column[i] = e;
            score_raw = std::max(score_raw, h);
        }
    }
    return score_raw;
}

std::unique_ptr<SmithWatermanScorer> make_reference_smith_waterman_scorer(
    std::span<const std::span<const ResidueCode>> queries, const ScoringScheme& scheme) {
    return std::make_unique<ReferenceScorer>(queries, scheme);
}

}  // namespace warpseq
