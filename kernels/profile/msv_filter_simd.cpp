// Scores every lane of the tiles against every profile. SSV (kernels/profile/ssv_filter_simd.h)
// comes first. The full MSV recurrence follows for targets that SSV leaves undecided.
#include "kernels/profile/msv_filter_simd.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <deque>
#include <optional>
#include <vector>

#include "kernels/profile/profile_filter_table_simd.h"
#include "kernels/profile/ssv_filter_simd.h"
#include "kernels/simd/aligned_bytes.h"

namespace warpseq {
namespace {

constexpr int kSsvBegin = 128;

/// Writes the SSV scores of every node for one code. The 16-bit arithmetic lets compilers compute
/// many at once.
void fill_ssv_scores(std::uint8_t bias, std::span<const std::uint8_t> costs, std::int8_t* scores) {
    const std::int16_t highest = bias;
    for (std::size_t node = 0; node < costs.size(); ++node) {
        const auto score = static_cast<std::int16_t>(highest - costs[node]);
        scores[node] = static_cast<std::int8_t>(
            std::clamp(score, static_cast<std::int16_t>(-INT8_MAX), static_cast<std::int16_t>(INT8_MAX)));
    }
}

// A profile in the form that the kernels take.
struct Profile {
    Profile(const ProfileFilterTable& kernels, const MsvProfile& profile)
        : msv(profile),
          ssv(kernels, static_cast<std::size_t>(profile.length), [this](std::size_t code, std::int8_t* to) {
              fill_ssv_scores(msv.bias, std::span(msv.match_costs).subspan(code * ssv.nodes(), ssv.nodes()), to);
          }) {}
    Profile(const Profile&) = delete;
    Profile& operator=(const Profile&) = delete;

    DiagonalRows costs(AlignedBytes& scratch) const {
        const std::size_t length = ssv.nodes(), row_bytes = ssv.row_bytes();
        const std::byte* const table = cost_rows.get(row_bytes * kResidueTableSize, scratch, [&](std::byte* memory) {
            std::vector<std::uint8_t> row(length + 1, std::uint8_t{MsvProfile::kCeiling});
            for (std::size_t code = 0; code < kResidueTableSize; ++code) {
                std::copy_n(msv.match_costs.data() + code * length, length, row.data());
                repeat(row, reinterpret_cast<std::uint8_t*>(memory) + code * row_bytes, row_bytes);
            }
        });
        return {reinterpret_cast<const std::uint8_t*>(table), row_bytes, ssv.period()};
    }

    MsvProfile msv;
    SsvProfile ssv;
    KeptTable cost_rows;
};

class SimdWorkspace final : public MsvFilter::Workspace {
   public:
    SsvTiles tiles;
    std::array<std::uint8_t, SsvTiles::kMostLanes> moves;  // moves of the current lanes
    AlignedBytes diagonals, costs;
};

class SimdFilter final : public MsvFilter {
   public:
    SimdFilter(const ProfileFilterTable& kernels, std::span<const MsvProfile> profiles) : kernels_(kernels) {
        for (const MsvProfile& profile : profiles) profiles_.emplace_back(kernels, profile);
    }

    std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<SimdWorkspace>(); }
    std::size_t profile_count() const override { return profiles_.size(); }
    CpuBackend backend() const override { return kernels_.backend; }

    void score(std::span<const TileView> tiles, Workspace& workspace, std::span<std::int16_t> results) const override {
        auto& work = static_cast<SimdWorkspace&>(workspace);
        std::size_t call_lanes = 0;
        for (const TileView& tile : tiles) call_lanes += tile.lanes();
        assert(results.size() == profiles_.size() * call_lanes);
        std::array<std::int8_t, SsvTiles::kMostLanes> best{};
        std::size_t first_output = 0;
        for (std::size_t t = 0, size; t < tiles.size(); t += size) {
            size = SsvTiles::group_size(kernels_, tiles.subspan(t));
            const auto group = tiles.subspan(t, size);
            work.tiles.load(kernels_, group);
            for (std::size_t g = 0; g < group.size(); ++g) {
                for (std::uint32_t lane = 0; lane < group[g].lanes(); ++lane) {
                    work.moves[g * kTileLanes + lane] = MsvProfile::move(group[g].lengths_residues[lane]);
                }
            }
            for (std::size_t p = 0; p < profiles_.size(); ++p) {
                if (work.stop.stop_requested()) return;
                work.tiles.score(kernels_, profiles_[p].ssv, work.stop, best);
                std::int16_t* out = results.data() + p * call_lanes + first_output;
                for (std::size_t g = 0; g < group.size(); ++g) {
                    for (std::uint32_t lane = 0; lane < group[g].lanes(); ++lane) {
                        const std::size_t slot = g * kTileLanes + lane;
                        *out++ = score_lane(profiles_[p], group[g], lane, work.moves[slot], best[slot], work);
                    }
                }
            }
            for (const TileView& tile : group) first_output += tile.lanes();
        }
    }

   private:
    std::int16_t score_lane(const Profile& profile, const TileView& tile, std::uint32_t lane, int move,
                            std::int8_t best, SimdWorkspace& work) const {
        const std::uint64_t residues = tile.lengths_residues[lane];
        if (residues == 0) return 0;
        const std::size_t nodes = profile.ssv.nodes(), vectors = profile.ssv.vectors();
        work.cells += nodes * residues;
        if (const auto result = ssv(profile, move, best)) return *result;
        work.undecided_cells += nodes * residues;
        return kernels_.msv({profile.costs(work.costs),
                             vectors,
                             {tile.words.data() + lane, tile.word_stride(), words_for(residues)},
                             profile.msv.bias,
                             profile.msv.end,
                             MsvProfile::kBase,
                             std::min(move + profile.msv.enter, MsvProfile::kCeiling),
                             work.diagonals.reserve(2 * vectors * kernels_.vector_bytes),
                             &work.stop});
    }

    // Returns the MSV result that follows from SSV, or nothing if it is undecided.
    std::optional<std::int16_t> ssv(const Profile& profile, int move, std::int8_t best) const {
        if (move + profile.msv.enter + profile.msv.end + profile.msv.bias >= 127) return std::nullopt;
        const int begin_score = MsvProfile::kBase - move - profile.msv.enter;
        const int s = best - INT8_MIN + kSsvBegin;
        if (s >= MsvProfile::kCeiling - profile.msv.bias) {
            if (begin_score >= kSsvBegin) return kMsvOverflow;
            return std::nullopt;
        }
        const int e = s + begin_score - kSsvBegin;
        if (e >= MsvProfile::kCeiling - profile.msv.bias) return kMsvOverflow;
        if (e - profile.msv.end > MsvProfile::kBase) return std::nullopt;
        return static_cast<std::int16_t>(e - profile.msv.end);
    }

    const ProfileFilterTable& kernels_;
    std::deque<Profile> profiles_;  // a deque, so that they stay at their addresses
};

}  // namespace

std::unique_ptr<MsvFilter> make_simd_msv_filter(const ProfileFilterTable& kernels,
                                                std::span<const MsvProfile> profiles) {
    return std::make_unique<SimdFilter>(kernels, profiles);
}

}  // namespace warpseq
