// The kernel of tall strips, for local sweeps in bytes. This file is included only inside a target
// region.
#pragma once

#include "kernels/pair/pair_lanes_simd.h"

namespace warpseq::simd {

/// Sweeps a tall strip (Farrar, Bioinformatics 23:156, 2007). All lanes are in the same column, so
/// scores are loaded from a profile without further operations. F that leaves a lane enters the
/// lane below when the column is done. Further passes carry it down until it matters in no lane. It
/// does not matter if it is not above what h opens. It does not matter either if it is so low that
/// it would leave the lane's last row below what any h >= 0 opens there. Passes are few, because F
/// rarely goes far in unrelated sequences and a lane has many rows. E is corrected as well, so all
/// checkpoints are exact.
template <class Set>
void pair_columns(PairColumns& task) {
    using V = typename Set::U8;
    using Lane = typename V::Lane;
    using Vector = typename V::Vector;
    constexpr std::size_t kLanes = V::kLanes;
    constexpr bool kMask = sizeof(typename V::Excess) < sizeof(Vector);
    const std::size_t rows = task.rows_per_lane;
    Lane *const h_column = task.h, *const e_column = task.gap;
    const int open_cost = task.gap_open, extend_cost = task.gap_extend, first_cost = open_cost + extend_cost;
    const int zero_level = task.zero;
    const Vector open = V::set(static_cast<Lane>(open_cost)), extend = V::set(static_cast<Lane>(extend_cost)),
                 first = V::set(static_cast<Lane>(first_cost)), zero = V::set(static_cast<Lane>(zero_level)),
                 none = V::set(static_cast<Lane>(zero_level - first_cost)), top = LaneMasks<V>::from(kLanes - 1);
    Lane best = task.best;
    Vector limit = V::set(best);
    for (std::size_t column = 0; column < task.count; ++column) {
        const std::uint8_t* const scores = task.profiles[task.target[column]];
        // Notes whether any value is above the limit. On instruction sets where an Excess is a
        // mask, this takes no maximum. On the others a maximum is cheaper.
        auto excess = V::no_excess();
        Vector highest = limit;
        const auto note = [&](const Vector& h) __attribute__((always_inline)) {
            if constexpr (kMask) {
                excess = V::with_excess(excess, h, limit);
            } else {
                highest = V::max(highest, h);
            }
        };
        Vector f = none, diagonal = V::select(top, zero, V::rotate_down(V::load(h_column + (rows - 1) * kLanes)));
        const auto sweep_rows = [&](std::size_t from, std::size_t to) __attribute__((always_inline)) {
#pragma GCC unroll 4
            for (std::size_t at = from * kLanes; at < to * kLanes; at += kLanes) {
                const Vector e_left = V::load(e_column + at);
                const Vector match = V::wrapping_add(diagonal, V::load(scores + at));
                diagonal = V::load(h_column + at);
                const Vector h = V::max(V::max(V::max(match, e_left), zero), f);
                const Vector opened = V::wrapping_subtract(h, first);
                V::store(h_column + at, h);
                V::store(e_column + at, V::max(V::wrapping_subtract(e_left, extend), opened));
                f = V::max(V::wrapping_subtract(f, extend), opened);
                note(h);
            }
        };
        sweep_rows(0, task.padding);
        diagonal = V::select(top, V::set(task.corner_h[column]), diagonal);
        f = V::select(top, V::set(task.above_gap[column]), f);
        sweep_rows(task.padding, rows);

        Lane below = V::first(f);
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            f = V::select(top, none, V::rotate_down(f));
            std::size_t r = 0;
            for (int spent = static_cast<int>(rows) * extend_cost; r < rows; ++r, spent -= extend_cost) {
                const Vector least = V::set(static_cast<Lane>(zero_level - std::max(0, first_cost - spent)));
                Lane *const h_row = h_column + r * kLanes, *const e_row = e_column + r * kLanes;
                const Vector h_before = V::load(h_row), bound = V::max(V::wrapping_subtract(h_before, open), least);
                if (!V::any_excess(V::with_excess(V::no_excess(), f, bound))) break;
                const Vector h = V::max(h_before, f);
                V::store(h_row, h);
                V::store(e_row, V::max(V::load(e_row), V::wrapping_subtract(h, first)));
                note(h);
                f = V::subtract(f, extend);
            }
            if (r < rows) break;
            below = std::max(below, V::first(f));
        }
        task.below_h[column] = h_column[(rows - 1) * kLanes];
        task.below_gap[column] = below;
        if constexpr (!kMask) excess = V::with_excess(excess, highest, limit);
        if (V::any_excess(excess)) [[unlikely]] {
            for (std::size_t at = 0; at < rows * kLanes; at += kLanes)
                highest = V::max(highest, V::load(h_column + at));
            best = V::greatest(highest);
            limit = V::set(best);
        }
    }
    task.best = best;
}

}  // namespace warpseq::simd
