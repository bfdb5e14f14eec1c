#include "kernels/profile/ssv_plan_gpu.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <limits>
#include <utility>

#include "kernels/gpu/half_bits.h"

namespace warpseq::cuda {
namespace {

constexpr SsvShape kShapes[] = {{2, 16, 1.00}, {2, 20, 1.12}, {2, 24, 1.20}, {2, 28, 1.40}, {2, 32, 1.62},
                                {2, 36, 1.71}, {2, 40, 1.83}, {2, 44, 2.13}, {2, 48, 2.24}, {2, 52, 2.44},
                                {2, 56, 2.52}, {2, 60, 2.78}, {2, 64, 2.91}, {4, 40, 3.61}};

/// A place in the stream of profiles.
struct Place {
    std::size_t profile = 0;
    int row = 0;
};

std::size_t segments_of(int rows, const SsvShape& shape) {
    return static_cast<std::size_t>((rows + shape.rows_per_thread - 1) / shape.rows_per_thread);
}

/// Returns the number of segments that are left from a place on.
std::size_t segments_from(std::span<const int> lengths, Place place, const SsvShape& shape) {
    std::size_t segments = 0;
    for (; place.profile < lengths.size(); ++place.profile, place.row = 0)
        segments += segments_of(lengths[place.profile] - place.row, shape);
    return segments;
}

/// Appends a pass with the segments that follow `place`, and moves `place` on.
void add_pass(std::span<const int> lengths, const SsvShape& shape, Place& place, SsvPlan& plan) {
    SsvPass& pass = plan.passes.emplace_back();
    pass.shape = shape;
    for (int slot = 0; slot < 2 * shape.group_threads && place.profile < lengths.size(); ++slot) {
        pass.segments[slot] = {static_cast<std::int32_t>(place.profile), static_cast<std::uint32_t>(place.row),
                               place.row > 0};
        place.row += shape.rows_per_thread;
        if (place.row >= lengths[place.profile]) place = {place.profile + 1, 0};
    }
}

/// Returns the score of a biased cost. It is at least kSsvLowestScore.
int score_of(const MsvProfile& profile, std::size_t row, std::size_t code) {
    const auto length = static_cast<std::size_t>(profile.length);
    return std::max(kSsvLowestScore, int{profile.bias} - int{profile.match_costs[code * length + row]});
}

}  // namespace

std::span<const SsvShape> ssv_shapes() { return kShapes; }

SsvPlan plan_ssv_with_shape(std::span<const int> lengths, const SsvShape& shape) {
    SsvPlan plan;
    for (Place place; place.profile < lengths.size();) add_pass(lengths, shape, place, plan);
    return plan;
}

SsvPlan plan_ssv(std::span<const int> lengths) {
    SsvPlan best;
    double best_milliseconds = std::numeric_limits<double>::infinity();
    for (const SsvShape& shape : kShapes) {
        const auto per_pass = static_cast<std::size_t>(2 * shape.group_threads);
        const std::size_t passes = (segments_from(lengths, {}, shape) + per_pass - 1) / per_pass;
        if (passes == 0) break;
        SsvPlan plan;
        Place place;
        while (plan.passes.size() + 1 < passes) add_pass(lengths, shape, place, plan);
        SsvShape last = shape;
        for (const SsvShape& each : kShapes) {
            const bool enough = segments_from(lengths, place, each) <= static_cast<std::size_t>(2 * each.group_threads);
            if (enough && each.pass_milliseconds < last.pass_milliseconds) last = each;
        }
        add_pass(lengths, last, place, plan);
        const double milliseconds = static_cast<double>(passes - 1) * shape.pass_milliseconds + last.pass_milliseconds;
        if (milliseconds < best_milliseconds) {
            best_milliseconds = milliseconds;
            best = std::move(plan);
        }
    }
    return best;
}

void fill_ssv_profile(const SsvPass& pass, std::span<const MsvProfile* const> profiles, std::span<std::uint32_t> out) {
    const SsvLayout layout{pass.shape.rows_per_thread};
    assert(out.size() == layout.profile_words());
    const auto threads = static_cast<std::size_t>(pass.shape.group_threads);
    const auto slots = static_cast<std::size_t>(SsvLayout::kSlots);
    const auto rows = static_cast<std::size_t>(pass.shape.rows_per_thread);
    const auto loads = static_cast<std::size_t>(layout.loads());
    std::ranges::fill(out, 0);
    for (std::size_t code = 0; code < kResidueTableSize; ++code) {
        for (std::size_t thread = 0; thread < threads; ++thread) {
            for (std::size_t row = 0; row < rows; ++row) {
                int scores[2];
                for (std::size_t half = 0; half < 2; ++half) {
                    const SsvSegment& segment = pass.segments[half * threads + thread];
                    const std::size_t node = segment.first_row + row;
                    const bool inside =
                        segment.profile >= 0 &&
                        node < static_cast<std::size_t>(profiles[static_cast<std::size_t>(segment.profile)]->length);
                    scores[half] = inside ? score_of(*profiles[static_cast<std::size_t>(segment.profile)], node, code)
                                          : kSsvLowestScore;
                }
                const std::size_t block = row / SsvLayout::kBlockRows, in_block = row % SsvLayout::kBlockRows;
                // The word of a block's load is at ((code * loads + block's first + load) * slots +
                // thread) * 4 + word.
                const auto word_of = [&](std::size_t load, std::size_t word) -> std::uint32_t& {
                    return out[((code * loads + block * SsvLayout::kBlockLoads + load) * slots + thread) * 4 + word];
                };
                if (in_block < SsvLayout::kWideRows) {
                    word_of(in_block / 4, in_block % 4) = half_bits(scores[0]) | half_bits(scores[1]) << 16;
                } else {
                    const std::size_t narrow = in_block - SsvLayout::kWideRows;
                    const auto bytes = static_cast<std::uint32_t>(scores[0] + kSsvByteBias) |
                                       static_cast<std::uint32_t>(scores[1] + kSsvByteBias) << 8;
                    word_of(SsvLayout::kWideLoads + narrow / SsvLayout::kNarrowLoadRows, narrow % 8 / 2) |=
                        bytes << (16 * (narrow % 2));
                }
            }
        }
        // The slots of the other groups repeat the first group's.
        for (std::size_t load = 0; load < loads; ++load) {
            const auto words = out.subspan((code * loads + load) * slots * 4, slots * 4);
            for (std::size_t w = threads * 4; w < words.size(); ++w) words[w] = words[w - threads * 4];
        }
    }
}

SsvTables::SsvTables(std::span<const MsvProfile* const> profiles, const SsvShape* shape) {
    std::vector<int> lengths;
    for (const MsvProfile* profile : profiles) lengths.push_back(profile->length);
    plan_ = shape != nullptr ? plan_ssv_with_shape(lengths, *shape) : plan_ssv(lengths);
    std::size_t words = 0;
    for (const SsvPass& pass : plan_.passes) words += SsvLayout{pass.shape.rows_per_thread}.profile_words();
    profiles_.resize(words);
    std::span<std::uint32_t> rest(profiles_);
    for (const SsvPass& pass : plan_.passes) {
        const std::size_t of_pass = SsvLayout{pass.shape.rows_per_thread}.profile_words();
        fill_ssv_profile(pass, profiles, rest.first(of_pass));
        rest = rest.subspan(of_pass);
    }
}

}  // namespace warpseq::cuda
