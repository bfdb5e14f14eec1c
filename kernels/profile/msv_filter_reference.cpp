#include "kernels/profile/msv_filter_reference.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace warpseq {
namespace {

int saturated_sum(int a, int b) { return std::min(a + b, MsvProfile::kCeiling); }
int saturated_difference(int a, int b) { return std::max(a - b, 0); }

class ReferenceFilter final : public MsvFilter {
   public:
    explicit ReferenceFilter(std::span<const MsvProfile> profiles) : profiles_(profiles.begin(), profiles.end()) {}

    std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Workspace>(); }
    std::size_t profile_count() const override { return profiles_.size(); }
    CpuBackend backend() const override { return CpuBackend::kReference; }

    void score(std::span<const TileView> tiles, Workspace& workspace, std::span<std::int16_t> results) const override {
        std::size_t call_lanes = 0;
        for (const TileView& tile : tiles) call_lanes += tile.lanes();
        assert(results.size() == profiles_.size() * call_lanes);
        std::vector<ResidueCode> target;
        std::size_t output = 0;
        for (const TileView& tile : tiles) {
            for (std::uint32_t lane = 0; lane < tile.lanes(); ++lane, ++output) {
                target.resize(tile.lengths_residues[lane]);
                unpack_lane(tile, lane, target.data());
                for (std::size_t p = 0; p < profiles_.size(); ++p) {
                    results[p * call_lanes + output] = score_target(profiles_[p], target, workspace);
                }
            }
        }
    }

   private:
    static std::int16_t score_target(const MsvProfile& profile, std::span<const ResidueCode> target,
                                     Workspace& workspace) {
        if (target.empty()) return 0;
        const std::uint64_t cells = static_cast<std::uint64_t>(profile.length) * target.size();
        workspace.cells += cells;
        if (const auto result = reference_ssv(profile, target)) return *result;
        workspace.undecided_cells += cells;
        return reference_msv(profile, target);
    }

    std::vector<MsvProfile> profiles_;
};

}  // namespace

std::optional<std::int16_t> reference_ssv(const MsvProfile& profile, std::span<const ResidueCode> target) {
    const auto length = static_cast<std::size_t>(profile.length);
    const int move = MsvProfile::move(target.size());
    const int bias = profile.bias;
    if (move + profile.enter + profile.end + bias >= 127) return std::nullopt;

    constexpr int kBegin = 128;
    std::vector<int> row(length + 1, kBegin);
    int s = kBegin;
    for (const ResidueCode code : target) {
        for (std::size_t k = length; k >= 1; --k) {
            row[k] = std::max(row[k - 1] + bias - profile.match_costs[code * length + k - 1], kBegin);
            s = std::max(s, row[k]);
        }
    }
    const int begin_score = MsvProfile::kBase - move - profile.enter;
    if (s >= MsvProfile::kCeiling - bias) {
        if (begin_score >= kBegin) return kMsvOverflow;
        return std::nullopt;
    }
    const int e = s + begin_score - kBegin;
    if (e >= MsvProfile::kCeiling - bias) return kMsvOverflow;
    if (e - profile.end > MsvProfile::kBase) return std::nullopt;
    return static_cast<std::int16_t>(e - profile.end);
}

std::int16_t reference_msv(const MsvProfile& profile, std::span<const ResidueCode> target) {
    const auto length = static_cast<std::size_t>(profile.length);
    const int to_match = MsvProfile::move(target.size()) + profile.enter;
    std::vector<int> row(length + 1, 0);
    int xj = 0;
    int xb = saturated_difference(MsvProfile::kBase, to_match);
    for (const ResidueCode code : target) {
        int xe = 0;
        for (std::size_t k = length; k >= 1; --k) {
            row[k] = saturated_difference(saturated_sum(std::max(row[k - 1], xb), profile.bias),
                                          profile.match_costs[code * length + k - 1]);
            xe = std::max(xe, row[k]);
        }
        if (saturated_sum(xe, profile.bias) == MsvProfile::kCeiling) return kMsvOverflow;
        xj = std::max(xj, saturated_difference(xe, profile.end));
        xb = saturated_difference(std::max(MsvProfile::kBase, xj), to_match);
    }
    return static_cast<std::int16_t>(xj);
}

std::unique_ptr<MsvFilter> make_reference_msv_filter(std::span<const MsvProfile> profiles) {
    return std::make_unique<ReferenceFilter>(profiles);
}

}  // namespace warpseq
