#include "kernels/profile/msv_plan_gpu.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "kernels/gpu/half_bits.h"
#include "kernels/profile/msv_filter.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq::cuda {
namespace {

constexpr MsvShape kShapes[] = {{8, 4},   {8, 8},   {8, 12},  {8, 16},  {8, 20},  {8, 24},  {8, 28},
                                {8, 32},  {16, 20}, {16, 24}, {16, 28}, {16, 32}, {32, 20}, {32, 24},
                                {32, 28}, {32, 32}, {32, 40}, {32, 48}, {32, 56}, {32, 64}};

void fill_table(const MsvProfile& profile, const MsvShape& shape, std::span<std::uint32_t> out) {
    assert(out.size() == shape.table_words());
    const auto threads = static_cast<std::size_t>(shape.group_threads),
               rows = static_cast<std::size_t>(shape.rows_per_thread);
    const MsvLayout layout = shape.layout();
    const auto loads = static_cast<std::size_t>(layout.loads()), length = static_cast<std::size_t>(profile.length);
    for (std::size_t code = 0; code < kResidueTableSize; ++code) {
        for (std::size_t thread = 0; thread < threads; ++thread) {
            const auto word_of = [&](std::size_t load, std::size_t word) -> std::uint32_t& {
                return out[((code * loads + load) * threads + thread) * 4 + word];
            };
            for (std::size_t row = 0; row < rows; ++row) {
                std::uint32_t costs[2];
                for (std::size_t half = 0; half < 2; ++half) {
                    const std::size_t node = (half * threads + thread) * rows + row;
                    costs[half] = node < length ? profile.match_costs[code * length + node] : kMsvCeiling;
                }
                const auto load = static_cast<std::size_t>(layout.load_of(static_cast<int>(row)));
                if (layout.is_narrow(static_cast<int>(row))) {
                    word_of(load, row % 8 / 2) |= (costs[0] | costs[1] << 8) << (16 * (row % 2));
                } else {
                    word_of(load, row % 4) = half_bits(int{profile.bias} - static_cast<int>(costs[0])) |
                                             half_bits(int{profile.bias} - static_cast<int>(costs[1])) << 16;
                }
            }
        }
    }
}

}  // namespace

std::span<const MsvShape> msv_shapes() { return kShapes; }

MsvTables::MsvTables(std::span<const MsvProfile* const> profiles, std::size_t most_table_bytes, const MsvShape* shape) {
    for (const MsvProfile* profile : profiles) {
        const auto length = static_cast<std::size_t>(profile->length);
        const auto fits = [&](const MsvShape& each) {
            return profile->length <= each.nodes() && each.table_words() * sizeof(std::uint32_t) <= most_table_bytes &&
                   (shape == nullptr || each == *shape);
        };
        const auto which = static_cast<std::size_t>(std::ranges::find_if(kShapes, fits) - kShapes);
        const std::size_t words =
            which < std::size(kShapes) ? kShapes[which].table_words() : (profile->match_costs.size() + 15) / 16 * 4;
        profiles_.push_back({static_cast<std::uint32_t>(words_.size()), static_cast<std::uint32_t>(best_scores_.size()),
                             profile->length, profile->bias, profile->enter, profile->end});
        shape_of_profile_.push_back(static_cast<std::uint32_t>(which));
        words_.resize(words_.size() + words);
        const std::span<std::uint32_t> table = std::span(words_).last(words);
        if (which < std::size(kShapes))
            fill_table(*profile, kShapes[which], table);
        else
            std::memcpy(table.data(), profile->match_costs.data(), profile->match_costs.size());
        for (std::size_t code = 0; code < kResidueTableSize; ++code) {
            const auto costs = std::span(profile->match_costs).subspan(code * length, length);
            best_scores_.push_back(
                static_cast<std::int16_t>(int{profile->bias} - int{*std::ranges::min_element(costs)}));
        }
        highest_bias_ = std::max(highest_bias_, int{profile->bias});
    }
}

}  // namespace warpseq::cuda
