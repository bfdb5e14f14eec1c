// Every lane of the tiles against every profile, straight from the tiles' words: a tile stays in the first-level cache for all
// of the batch, so that a profile's rows are what moves.
#include "kernels/cpu/msv_filter.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <vector>

#include "kernels/cpu/aligned_bytes.h"
#include "kernels/cpu/profile_filter_table.h"

namespace warpseq {
namespace {

constexpr int kCeiling = 255;
constexpr int kSingleHitBegin = 128;

// A profile as the kernels take it.
struct Profile {
    std::size_t length = 0;
    int bias = 0, enter = 0, end = 0;
    std::size_t vectors = 0;  // that hold length + 1 diagonals
    AlignedBytes memory;
    DiagonalRows scores{}, costs{};
};

class SimdWorkspace final : public MsvFilter::Workspace {
   public:
    AlignedBytes diagonals;
    std::array<std::uint8_t, kTileLanes> moves;  // of a tile's lanes
};

std::int8_t single_hit_score(int bias, std::uint8_t cost) {
    return static_cast<std::int8_t>(std::clamp(bias - cost, -INT8_MAX, INT8_MAX));
}

class SimdFilter final : public MsvFilter {
   public:
    SimdFilter(const ProfileFilterTable& kernels, std::span<const MsvProfile> profiles) : kernels_(kernels) {
        for (const MsvProfile& profile : profiles) profiles_.push_back(prepare(profile));
    }

    std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<SimdWorkspace>(); }
    std::size_t profile_count() const override { return profiles_.size(); }
    CpuBackend backend() const override { return kernels_.backend; }

    void score(std::span<const TileView> tiles, Workspace& workspace, std::span<std::int16_t> results) const override {
        auto& work = static_cast<SimdWorkspace&>(workspace);
        std::size_t call_lanes = 0;
        for (const TileView& tile : tiles) call_lanes += tile.lanes();
        assert(results.size() == profiles_.size() * call_lanes);
        std::size_t first_output = 0;
        for (const TileView& tile : tiles) {
            for (std::uint32_t lane = 0; lane < tile.lanes(); ++lane) {
                work.moves[lane] = MsvProfile::move(tile.lengths_residues[lane]);
            }
            for (std::size_t p = 0; p < profiles_.size(); ++p) {
                std::int16_t* const out = results.data() + p * call_lanes + first_output;
                for (std::uint32_t lane = 0; lane < tile.lanes(); ++lane) {
                    out[lane] = score_lane(profiles_[p], tile, lane, work);
                }
            }
            first_output += tile.lanes();
        }
    }

   private:
    Profile prepare(const MsvProfile& msv) const {
        Profile profile;
        profile.length = static_cast<std::size_t>(msv.length);
        profile.bias = msv.bias;
        profile.enter = msv.enter;
        profile.end = msv.end;
        const std::size_t diagonals = profile.length + 1;
        profile.vectors = (diagonals + kernels_.vector_bytes - 1) / kernels_.vector_bytes;
        const std::size_t period = (kResiduesPerWord + diagonals - 1) / diagonals * diagonals;
        const std::size_t row_bytes = diagonal_row_bytes(profile.vectors, kernels_.vector_bytes);
        const std::size_t table_bytes = row_bytes * kResidueTableSize;
        auto* const memory = reinterpret_cast<std::uint8_t*>(profile.memory.reserve(2 * table_bytes));
        profile.scores = {memory, row_bytes, period};
        profile.costs = {memory + table_bytes, row_bytes, period};
        for (std::size_t code = 0; code < kResidueTableSize; ++code) {
            std::uint8_t* const scores = memory + code * row_bytes;
            std::uint8_t* const costs = scores + table_bytes;
            for (std::size_t j = 0; j < row_bytes; ++j) {
                const std::size_t node = j % diagonals;
                const std::uint8_t cost =
                    node < profile.length ? msv.match_costs[code * profile.length + node] : std::uint8_t{kCeiling};
                costs[j] = cost;
                // The wall resets a lane whatever the bias.
                scores[j] = static_cast<std::uint8_t>(node < profile.length ? single_hit_score(msv.bias, cost)
                                                                            : std::int8_t{-INT8_MAX});
            }
        }
        return profile;
    }

    std::int16_t score_lane(const Profile& profile, const TileView& tile, std::uint32_t lane, SimdWorkspace& work) const {
        const std::uint64_t residues = tile.lengths_residues[lane];
        if (residues == 0) return 0;
        const TargetWords target{tile.words.data() + lane, tile.word_stride(), words_for(residues)};
        const int move = work.moves[lane];
        work.cells += profile.length * residues;
        if (const auto result = single_hit(profile, target, move)) return *result;
        work.undecided_cells += profile.length * residues;
        return kernels_.multihit({profile.costs, profile.vectors, target, profile.bias, profile.end, MsvProfile::kBase,
                                  std::min(move + profile.enter, kCeiling),
                                  work.diagonals.reserve(2 * profile.vectors * kernels_.vector_bytes)});
    }

    // Nothing if undecided.
    std::optional<std::int16_t> single_hit(const Profile& profile, const TargetWords& target, int move) const {
        if (move + profile.enter + profile.end + profile.bias >= 127) return std::nullopt;
        const int begin_score = MsvProfile::kBase - move - profile.enter;
        const int s = best_single_hit(profile, target) - INT8_MIN + kSingleHitBegin;
        if (s >= kCeiling - profile.bias) {
            if (begin_score >= kSingleHitBegin) return kMsvOverflow;
            return std::nullopt;
        }
        const int e = s + begin_score - kSingleHitBegin;
        if (e >= kCeiling - profile.bias) return kMsvOverflow;
        if (e - profile.end > MsvProfile::kBase) return std::nullopt;
        return static_cast<std::int16_t>(e - profile.end);
    }

    std::int8_t best_single_hit(const Profile& profile, const TargetWords& target) const {
        const std::size_t most = kernels_.most_band_vectors;
        if (profile.vectors <= most) {
            return kernels_.single_hit_whole[profile.vectors - 1](profile.scores, 0, target);
        }
        const std::size_t bands = (profile.vectors + most - 1) / most;
        std::int8_t best = INT8_MIN;
        std::size_t first = 0;
        for (std::size_t band = 1; band <= bands; ++band) {
            const std::size_t end = profile.vectors * band / bands;
            best = std::max(best, kernels_.single_hit_bands[end - first - 1](profile.scores,
                                                                             first * kernels_.vector_bytes, target));
            first = end;
        }
        return best;
    }

    const ProfileFilterTable& kernels_;
    std::vector<Profile> profiles_;
};

}  // namespace

std::unique_ptr<MsvFilter> make_simd_msv_filter(const ProfileFilterTable& kernels,
                                                std::span<const MsvProfile> profiles) {
    return std::make_unique<SimdFilter>(kernels, profiles);
}

}  // namespace warpseq
