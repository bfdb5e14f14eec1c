// Every lane of the tiles against every profile. Where the interleaved kernel pays, interleaved tiles are decoded in groups that
// fill a vector; else, and for linear tiles, each lane is scored from the tile's words.
#include "kernels/cpu/msv_filter.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <optional>
#include <vector>

#include "kernels/cpu/aligned_bytes.h"
#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/profile_filter_table.h"

namespace warpseq {
namespace {

constexpr int kCeiling = 255;
constexpr int kSingleHitBegin = 128;
constexpr std::size_t kMostLanes = 64;

// A profile as the kernels take it.
struct Profile {
    std::size_t length = 0;
    int bias = 0, enter = 0, end = 0;
    std::size_t vectors = 0;  // that hold length + 1 diagonals
    AlignedBytes memory;
    DiagonalRows scores{}, costs{};
    AlignedBytes node_memory;
    const std::int8_t* node_scores = nullptr;  // for the interleaved kernel
    std::size_t padded_nodes = 0;
};

class SimdWorkspace final : public MsvFilter::Workspace {
   public:
    AlignedBytes diagonals, columns, border;
    std::array<std::uint8_t, kMostLanes> moves;  // of the lanes at hand
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
        const std::size_t group_tiles = kernels_.interleaved_single_hit ? kernels_.vector_bytes / kTileLanes : 1;
        std::size_t first_output = 0;
        for (std::size_t t = 0; t < tiles.size();) {
            std::size_t end = t + 1;
            if (tiles[t].layout == TileLayout::kInterleaved) {
                while (end < tiles.size() && end < t + group_tiles && tiles[end].layout == TileLayout::kInterleaved) ++end;
            }
            const Group group{tiles.subspan(t, end - t), first_output, call_lanes, results};
            for (std::size_t g = 0; g < group.tiles.size(); ++g) {
                for (std::uint32_t lane = 0; lane < group.tiles[g].lanes(); ++lane) {
                    work.moves[g * kTileLanes + lane] = MsvProfile::move(group.tiles[g].lengths_residues[lane]);
                }
                first_output += group.tiles[g].lanes();
            }
            if (kernels_.interleaved_single_hit && tiles[t].layout == TileLayout::kInterleaved) {
                score_interleaved(group, work);
            } else {
                for (std::size_t p = 0; p < profiles_.size(); ++p) finish_group(group, p, nullptr, work);
            }
            t = end;
        }
    }

   private:
    // Tiles that are scored together, and where their results go.
    struct Group {
        std::span<const TileView> tiles;
        std::size_t first_output, call_lanes;
        std::span<std::int16_t> results;
    };

    void score_interleaved(const Group& group, SimdWorkspace& work) const {
        const std::size_t lanes = kernels_.vector_bytes;
        std::uint64_t word_rows = 0;
        for (const TileView& tile : group.tiles) word_rows = std::max(word_rows, tile.word_rows);
        const std::size_t rows = word_rows * kResiduesPerWord;
        auto* const columns = reinterpret_cast<std::uint8_t*>(work.columns.reserve(rows * lanes));
        const KernelTable& decoder = *runnable_kernel_table(kernels_.backend);
        for (std::size_t g = 0; g * kTileLanes < lanes; ++g) {
            std::size_t filled = 0;
            if (g < group.tiles.size()) {
                const TileView& tile = group.tiles[g];
                decoder.decode(tile.words.data(), tile.word_rows, kTileLanes, columns + g * kTileLanes, lanes);
                filled = tile.word_rows * kResiduesPerWord;
            }
            for (std::size_t row = filled; row < rows; ++row) {
                std::memset(columns + row * lanes + g * kTileLanes, kPaddingCode, kTileLanes);
            }
        }
        std::byte* const border = work.border.reserve(rows * lanes);
        alignas(64) std::array<std::int8_t, kMostLanes> best;
        for (std::size_t p = 0; p < profiles_.size(); ++p) {
            kernels_.interleaved_single_hit(
                {profiles_[p].node_scores, profiles_[p].padded_nodes, columns, rows, border, best.data()});
            finish_group(group, p, best.data(), work);
        }
    }

    // `best` of each lane as the interleaved kernel found it; nullptr: still to be found.
    void finish_group(const Group& group, std::size_t p, const std::int8_t* best, SimdWorkspace& work) const {
        std::int16_t* out = group.results.data() + p * group.call_lanes + group.first_output;
        for (std::size_t g = 0; g < group.tiles.size(); ++g) {
            for (std::uint32_t lane = 0; lane < group.tiles[g].lanes(); ++lane) {
                const std::size_t slot = g * kTileLanes + lane;
                *out++ = score_lane(profiles_[p], group.tiles[g], lane, work.moves[slot], best ? best + slot : nullptr, work);
            }
        }
    }

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
        if (kernels_.interleaved_single_hit) {
            profile.padded_nodes = (profile.length + kInterleavedNodes - 1) / kInterleavedNodes * kInterleavedNodes;
            const std::size_t bytes = profile.padded_nodes * kResidueTableSize;
            auto* const scores = reinterpret_cast<std::int8_t*>(profile.node_memory.reserve(bytes));
            std::fill_n(scores, bytes, std::int8_t{-INT8_MAX});
            for (std::size_t k = 0; k < profile.length; ++k) {
                for (std::size_t code = 0; code < kResidueTableSize; ++code) {
                    scores[k * kResidueTableSize + code] =
                        single_hit_score(msv.bias, msv.match_costs[code * profile.length + k]);
                }
            }
            profile.node_scores = scores;
        }
        return profile;
    }

    std::int16_t score_lane(const Profile& profile, const TileView& tile, std::uint32_t lane, int move,
                            const std::int8_t* best, SimdWorkspace& work) const {
        const std::uint64_t residues = tile.lengths_residues[lane];
        if (residues == 0) return 0;
        const TargetWords target{tile.words.data() + lane, tile.word_stride(), words_for(residues)};
        work.cells += profile.length * residues;
        if (const auto result = single_hit(profile, target, move, best)) return *result;
        work.undecided_cells += profile.length * residues;
        return kernels_.multihit({profile.costs, profile.vectors, target, profile.bias, profile.end, MsvProfile::kBase,
                                  std::min(move + profile.enter, kCeiling),
                                  work.diagonals.reserve(2 * profile.vectors * kernels_.vector_bytes)});
    }

    // Nothing if undecided.
    std::optional<std::int16_t> single_hit(const Profile& profile, const TargetWords& target, int move,
                                           const std::int8_t* best) const {
        if (move + profile.enter + profile.end + profile.bias >= 127) return std::nullopt;
        const int begin_score = MsvProfile::kBase - move - profile.enter;
        const int s = (best ? *best : best_single_hit(profile, target)) - INT8_MIN + kSingleHitBegin;
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
