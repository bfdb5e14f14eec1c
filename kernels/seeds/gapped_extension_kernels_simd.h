// The kernel of kernels/seeds/gapped_extension_simd.h, written once as a template over a vector
// set. This file is included only inside the target region of each
// kernels/backends/backend_table_<instruction set>.cpp.
//
// The lanes of a vector are consecutive columns, 32 bits each, from a multiple of the number of
// lanes on. The gap along the row is a prefix maximum, as in
// kernels/smith_waterman/local_alignment_kernels_simd.h. This is exact because a gap that is opened
// from a cell which ends a gap is never better than continuing that gap. The prefix maximum may
// include cells that are dropped later (kernels/seeds/gapped_extension_simd.h). Only the limit for
// dropping depends on the cells before it in the row. If a vector has a new best score, another
// prefix maximum gives the limit of each lane.

namespace warpseq::simd {

/// Constants by column. `number` is the column's number, and `gaps` has all bits set where a
/// restricted gap may be.
struct ColumnPattern {
    static constexpr std::size_t kMostLanes = 16;
    alignas(64) std::int32_t number[kMostLanes];
    alignas(64) std::int32_t gaps[ExtensionRowTask::kGapSpacing + kMostLanes];
    constexpr ColumnPattern() : number(), gaps() {
        for (std::size_t j = 0; j < kMostLanes; ++j) number[j] = static_cast<std::int32_t>(j);
        for (std::size_t j = 0; j < ExtensionRowTask::kGapSpacing + kMostLanes; ++j) {
            gaps[j] = j % ExtensionRowTask::kGapSpacing == 0 ? -1 : 0;
        }
    }
};
// Each kernel table has its own copy, because translation units with and without sanitizers must
// not share a variable.
constexpr ColumnPattern kColumnPattern;

template <class V, std::size_t n>
WARPSEQ_SIMD typename V::Vector prefix_query_gap(typename V::Vector gap, typename V::Vector nothing,
                                                 std::int32_t gap_extend) {
    const typename V::Vector cost = V::set(static_cast<std::int32_t>(n) * gap_extend);
    const typename V::Vector carried = V::max(gap, V::wrapping_subtract(V::template shift_up<n>(gap, nothing), cost));
    if constexpr (2 * n < V::kLanes) {
        return prefix_query_gap<V, 2 * n>(carried, nothing, gap_extend);
    } else {
        return carried;
    }
}

template <class V, std::size_t n>
WARPSEQ_SIMD typename V::Vector prefix_max(typename V::Vector v, typename V::Vector nothing) {
    const typename V::Vector carried = V::max(v, V::template shift_up<n>(v, nothing));
    if constexpr (2 * n < V::kLanes) {
        return prefix_max<V, 2 * n>(carried, nothing);
    } else {
        return carried;
    }
}

template <class Set, bool kWantSteps, bool kRestricted>
void extend_row_as(ExtensionRowTask& task) {
    using V = typename Set::I32;
    using Vector = typename V::Vector;
    constexpr auto kLanes = static_cast<std::int64_t>(V::kLanes);
    const Vector nothing = V::set(kDroppedCell);
    const Vector gap_first = V::set(task.gap_first), gap_extend = V::set(task.gap_extend);
    const Vector drop_and_one = V::set(task.x_drop + 1);
    const Vector lane_number = V::load(kColumnPattern.number);
    const Vector lane_extend = V::load(task.extend_costs);
    alignas(64) std::int32_t lanes[V::kLanes];
    const bool query_gaps = !kRestricted || task.query_gaps;
    const std::int32_t vector_extend = task.gap_extend * static_cast<std::int32_t>(kLanes);

    Vector best = V::set(task.best_raw);
    std::int32_t carry = kDroppedCell;  // the gap in the query that reaches the vector's first column
    std::int64_t first_kept = task.size, last_kept = task.first;
    const std::int64_t first_group = task.first / ExtensionRowTask::kGroup * ExtensionRowTask::kGroup;
    for (std::int64_t j = task.first / kLanes * kLanes; j < task.size; j += kLanes) {
        Vector pair =
            V::wrapping_add(V::load_unaligned(task.h_above + j - 1), V::look_up(task.scores, task.letters + j));
        Vector target_gap = V::load(task.gap + j);
        if (j <= task.first) {
            // The band's first column has no neighbour on the left.
            const Vector before = V::set(static_cast<std::int32_t>(task.first - j));
            pair = V::where_greater(lane_number, before, pair, nothing);
            target_gap = V::where_greater(before, lane_number, nothing, target_gap);
        }
        if constexpr (kRestricted) {
            const Vector in_gap_column = V::load_unaligned(kColumnPattern.gaps + j % ExtensionRowTask::kGapSpacing);
            target_gap = V::select(in_gap_column, target_gap, nothing);
        }
        const Vector without_query_gap = V::max(pair, target_gap);
        Vector query_gap = nothing, h = without_query_gap;
        if (query_gaps) {
            const Vector leaving = V::wrapping_subtract(without_query_gap, gap_first);
            const Vector inner =
                prefix_query_gap<V, 1>(V::template shift_up<1>(leaving, nothing), nothing, task.gap_extend);
            query_gap = V::max(inner, V::wrapping_subtract(V::set(carry), lane_extend));
            h = V::max(h, query_gap);
            V::store(lanes, V::max(V::wrapping_subtract(inner, gap_extend), leaving));
            const std::int32_t opened_last = lanes[kLanes - 1];
            carry -= vector_extend;
            carry = carry > opened_last ? carry : opened_last;
            carry = carry > kDroppedCell ? carry : kDroppedCell;
        }
        if (j + kLanes > task.size)
            h = V::where_greater(V::set(static_cast<std::int32_t>(task.size - j)), lane_number, h, nothing);

        Vector limit = V::wrapping_subtract(best, drop_and_one);
        if (V::any_greater(h, best)) {
            const Vector highest = prefix_max<V, 1>(h, nothing);
            limit = V::wrapping_subtract(V::max(best, V::template shift_up<1>(highest, nothing)), drop_and_one);
            V::store(lanes, highest);
            task.best_raw = lanes[kLanes - 1];
            best = V::set(task.best_raw);
            task.best_column = j + __builtin_ctz(V::greater_mask(h, V::set(task.best_raw - 1)));
        }
        const std::uint32_t kept = V::greater_mask(h, limit);
        if (kept != 0) {
            if (first_kept == task.size) first_kept = j + __builtin_ctz(kept);
            last_kept = j + 31 - __builtin_clz(kept);
        }

        const Vector opened = V::wrapping_subtract(h, gap_first);
        const Vector target_gap_on = V::wrapping_subtract(target_gap, gap_extend);
        const Vector query_gap_on = V::wrapping_subtract(query_gap, gap_extend);
        if constexpr (kWantSteps) {
            const Vector zero = V::set(0);
            Vector step = V::where_greater(target_gap, pair, V::set(kStepTargetGap), zero);
            step = V::where_greater(query_gap, without_query_gap, V::set(kStepQueryGap), step);
            step = V::bit_or(step, V::where_greater(opened, target_gap_on, zero, V::set(kTargetGapGoesOn)));
            step = V::bit_or(step, V::where_greater(opened, query_gap_on, zero, V::set(kQueryGapGoesOn)));
            V::store_bytes(task.steps + (j - first_group), step);
        }
        V::store(task.h + j, V::where_greater(h, limit, h, nothing));
        V::store(task.gap + j, V::where_greater(h, limit, V::max(target_gap_on, opened), nothing));
        if (j + kLanes >= task.size && query_gaps) {
            V::store(lanes, V::max(query_gap_on, opened));
            task.query_gap = lanes[task.size - 1 - j];
        }
    }
    task.first_kept = first_kept;
    task.last_kept = last_kept;
}

template <class Set>
void extend_row(ExtensionRowTask& task) {
    if (task.steps) {
        extend_row_as<Set, true, false>(task);
    } else if (task.every_target_gap) {
        extend_row_as<Set, false, false>(task);
    } else {
        extend_row_as<Set, false, true>(task);
    }
}

}  // namespace warpseq::simd
