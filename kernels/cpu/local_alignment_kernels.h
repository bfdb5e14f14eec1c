// The kernel of cpu/local_alignment.h, written once as a template over a vector set. Included inside the target region of
// each kernel_table_<instruction set>.cpp and nowhere else.
//
// Lanes are consecutive query rows of one column. E and the diagonal come from the column to the left and need only that.
// F runs down the column, within a vector too: with T = max(0, diagonal, E), that is H without F,
//
//     F(i) = max over k < i of  T(k) - gap_first - (i - 1 - k) * gap_extend
//
// because a gap that is opened from an H which is itself F is never better than extending that F. Within a vector this is a
// prefix maximum in log2(lanes) steps; from vector to vector one number is carried, and what it adds to lane l is the carry
// less l * gap_extend. E and F are held at 0 or above. That changes no H, and no step of a traceback, which only ever stands
// at cells whose H, E or F is above 0.

namespace warpseq::simd {

template <class V, std::size_t n>
WARPSEQ_SIMD typename V::Vector prefix_gap(typename V::Vector f, typename V::Vector floor, std::int32_t gap_extend) {
    const typename V::Vector below = V::subtract(V::template shift_up<n>(f, floor), V::set(static_cast<std::int32_t>(n) * gap_extend));
    if constexpr (2 * n < V::kLanes) {
        return prefix_gap<V, 2 * n>(V::max(f, below), floor, gap_extend);
    } else {
        return V::max(f, below);
    }
}

template <class V, bool kWantDirections>
void align_columns_as(AlignmentColumnsTask& task) {
    using Vector = typename V::Vector;
    constexpr std::size_t kLanes = V::kLanes;
    const Vector floor = V::set(0);
    const Vector gap_first = V::set(task.gap_first);
    const Vector gap_extend = V::set(task.gap_extend);
    const std::int32_t vector_extend = task.gap_extend * static_cast<std::int32_t>(V::kLanes);
    alignas(64) std::int32_t lanes[kLanes];
    for (std::size_t l = 0; l < kLanes; ++l) lanes[l] = static_cast<std::int32_t>(l) * task.gap_extend;
    const Vector lane_extend = V::load(lanes);
    Vector best = V::set(task.best_raw);
    DirectionUnit* directions = task.directions;

    for (std::size_t j = 0; j < task.columns; ++j) {
        const std::int8_t* const profile = task.profile + task.target[j] * task.profile_row_bytes;
        std::int32_t last_left = 0;  // H of the row above the vector, in the column to the left
        std::int32_t carry = 0;      // F of the vector's first row
        Vector column_best = floor;
        for (std::size_t row = 0; row < task.vectors * kLanes; row += kLanes) {
            const Vector left = V::load(task.h + row);
            const Vector diagonal = V::template shift_up<1>(left, V::set(last_left));
            last_left = task.h[row + kLanes - 1];
            const Vector opened = V::subtract(left, gap_first);
            const Vector e = V::max(V::subtract(V::load(task.e + row), gap_extend), opened);
            const Vector match = V::add(diagonal, V::load_widened(profile + row));
            const Vector without_f = V::max(match, e);

            const Vector leaving = V::subtract(without_f, gap_first);
            const Vector inner = prefix_gap<V, 1>(V::template shift_up<1>(leaving, floor), floor, task.gap_extend);
            const Vector f = V::max(inner, V::subtract(V::set(carry), lane_extend));
            V::store(lanes, V::max(V::subtract(inner, gap_extend), leaving));
            carry = std::max(lanes[kLanes - 1], carry - vector_extend);

            const Vector h = V::max(without_f, f);
            column_best = V::max(column_best, h);
            V::store(task.h + row, h);
            V::store(task.e + row, e);
            if constexpr (kWantDirections) {
                *directions++ = {
                    static_cast<std::uint16_t>(V::greater_mask(h, match)),
                    static_cast<std::uint16_t>(V::greater_mask(h, f)),
                    static_cast<std::uint16_t>(V::greater_mask(e, opened)),
                    static_cast<std::uint16_t>(V::greater_mask(V::subtract(f, gap_extend), V::subtract(h, gap_first))),
                };
            }
        }
        if (V::any_greater(column_best, best)) {
            V::store(lanes, column_best);
            for (const std::int32_t h : lanes) task.best_raw = std::max(task.best_raw, h);
            task.best_column = j;
            best = V::set(task.best_raw);
        }
    }
}

template <class Set>
void align_columns(AlignmentColumnsTask& task) {
    if (task.directions) {
        align_columns_as<typename Set::I32, true>(task);
    } else {
        align_columns_as<typename Set::I32, false>(task);
    }
}

}  // namespace warpseq::simd
