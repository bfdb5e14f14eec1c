// The ungapped filter on SSV kernels. A query is a profile whose nodes are its residues. Signed
// bytes that begin at INT8_MIN would hold scores up to 255. But the wall between diagonals takes
// only 127 off, so a sum above that may go on in the next diagonal. The filter tells no higher
// scores apart.
#include "kernels/seeds/ungapped_filter_simd.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/profile/profile_filter_table_simd.h"
#include "kernels/profile/ssv_filter_simd.h"

namespace warpseq {
namespace {

class SimdFilter final : public UngappedFilter {
   public:
    SimdFilter(const ProfileFilterTable& kernels, std::span<const std::span<const ResidueCode>> queries,
               const SubstitutionMatrix& matrix)
        : kernels_(kernels) {
        for (const auto query : queries) {
            auto residues = std::make_shared<const std::vector<ResidueCode>>(query.begin(), query.end());
            profiles_.emplace_back(
                kernels, query.size(), [matrix, residues = std::move(residues)](std::size_t code, std::int8_t* scores) {
                    for (const ResidueCode residue : *residues) {
                        *scores++ = static_cast<std::int8_t>(
                            std::max(matrix.score_raw(residue, static_cast<ResidueCode>(code)), -INT8_MAX));
                    }
                });
        }
    }

    std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Scratch>(); }
    std::size_t query_count() const override { return profiles_.size(); }
    std::size_t preferred_tiles() const override {
        return kernels_.interleaved_ssv ? kernels_.vector_bytes / kTileLanes : 1;
    }

    void score(std::span<const TileView> tiles, Workspace& workspace,
               std::span<std::uint8_t> scores_raw) const override {
        SsvTiles& group_tiles = static_cast<Scratch&>(workspace).tiles;
        std::size_t call_lanes = 0;
        for (const TileView& tile : tiles) call_lanes += tile.lanes();
        assert(scores_raw.size() == profiles_.size() * call_lanes);
        std::array<std::int8_t, SsvTiles::kMostLanes> best{};
        std::size_t first_output = 0;
        for (std::size_t t = 0, size; t < tiles.size(); t += size) {
            size = SsvTiles::group_size(kernels_, tiles.subspan(t));
            const auto group = tiles.subspan(t, size);
            group_tiles.load(kernels_, group);
            for (std::size_t q = 0; q < profiles_.size(); ++q) {
                if (workspace.stop.stop_requested()) return;
                group_tiles.score(kernels_, profiles_[q], workspace.stop, best);
                std::uint8_t* out = scores_raw.data() + q * call_lanes + first_output;
                for (std::size_t g = 0; g < group.size(); ++g) {
                    for (std::uint32_t lane = 0; lane < group[g].lanes(); ++lane) {
                        const bool empty = group[g].lengths_residues[lane] == 0 || profiles_[q].nodes() == 0;
                        *out++ = empty ? std::uint8_t{0}
                                       : static_cast<std::uint8_t>(
                                             std::min<int>(best[g * kTileLanes + lane] - INT8_MIN, kUngappedCeiling));
                    }
                }
            }
            for (const TileView& tile : group) first_output += tile.lanes();
        }
    }

   private:
    struct Scratch final : Workspace {
        SsvTiles tiles;
    };
    const ProfileFilterTable& kernels_;
    std::deque<SsvProfile> profiles_;  // which stay where they are
};

}  // namespace

std::unique_ptr<UngappedFilter> make_simd_ungapped_filter(const ProfileFilterTable& kernels,
                                                          std::span<const std::span<const ResidueCode>> queries,
                                                          const SubstitutionMatrix& matrix) {
    return std::make_unique<SimdFilter>(kernels, queries, matrix);
}

}  // namespace warpseq
