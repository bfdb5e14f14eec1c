// The kernels of skewed strips. This file is included only inside a target region.
//
// A strip of rows is swept from left to right in a skewed way. Each lane of a vector holds up to
// sixteen consecutive rows, and the top lane holds the first ones. A lane is one column behind the
// lane above it. A step fills one column of each lane.
//
//                        columns, at step s
//     top lane      . . . . . . . s
//     lane 2        . . . . . . s
//     lane 1        . . . . . s
//     lane 0        . . . . s   ------> the border row below the strip, a cell a step
//
// The values that leave a lane's last row enter the lane below in the next step. This takes one
// rotation of the vectors per step. F is always known when it is needed, so no pass that corrects
// it follows.
//
// In the first steps not all lanes have begun. The lanes that have not begun must keep their part
// of the column left of the strip. So their old values are restored after each of these steps.
// Lanes that have passed the last column continue over padding, and their results are dropped.
//
// There are two kernels. In both, H(i, j), E(i, j + 1) and F(i + 1, j) are named h, e and f.
//
// The absolute kernel keeps h, e and f less a base. The caller knows in advance that they fit the
// lanes, or finds out afterwards.
//     h = max(diagonal + s, e, f, zero)
//     e = max(e - extend, h - first)
//     f = max(f - extend, h - first)
// In bytes the sum may wrap after some h is above 255 less the highest score. Then `best` shows
// that h, and the caller fills the columns again in wider lanes.
//
// The difference kernel keeps differences between neighbouring cells (Suzuki and Kasahara, BMC
// Bioinformatics 19:45, 2018). They are
//     u = H(i, j) - H(i-1, j)          x = E(i, j+1) - H(i, j)
//     v = H(i, j) - H(i, j-1)          y = F(i+1, j) - H(i, j)
//     z = H(i, j) - H(i-1, j-1)
// and follow from
//     a = x(i, j-1) + u(i, j-1)        u = z - v(i-1, j)
//     b = y(i-1, j) + v(i-1, j)        v = z - u(i, j-1)
//     z = max(s, a, b)                 x = max(a - z - extend, -first)
//                                      y = max(b - z - extend, -first)
// They are kept with `first` added, and a, b and z with twice that. Then all are at least 0, so
//     x = max(a - (z - open), 0)
// is one saturating subtraction, because z - open is not negative. The caller makes sure that s + 2
// first >= open. pair_skewed_strip_simd.cpp proves that all other numbers fit. Bytes suffice for
// sequences of any length.
//
// Every kernel is compiled for four instruction sets, and again with sanitizers. To limit the
// number of instances, only what matters in the inner loop is a template argument. Lengths of
// words, the first steps and the padding rows of the top lane are handled at run time.
#pragma once

#include "kernels/pair/pair_lanes_simd.h"
#include "kernels/pair/pair_step_scores_simd.h"
#include "kernels/pair/pair_strip_state_simd.h"

namespace warpseq::simd {

/// The kinds of kernels. kDirections is the absolute kernel with a byte of directions for each cell
/// (kernels/pair/pair_directions_simd.h) in place of maxima.
enum class PairKernel { kDifferences, kAbsolute, kDirections };

/// Whether rows are raised. They are raised in the absolute kernel in bytes, which does most of a
/// local sweep. This saves operations per cell in two ways.
///  - Row r of a lane is kept with r * extend added. Then extending a gap downwards costs nothing,
///    f = max(f, h - open), and scores include the difference of the raise between two rows. The
///    raise is subtracted from values that pass to the next lane or leave the kernel.
///  - A maximum is taken only in steps in which some h exceeds the threshold of its lane. This is
///    noticed at the end of the step. The threshold is at least the best known score of the block.
///    The new maximum becomes the threshold of all lanes of the block.
template <PairKernel kKernel, std::size_t lane_bytes>
inline constexpr bool kRaisedRows = kKernel == PairKernel::kAbsolute&& lane_bytes == 1;

template <class V>
struct ExcessOf {
    struct Type {};
};
template <class V>
requires requires { typename V::Excess; }
struct ExcessOf<V> {
    using Type = typename V::Excess;
};

/// The values that pass downwards from row to row within a step.
template <class V>
struct PairColumn {
    typename V::Vector h, gap, diagonal, best;
    typename ExcessOf<V>::Type excess;
};

/// The values that all rows share. They include copies of addresses in the task. The compiler would
/// have to load these again after each store of bytes, which could change the task as far as it
/// knows.
template <class Set, class V>
struct PairConstants {
    typename V::Lane *h, *gap;
    const std::uint8_t* row_letters;
    std::uint8_t* directions;                // of the step
    const typename V::Lane *zeros, *limits;  // of raised rows
    typename V::Vector open, extend, first, zero, bias, from_top;
    typename Set::U8::Vector table, letters;
};

/// Computes row r of every lane. With kLookUp scores come from the table, else from `scores`.
template <class Set, std::size_t lane_bytes, PairKernel kKernel, bool kLookUp>
WARPSEQ_SIMD void pair_row(const std::uint8_t* scores, std::size_t r,
                           const PairConstants<Set, PairLanes<Set, lane_bytes>>& constants,
                           PairColumn<PairLanes<Set, lane_bytes>>& column) {
    using V = PairLanes<Set, lane_bytes>;
    using V8 = typename Set::U8;
    using Lane = typename V::Lane;
    using Vector = typename V::Vector;
    constexpr bool kBytes = lane_bytes == 1, kAbsolute = kKernel != PairKernel::kDifferences;
    Lane* const h_row = constants.h + r * V::kLanes;
    Lane* const e_row = constants.gap + r * V::kLanes;
    Vector score;
    if constexpr (kLookUp) {
        score = V8::lookup(constants.table,
                           V8::wrapping_add(V8::load(constants.row_letters + r * V8::kLanes), constants.letters));
    } else {
        score = V::load_widened(reinterpret_cast<const std::int8_t*>(scores) + r * V8::kLanes);
        if constexpr (!kBytes && kKernel != PairKernel::kDirections) score = V::wrapping_add(score, constants.bias);
    }
    const Vector h_left = V::load(h_row), e_left = V::load(e_row);
    Vector h, e;
    if constexpr (kAbsolute) {
        const Vector match = V::wrapping_add(column.diagonal, score), f = column.gap;
        if constexpr (kRaisedRows<kKernel, lane_bytes>) {
            // f comes last, because rows wait for it.
            h = V::max(V::max(V::max(match, e_left), V::load(constants.zeros + r * V::kLanes)), f);
            column.diagonal = h_left;
            const Vector opened = V::wrapping_subtract(h, constants.open);
            e = V::wrapping_subtract(V::max(e_left, opened), constants.extend);
            column.gap = V::max(f, opened);
            column.excess = V::with_excess(column.excess, h, V::load(constants.limits + r * V::kLanes));
        } else {
            h = V::max(V::max(V::max(match, e_left), constants.zero), f);
            column.diagonal = h_left;
            const Vector opened = V::wrapping_subtract(h, constants.first);
            e = V::max(V::wrapping_subtract(e_left, constants.extend), opened);
            column.gap = V::max(V::wrapping_subtract(f, constants.extend), opened);
            if constexpr (kKernel == PairKernel::kDirections) {
                Vector bits = V::bit_where_equal(h, constants.zero, V::set(PairDirections::kZero));
                bits = V::bit_or(bits, V::bit_where_equal(h, match, V::set(PairDirections::kDiagonal)));
                bits = V::bit_or(bits, V::bit_where_equal(h, f, V::set(PairDirections::kIsF)));
                bits = V::bit_or(bits, V::bit_where_equal(column.gap, opened, V::set(PairDirections::kOpensF)));
                bits = V::bit_or(bits, V::bit_where_equal(e, opened, V::set(PairDirections::kOpensE)));
                V::store_bytes(constants.directions + r * V::kLanes, bits);
            }
            if constexpr (kKernel == PairKernel::kAbsolute) column.best = V::max(column.best, h);
        }
    } else {
        const Vector a = V::wrapping_add(e_left, h_left), b = V::wrapping_add(column.gap, column.h);
        const Vector z = V::max(V::max(score, a), b);
        h = V::wrapping_subtract(z, column.h);
        column.h = V::wrapping_subtract(z, h_left);
        const Vector less = V::wrapping_subtract(z, constants.open);
        if constexpr (kBytes) {
            e = V::subtract(a, less);
            column.gap = V::subtract(b, less);
        } else {
            e = V::max(V::wrapping_subtract(a, less), constants.zero);
            column.gap = V::max(V::wrapping_subtract(b, less), constants.zero);
        }
    }
    if constexpr (kAbsolute) column.h = h;
    V::store(h_row, h);
    V::store(e_row, e);
}

template <class Set, std::size_t lane_bytes, PairKernel kKernel, bool kLookUp>
void pair_steps(const PairSteps& task) {
    using V = PairLanes<Set, lane_bytes>;
    using V8 = typename Set::U8;
    using Lane = typename V::Lane;
    using Vector = typename V::Vector;
    constexpr bool kAbsolute = kKernel != PairKernel::kDifferences, kRaised = kRaisedRows<kKernel, lane_bytes>,
                   kMaximaByRow = kKernel == PairKernel::kAbsolute && !kRaised;
    const std::size_t rows = task.rows_per_lane;
    Lane* const carry = static_cast<Lane*>(task.carry);
    PairConstants<Set, V> constants;
    constants.h = static_cast<Lane*>(task.h);
    constants.gap = static_cast<Lane*>(task.gap);
    constants.row_letters = task.row_letters;
    constants.open = V::set(static_cast<Lane>(task.gap_open));
    constants.extend = V::set(static_cast<Lane>(task.gap_extend));
    constants.first = V::set(static_cast<Lane>(task.gap_open + task.gap_extend));
    constants.zero = V::set(static_cast<Lane>(task.zero));
    constants.bias = V::set(static_cast<Lane>(task.score_bias));
    constants.from_top = LaneMasks<V>::from(task.top_lane);
    constants.letters = constants.table = V8::set(0);
    if constexpr (kLookUp) constants.table = V8::load_table(task.table);
    StepScores<Set, kKernel == PairKernel::kDirections ? WordsCode::kDirections
                    : lane_bytes == 1                  ? WordsCode::kLoop
                                                       : WordsCode::kFunction>
        scores;
    if constexpr (!kLookUp) scores.begin(task);
    // H and F of the lanes' last rows in the step before, and H in the step before that one. All
    // are rotated, so that they stand in the lane that takes them.
    Vector h_above = V::load(carry), gap_above = V::load(carry + V::kLanes), h_before = V::load(carry + 2 * V::kLanes);
    PairColumn<V> column;
    column.best = V::load(static_cast<const Lane*>(task.best));
    std::size_t next_crossing = 0;
    RaisedRows<V, kRaised> raised;
    Lane corner_rise = 0, above_rise = 0, below_h_rise = 0, below_gap_rise = 0;
    Vector gap_fall = constants.zero;  // from the last row of a lane to the first one of the next
    if constexpr (kRaised) {
        raised.begin(task);
        constants.zeros = raised.zeros;
        constants.limits = raised.limits;
        const auto extend = static_cast<std::size_t>(task.gap_extend);
        corner_rise = static_cast<Lane>((task.padding - 1) * extend);
        above_rise = static_cast<Lane>(task.padding * extend);
        below_h_rise = static_cast<Lane>((rows - 1) * extend);
        below_gap_rise = static_cast<Lane>(rows * extend);
        gap_fall = V::set(static_cast<Lane>(rows * extend));
        h_above = V::wrapping_add(h_above, V::set(below_h_rise));
        gap_above = V::wrapping_add(gap_above, gap_fall);
        h_before = V::wrapping_subtract(h_before, constants.extend);
    }

    LeftColumn<V> left_column;
    if (task.begin < task.top_lane) left_column.keep(task);
    for (std::size_t step = task.begin; step < task.end; ++step) {
        const std::size_t at = step - task.begin;
        if constexpr (kLookUp) {
            constants.letters = V8::load_unaligned(task.letters + step);
        } else {
            scores.fill(task, step);
        }
        if constexpr (kKernel == PairKernel::kDirections)
            constants.directions = task.directions + step * rows * V::kLanes;
        column.diagonal = h_before;
        column.h = h_before = V::rotate_down(h_above);
        column.gap = V::rotate_down(gap_above);
        if constexpr (kRaised) {
            h_before = V::wrapping_subtract(h_before, gap_fall);
            column.gap = V::wrapping_subtract(column.gap, gap_fall);
            column.excess = V::no_excess();
        }
        // The padding rows of the top lane come first, and their maxima do not count. Then the
        // values that enter the top lane from above are set, and the other rows follow.
        const Vector best_before = column.best;
        std::size_t r = 0;
#pragma GCC unroll 1
        for (; r < task.padding; ++r)
            pair_row<Set, lane_bytes, kKernel, kLookUp>(scores.scores(), r, constants, column);
        column.gap =
            V::select(constants.from_top,
                      V::set(static_cast<Lane>(static_cast<const Lane*>(task.above_gap)[at] + above_rise)), column.gap);
        if constexpr (kAbsolute) {
            column.diagonal = V::select(
                constants.from_top,
                V::set(static_cast<Lane>(static_cast<const Lane*>(task.corner_h)[at] + corner_rise)), column.diagonal);
        } else {
            column.h = V::select(constants.from_top, V::set(static_cast<const Lane*>(task.above_h)[at]), column.h);
        }
        if constexpr (kMaximaByRow) column.best = V::select(constants.from_top, best_before, column.best);
#pragma GCC unroll 2
        for (; r < rows; ++r) pair_row<Set, lane_bytes, kKernel, kLookUp>(scores.scores(), r, constants, column);
        h_above = column.h;
        gap_above = column.gap;
        if (step < task.top_lane) [[unlikely]] {
            left_column.put_back(task, step);
            if constexpr (kAbsolute) h_above = V::load(constants.h + (rows - 1) * V::kLanes);
            if constexpr (kMaximaByRow) column.best = V::select(active_lanes<V>(task, step), column.best, best_before);
        }
        static_cast<Lane*>(task.below_h)[at] = static_cast<Lane>(V::first(h_above) - below_h_rise);
        static_cast<Lane*>(task.below_gap)[at] = static_cast<Lane>(V::first(gap_above) - below_gap_rise);
        if constexpr (kRaised) {
            if (V::any_excess(column.excess)) [[unlikely]] {
                const bool crossing = next_crossing < task.crossing_count && step > task.crossings[next_crossing].step;
                column.best = raised.take_maxima(task, step, column.best, !crossing);
            }
        }
        if (next_crossing < task.crossing_count && step >= task.crossings[next_crossing].step)
            cross_checkpoints<V, kRaised>(task, step, next_crossing, kAbsolute ? &column.best : nullptr, raised);
    }
    if constexpr (kRaised) {
        raised.end(task);
        h_above = V::wrapping_subtract(h_above, V::set(below_h_rise));
        gap_above = V::wrapping_subtract(gap_above, gap_fall);
        h_before = V::wrapping_add(h_before, constants.extend);
    }
    V::store(carry, h_above);
    V::store(carry + V::kLanes, gap_above);
    V::store(carry + 2 * V::kLanes, h_before);
    V::store(static_cast<Lane*>(task.best), column.best);
}

template <class Set, std::size_t lane_bytes, PairKernel kKernel>
void run_pair_steps(const PairSteps& task) {
    if constexpr (lane_bytes == 1 && Set::U8::kTableEntries > 0) {
        if (task.word_bytes == 0) return pair_steps<Set, lane_bytes, kKernel, true>(task);
    }
    pair_steps<Set, lane_bytes, kKernel, false>(task);
}

}  // namespace warpseq::simd
