// The kernel of kernels/smith_waterman/local_alignment_simd.h, written once as a template over a
// vector set. This file is included only inside the target region of each
// kernels/backends/backend_table_<instruction set>.cpp.
//
// The lanes of a vector are consecutive query rows of one column. E and the diagonal depend on the
// column to the left alone. F runs down the column, so it also runs from lane to lane within a
// vector. Let T = max(0, diagonal, E), which is H without F. Then
//
//     F(i) = max over k < i of  T(k) - gap_first - (i - 1 - k) * gap_extend
//
// because a gap that is opened from an H which is itself F is never better than extending that F.
// Within a vector this is a prefix maximum, which takes log2(lanes) steps. In 16 bits each term has
// k * gap_extend added, so that a step is a maximum alone, and the result has i * gap_extend
// subtracted. A sum wraps around only from an H above highest_16_bit(), and with such scores the
// caller takes 32 bits. One number, the carry, passes from a vector to the next. F of lane l is at
// least the carry less l * gap_extend. E and F are clamped at 0. This changes no H. It changes no
// step of a traceback either, because a traceback only stands at cells whose H, E or F is above 0.

#include "kernels/simd/raw_lanes.h"

namespace warpseq::simd {

template <class V, std::size_t n>
WARPSEQ_SIMD typename V::Vector prefix_gap(typename V::Vector f, typename V::Vector floor, std::int32_t gap_extend) {
    typename V::Vector shifted = V::template shift_up<n>(f, floor);
    if constexpr (sizeof(typename V::Lane) != 2)
        shifted =
            V::subtract(shifted, V::set(static_cast<typename V::Lane>(static_cast<std::int32_t>(n) * gap_extend)));
    if constexpr (2 * n < V::kLanes) {
        return prefix_gap<V, 2 * n>(V::max(f, shifted), floor, gap_extend);
    } else {
        return V::max(f, shifted);
    }
}

/// Returns F within a vector. Lane i of `before` is what opening a gap in the lane before gives.
/// Lane i of `lane_extend` is i * gap_extend.
template <class V>
WARPSEQ_SIMD typename V::Vector gap_within(typename V::Vector before, typename V::Vector floor,
                                           typename V::Vector lane_extend, std::int32_t gap_extend) {
    if constexpr (sizeof(typename V::Lane) == 2) {
        return V::wrapping_subtract(prefix_gap<V, 1>(V::wrapping_add(before, lane_extend), floor, gap_extend),
                                    lane_extend);
    } else {
        return prefix_gap<V, 1>(before, floor, gap_extend);
    }
}

template <class V, bool kWantDirections>
void align_columns_as(AlignmentColumnsTask& task) {
    using Lane = typename V::Lane;
    using Vector = typename V::Vector;
    constexpr std::size_t kLanes = V::kLanes;
    const Vector floor = V::set(V::kFloor);
    const Vector gap_first = V::set(static_cast<Lane>(task.gap_first));
    const Vector gap_extend = V::set(static_cast<Lane>(task.gap_extend));
    const std::int32_t vector_extend = task.gap_extend * static_cast<std::int32_t>(kLanes);
    alignas(64) Lane lanes[kLanes];
    for (std::size_t l = 0; l < kLanes; ++l)
        lanes[l] = static_cast<Lane>(static_cast<std::int32_t>(l) * task.gap_extend);
    const Vector lane_extend = V::load(lanes);
    Lane* const h_column = static_cast<Lane*>(task.h);
    Lane* const e_column = static_cast<Lane*>(task.e);
    DirectionUnit* directions = task.directions;

    for (std::size_t j = 0; j < task.columns; ++j) {
        const Lane* const profile = static_cast<const Lane*>(task.profile) + task.target[j] * task.profile_row_lanes;
        Lane last_left = V::kFloor;  // H of the row above the vector, in the column to the left
        std::int32_t carry_raw = 0;  // F of the vector's first row
        for (std::size_t row = 0; row < task.vectors * kLanes; row += kLanes) {
            const Vector left = V::load(h_column + row);
            const Vector diagonal = V::template shift_up<1>(left, V::set(last_left));
            last_left = h_column[row + kLanes - 1];
            const Vector opened = V::subtract(left, gap_first);
            const Vector e = V::max(V::load(e_column + row), opened);
            const Vector match = V::add(diagonal, V::load(profile + row));
            const Vector without_f = V::max(match, e);

            const Vector leaving = V::subtract(without_f, gap_first);
            const Vector inner =
                gap_within<V>(V::template shift_up<1>(leaving, floor), floor, lane_extend, task.gap_extend);
            const Vector f = V::max(inner, V::subtract(V::set(lane_of_raw<V>(carry_raw)), lane_extend));
            V::store(lanes, V::max(V::subtract(inner, gap_extend), leaving));
            carry_raw = std::max(raw_score<V>(lanes[kLanes - 1]), carry_raw - vector_extend);

            const Vector h = V::max(without_f, f);
            V::store(h_column + row, h);
            V::store(e_column + row, V::subtract(e, gap_extend));
            if constexpr (kWantDirections) {
                *directions++ = {
                    V::greater_mask(h, match),
                    V::greater_mask(h, f),
                    V::greater_mask(e, opened),
                    V::greater_mask(V::subtract(f, gap_extend), V::subtract(h, gap_first)),
                };
            }
        }
    }
}

template <class V>
void align_columns(AlignmentColumnsTask& task) {
    if (task.directions) {
        align_columns_as<V, true>(task);
    } else {
        align_columns_as<V, false>(task);
    }
}

}  // namespace warpseq::simd
