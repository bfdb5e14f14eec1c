#include "kernels/cuda/ssv_plan.h"

#include <algorithm>
#include <cassert>

namespace warpseq::cuda {
namespace {

constexpr SsvShape kShapes[] = {{2, 16, 1.27}, {2, 32, 2.12}, {4, 16, 2.39}, {4, 32, 3.69},
                                {4, 48, 4.96},  {8, 16, 4.49}, {8, 32, 7.30}, {8, 48, 9.98}};

std::size_t segments_of(int length, const SsvShape& shape) {
    return static_cast<std::size_t>((length + shape.rows_per_thread - 1) / shape.rows_per_thread);
}

std::size_t pass_count(std::span<const int> lengths, const SsvShape& shape) {
    std::size_t segments = 0;
    for (const int length : lengths) segments += segments_of(length, shape);
    const auto per_pass = static_cast<std::size_t>(2 * shape.group_threads);
    return (segments + per_pass - 1) / per_pass;
}

/// Minus the score (or what is as bad as the lowest that matters), from a biased cost.
int score_of(const MsvProfile& profile, std::size_t row, std::size_t code) {
    const auto length = static_cast<std::size_t>(profile.length);
    return std::max(-127, int{profile.bias} - int{profile.match_costs[code * length + row]});
}

/// n as the bit pattern of the half-precision number n * 2^-24: sign and magnitude.
std::uint32_t half_bits(int n) { return static_cast<std::uint32_t>(n < 0 ? 0x8000 | -n : n); }

}  // namespace

std::span<const SsvShape> ssv_shapes() { return kShapes; }

SsvPlan plan_ssv_with_shape(std::span<const int> lengths, const SsvShape& shape) {
    SsvPlan plan{shape, {}};
    const int per_pass = 2 * shape.group_threads;
    int slot = per_pass;
    for (std::size_t p = 0; p < lengths.size(); ++p) {
        for (int row = 0; row < lengths[p]; row += shape.rows_per_thread) {
            if (slot == per_pass) {
                plan.passes.emplace_back();
                slot = 0;
            }
            plan.passes.back().segments[slot++] = {static_cast<std::int32_t>(p), static_cast<std::uint32_t>(row), row > 0};
        }
    }
    return plan;
}

SsvPlan plan_ssv(std::span<const int> lengths) {
    const auto milliseconds = [lengths](const SsvShape& shape) {
        return static_cast<double>(pass_count(lengths, shape)) * shape.pass_milliseconds;
    };
    return plan_ssv_with_shape(lengths, *std::ranges::min_element(kShapes, {}, milliseconds));
}

void fill_ssv_profile(const SsvPlan& plan, std::size_t pass, std::span<const MsvProfile* const> profiles,
                      std::span<std::uint32_t> out) {
    assert(out.size() == ssv_profile_words(plan.shape));
    const auto threads = static_cast<std::size_t>(plan.shape.group_threads);
    const std::size_t slots = std::max<std::size_t>(8, threads);
    const auto blocks = static_cast<std::size_t>(plan.shape.rows_per_thread) / 16;
    std::ranges::fill(out, 0);
    for (std::size_t code = 0; code < kResidueTableSize; ++code) {
        for (std::size_t slot = 0; slot < slots; ++slot) {
            const std::size_t thread = slot % threads;
            for (std::size_t row = 0; row < blocks * 16; ++row) {
                int scores[2];
                for (std::size_t half = 0; half < 2; ++half) {
                    const SsvSegment& segment = plan.passes[pass].segments[half * threads + thread];
                    const std::size_t node = segment.first_row + row;
                    const bool inside = segment.profile >= 0 &&
                                        node < static_cast<std::size_t>(profiles[static_cast<std::size_t>(segment.profile)]->length);
                    scores[half] = inside ? score_of(*profiles[static_cast<std::size_t>(segment.profile)], node, code) : -127;
                }
                const std::size_t block = row / 16, in_block = row % 16;
                // Word of load l of this block: ((code * blocks + block) * loads + l) * slots + slot, times 4.
                const auto word_of = [&](std::size_t load, std::size_t word) -> std::uint32_t& {
                    return out[(((code * blocks + block) * kSsvLoadsPer16Rows + load) * slots + slot) * 4 + word];
                };
                if (in_block < kSsvWideRows) {
                    word_of(in_block / 4, in_block % 4) = half_bits(scores[0]) | half_bits(scores[1]) << 16;
                } else {
                    const std::size_t narrow = in_block - kSsvWideRows;
                    const auto bytes = static_cast<std::uint32_t>(scores[0] + kSsvByteBias) |
                                       static_cast<std::uint32_t>(scores[1] + kSsvByteBias) << 8;
                    word_of(kSsvWideRows / 4 + narrow / 8, narrow % 8 / 2) |= bytes << (16 * (narrow % 2));
                }
            }
        }
    }
}

SsvTables::SsvTables(std::span<const MsvProfile* const> profiles, const SsvShape* shape) {
    std::vector<int> lengths;
    for (const MsvProfile* profile : profiles) lengths.push_back(profile->length);
    plan_ = shape != nullptr ? plan_ssv_with_shape(lengths, *shape) : plan_ssv(lengths);
    const std::size_t words = ssv_profile_words(plan_.shape);
    profiles_.resize(words * plan_.passes.size());
    for (std::size_t pass = 0; pass < plan_.passes.size(); ++pass)
        fill_ssv_profile(plan_, pass, profiles, std::span(profiles_).subspan(pass * words, words));
}

}  // namespace warpseq::cuda
