#include "kernels/seeds/ungapped_filter_reference.h"

#include <algorithm>
#include <vector>

namespace warpseq {
namespace {

class ReferenceFilter final : public UngappedFilter {
   public:
    ReferenceFilter(std::span<const std::span<const ResidueCode>> queries, const SubstitutionMatrix& matrix)
        : matrix_(matrix) {
        for (const auto query : queries) queries_.emplace_back(query.begin(), query.end());
    }

    std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Workspace>(); }
    std::size_t query_count() const override { return queries_.size(); }
    std::size_t preferred_tiles() const override { return 1; }

    void score(std::span<const TileView> tiles, Workspace&, std::span<std::uint8_t> scores_raw) const override {
        std::uint8_t* out = scores_raw.data();
        for (const auto& query : queries_) {
            for (const TileView& tile : tiles) {
                for (std::uint32_t lane = 0; lane < tile.lanes(); ++lane) {
                    std::vector<ResidueCode> target(tile.lengths_residues[lane]);
                    unpack_lane(tile, lane, target.data());
                    *out++ = highest(query, target);
                }
            }
        }
    }

   private:
    std::uint8_t highest(std::span<const ResidueCode> query, std::span<const ResidueCode> target) const {
        int best = 0;
        std::vector<int> sums(query.size() + 1,
                              0);  // of the stretch that ends at residue i and the target's residue before
        for (const ResidueCode residue : target) {
            for (std::size_t i = query.size(); i > 0; --i) {
                sums[i] = std::max(0, sums[i - 1] + matrix_.score_raw(query[i - 1], residue));
                best = std::max(best, sums[i]);
            }
        }
        return static_cast<std::uint8_t>(std::min<int>(best, kUngappedCeiling));
    }

    const SubstitutionMatrix matrix_;
    std::vector<std::vector<ResidueCode>> queries_;
};

}  // namespace

std::unique_ptr<UngappedFilter> make_reference_ungapped_filter(std::span<const std::span<const ResidueCode>> queries,
                                                               const SubstitutionMatrix& matrix) {
    return std::make_unique<ReferenceFilter>(queries, matrix);
}

}  // namespace warpseq
