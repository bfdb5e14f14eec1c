// The state of a skewed strip besides its cells: the column left of lanes that have not begun, the
// thresholds of raised rows, and column checkpoints. This file is included only inside a target
// region.
#pragma once

#include "kernels/pair/pair_lanes_simd.h"

namespace warpseq::simd {

/// Returns the mask of the lanes that have begun in a step.
template <class V>
WARPSEQ_SIMD typename V::Vector active_lanes(const PairSteps& task, std::size_t step) {
    return LaneMasks<V>::from(step < task.top_lane ? task.top_lane - step : 0);
}

/// The cells of the column left of the strip, for lanes that have not begun.
template <class V>
class LeftColumn {
    using Lane = typename V::Lane;

   public:
    [[gnu::noinline]] void keep(const PairSteps& task) {
        const std::size_t cells = task.rows_per_lane * V::kLanes;
        __builtin_memcpy(h_, task.h, cells * sizeof(Lane));
        __builtin_memcpy(gap_, task.gap, cells * sizeof(Lane));
    }
    [[gnu::always_inline]] inline void put_back(const PairSteps& task, std::size_t step) const {
        const auto active = active_lanes<V>(task, step);
        Lane *const h = static_cast<Lane*>(task.h), *const gap = static_cast<Lane*>(task.gap);
#pragma GCC unroll 1
        for (std::size_t at = 0; at < task.rows_per_lane * V::kLanes; at += V::kLanes) {
            V::store(h + at, V::select(active, V::load(h + at), V::load(h_ + at)));
            V::store(gap + at, V::select(active, V::load(gap + at), V::load(gap_ + at)));
        }
    }

   private:
    alignas(64) Lane h_[kMostLaneRows * V::kLanes];
    alignas(64) Lane gap_[kMostLaneRows * V::kLanes];
};

/// The numbers that the kernel with raised rows keeps for each row, raised like the row: zero, and
/// the thresholds of the lanes.
template <class V, bool kRaised>
struct RaisedRows {};

template <class V>
struct RaisedRows<V, true> {
    using Lane = typename V::Lane;
    using Vector = typename V::Vector;
    alignas(64) Lane zeros[kMostLaneRows * V::kLanes];
    alignas(64) Lane limits[kMostLaneRows * V::kLanes];
    alignas(64) Lane threshold[V::kLanes];  // not raised

    [[gnu::always_inline]] inline Lane rise_of(const PairSteps& task, std::size_t r) const {
        return static_cast<Lane>(r * static_cast<std::size_t>(task.gap_extend));
    }
    [[gnu::always_inline]] inline void begin(const PairSteps& task) {
        for (std::size_t r = 0; r < task.rows_per_lane; ++r) {
            const Vector rise = V::set(rise_of(task, r));
            Lane *const h = static_cast<Lane*>(task.h) + r * V::kLanes, *const gap = static_cast<Lane*>(task.gap) +
                                                                                     r * V::kLanes;
            V::store(h, V::wrapping_add(V::load(h), rise));
            V::store(gap, V::wrapping_add(V::load(gap), rise));
            V::store(zeros + r * V::kLanes, V::set(static_cast<Lane>(task.zero + rise_of(task, r))));
        }
        V::store(threshold, V::load(static_cast<const Lane*>(task.threshold)));
        set_limits(task);
    }
    [[gnu::always_inline]] inline void end(const PairSteps& task) {
        for (std::size_t r = 0; r < task.rows_per_lane; ++r) {
            const Vector rise = V::set(rise_of(task, r));
            Lane *const h = static_cast<Lane*>(task.h) + r * V::kLanes, *const gap = static_cast<Lane*>(task.gap) +
                                                                                     r * V::kLanes;
            V::store(h, V::wrapping_subtract(V::load(h), rise));
            V::store(gap, V::wrapping_subtract(V::load(gap), rise));
        }
        V::store(static_cast<Lane*>(task.threshold), V::load(threshold));
    }
    /// Sets the limits of all rows. Rows that do not exist have no limit.
    [[gnu::always_inline]] inline void set_limits(const PairSteps& task) {
        const Vector none = V::set(V::kHighest), top = LaneMasks<V>::from(task.top_lane),
                     above = LaneMasks<V>::from(task.top_lane + 1);
        const Vector level = V::load(threshold);
        for (std::size_t r = 0; r < task.rows_per_lane; ++r) {
            const Vector limit = V::add(level, V::set(rise_of(task, r)));
            V::store(limits + r * V::kLanes, V::select(r < task.padding ? top : above, none, limit));
        }
    }
    /// Takes the maximum of each lane in the finished step, and sets the thresholds by them. All
    /// lanes get the same threshold if they are in one block.
    [[gnu::noinline]] Vector take_maxima(const PairSteps& task, std::size_t step, Vector best, bool one_block) {
        const Vector zero = V::set(static_cast<Lane>(task.zero)), top = LaneMasks<V>::from(task.top_lane),
                     active = active_lanes<V>(task, step);
        for (std::size_t r = 0; r < task.rows_per_lane; ++r) {
            Vector h = V::wrapping_subtract(V::load(static_cast<const Lane*>(task.h) + r * V::kLanes),
                                            V::set(rise_of(task, r)));
            h = V::select(active, h, zero);
            if (r < task.padding) h = V::select(top, zero, h);
            best = V::max(best, h);
        }
        const Vector there = V::select(LaneMasks<V>::from(task.top_lane + 1), zero, best);
        Vector level = V::max(V::load(threshold), there);
        if (one_block) level = V::max(level, V::set(V::greatest(there)));
        V::store(threshold, level);
        set_limits(task);
        return best;
    }
    [[gnu::always_inline]] inline void begin_block(const PairSteps& task, std::size_t lane) {
        threshold[lane] = static_cast<Lane>(task.zero);
        for (std::size_t r = lane == task.top_lane ? task.padding : 0; r < task.rows_per_lane; ++r)
            limits[r * V::kLanes + lane] = static_cast<Lane>(task.zero + rise_of(task, r));
    }
};

template <class V, bool kRaised>
WARPSEQ_SIMD void cross_checkpoints(const PairSteps& task, std::size_t step, std::size_t& next,
                                    typename V::Vector* best, RaisedRows<V, kRaised>& raised) {
    using Lane = typename V::Lane;
    while (next < task.crossing_count && step > task.crossings[next].step + task.top_lane) ++next;
    for (std::size_t k = next; k < task.crossing_count && task.crossings[k].step <= step; ++k) {
        const PairCrossing& crossing = task.crossings[k];
        const std::size_t lane = task.top_lane - (step - crossing.step);
        const Lane *h = static_cast<const Lane*>(task.h) + lane, *gap = static_cast<const Lane*>(task.gap) + lane;
        Lane* const h_out = static_cast<Lane*>(crossing.h) + lane * task.rows_per_lane;
        Lane* const gap_out = static_cast<Lane*>(crossing.gap) + lane * task.rows_per_lane;
        for (std::size_t r = 0; r < task.rows_per_lane; ++r) {
            Lane rise = 0;
            if constexpr (kRaised) rise = raised.rise_of(task, r);
            h_out[r] = static_cast<Lane>(h[r * V::kLanes] - rise);
            gap_out[r] = static_cast<Lane>(gap[r * V::kLanes] - rise);
        }
        if (best != nullptr) {
            alignas(64) Lane lanes[V::kLanes];
            V::store(lanes, *best);
            static_cast<Lane*>(crossing.best)[lane] = lanes[lane];
            lanes[lane] = static_cast<Lane>(task.zero);
            *best = V::load(lanes);
            if constexpr (kRaised) raised.begin_block(task, lane);
        }
    }
}

}  // namespace warpseq::simd
