// The kernel of kernels/seeds/gapped_extension_simd.h, written once as a template over a vector
// set. This file is included only inside the target region of each
// kernels/backends/backend_table_<instruction set>.cpp.
//
// The lanes of a vector are consecutive columns, 32 or 16 bits each, from a multiple of the number
// of lanes on. The gap along the row is a prefix maximum, as in
// kernels/smith_waterman/local_alignment_kernels_simd.h. This is exact because a gap that is opened
// from a cell which ends a gap is never better than continuing that gap. The prefix maximum may
// include cells that are dropped later (kernels/seeds/gapped_extension_simd.h). Only the limit for
// dropping depends on the cells before it in the row. If a vector has a new best score, another
// prefix maximum gives the limit of each lane.

namespace warpseq::simd {

/// Constants by column. `number` is the column's number, and `gaps` has all bits set where a
/// restricted gap may be.
template <class Lane>
struct ColumnPattern {
    static constexpr std::size_t kMostLanes = 64 / sizeof(Lane), kSpacing = ExtensionRowTask<Lane>::kGapSpacing;
    alignas(64) Lane number[kMostLanes];
    alignas(64) Lane gaps[kSpacing + kMostLanes];
    constexpr ColumnPattern() : number(), gaps() {
        for (std::size_t j = 0; j < kMostLanes; ++j) number[j] = static_cast<Lane>(j);
        for (std::size_t j = 0; j < kSpacing + kMostLanes; ++j) gaps[j] = j % kSpacing == 0 ? -1 : 0;
    }
};
// Each kernel table has its own copy, because translation units with and without sanitizers must
// not share a variable.
template <class Lane>
static constexpr ColumnPattern<Lane> kColumnPattern;

// Sums saturate in 16 bits. In 32 bits they stay in range.
template <class V>
static constexpr bool kSaturates = sizeof(typename V::Lane) == 2;
template <class V>
WARPSEQ_SIMD typename V::Vector plus(typename V::Vector a, typename V::Vector b) {
    return kSaturates<V> ? V::add(a, b) : V::wrapping_add(a, b);
}
template <class V>
WARPSEQ_SIMD typename V::Vector minus(typename V::Vector a, typename V::Vector b) {
    return kSaturates<V> ? V::subtract(a, b) : V::wrapping_subtract(a, b);
}

template <class V>
WARPSEQ_SIMD typename V::Vector pair_scores_of(const typename V::Lane* scores, const ResidueCode* letters) {
    if constexpr (kSaturates<V>) {
        return V::lookup(scores, V::indices(V::load_widened(reinterpret_cast<const std::int8_t*>(letters))));
    } else {
        return V::look_up(scores, letters);
    }
}

template <class V, std::size_t n>
WARPSEQ_SIMD typename V::Vector prefix_max(typename V::Vector v, typename V::Vector nothing) {
    const typename V::Vector carried = V::max(v, V::template shift_in<n>(v, nothing));
    if constexpr (2 * n < V::kLanes) {
        return prefix_max<V, 2 * n>(carried, nothing);
    } else {
        return carried;
    }
}

template <class V, bool kWantSteps, bool kRestricted>
void extend_row_as(ExtensionRowTask<typename V::Lane>& task) {
    using Lane = typename V::Lane;
    using Task = ExtensionRowTask<Lane>;
    using Vector = typename V::Vector;
    constexpr auto kLanes = static_cast<std::int64_t>(V::kLanes);
    // The arrays may be bytes, so the compiler takes each store to them for one to the task. It
    // keeps copies in registers.
    const Lane* const scores = task.scores;
    const ResidueCode* const letters = task.letters;
    const Lane* const h_above = task.h_above;
    Lane* const h_out = task.h;
    Lane* const gap = task.gap;
    const std::int64_t first = task.first, size = task.size;
    const bool query_gaps = !kRestricted || task.query_gaps;
    const Vector nothing = V::set(Task::kDropped);
    const Vector gap_first = V::set(static_cast<Lane>(task.gap_first)),
                 gap_extend = V::set(static_cast<Lane>(task.gap_extend));
    const Vector vector_extend = V::set(static_cast<Lane>(task.gap_extend * static_cast<std::int32_t>(kLanes)));
    const Vector drop_and_one = V::set(static_cast<Lane>(task.x_drop + 1));
    const Vector lane_number = V::load(kColumnPattern<Lane>.number);
    const Vector lane_extend = V::load(task.extend_costs);
    alignas(64) Lane lanes[V::kLanes];

    auto best_raw = static_cast<Lane>(task.best_raw);
    Vector best = V::set(best_raw);
    Vector carry = nothing;  // the gap in the query that reaches the vector's first column, in all lanes
    Vector above_before = nothing;
    std::int64_t first_kept = size, last_kept = first;
    const std::int64_t first_group = first / Task::kGroup * Task::kGroup;
    for (std::int64_t j = task.first_vector; j < size; j += kLanes) {
        // The diagonal neighbours come from registers. An unaligned load would wait until the
        // stores of the row above have left the store buffer.
        const Vector above = V::load(h_above + j);
        const Vector pair =
            plus<V>(V::template shift_in<1>(above, above_before), pair_scores_of<V>(scores, letters + j));
        above_before = above;
        Vector target_gap = V::load(gap + j);
        if constexpr (kRestricted) {
            const Vector in_gap_column = V::load_unaligned(kColumnPattern<Lane>.gaps + j % Task::kGapSpacing);
            target_gap = V::select(in_gap_column, target_gap, nothing);
        }
        const Vector without_query_gap = V::max(pair, target_gap);
        Vector query_gap = nothing, h = without_query_gap;
        if (query_gaps) {
            const Vector leaving = minus<V>(without_query_gap, gap_first);
            const Vector reaching = plus<V>(V::template shift_in<1>(leaving, nothing), lane_extend);
            const Vector inner = minus<V>(prefix_max<V, 1>(reaching, nothing), lane_extend);
            query_gap = V::max(inner, minus<V>(carry, lane_extend));
            h = V::max(h, query_gap);
            const Vector behind = V::max(minus<V>(inner, gap_extend), leaving);
            carry = V::max(minus<V>(carry, vector_extend), V::last_in_all(behind));
        }
        if (j + kLanes > size) h = V::where_greater(V::set(static_cast<Lane>(size - j)), lane_number, h, nothing);

        Vector limit = minus<V>(best, drop_and_one);
        if (V::any_greater(h, best)) {
            const Vector highest = prefix_max<V, 1>(h, nothing);
            limit = minus<V>(V::max(best, V::template shift_in<1>(highest, nothing)), drop_and_one);
            best = V::last_in_all(highest);
            best_raw = V::first(best);
            task.best_column = j + __builtin_ctz(V::greater_mask(h, V::set(static_cast<Lane>(best_raw - 1))));
        }
        const std::uint32_t kept = V::greater_mask(h, limit);
        if (kept != 0) {
            if (first_kept == size) first_kept = j + __builtin_ctz(kept);
            last_kept = j + 31 - __builtin_clz(kept);
        }

        const Vector opened = minus<V>(h, gap_first);
        const Vector target_gap_on = minus<V>(target_gap, gap_extend);
        const Vector query_gap_on = minus<V>(query_gap, gap_extend);
        if constexpr (kWantSteps) {
            const Vector zero = V::set(0);
            Vector step = V::where_greater(target_gap, pair, V::set(kStepTargetGap), zero);
            step = V::where_greater(query_gap, without_query_gap, V::set(kStepQueryGap), step);
            step = V::bit_or(step, V::where_greater(opened, target_gap_on, zero, V::set(kTargetGapGoesOn)));
            step = V::bit_or(step, V::where_greater(opened, query_gap_on, zero, V::set(kQueryGapGoesOn)));
            V::store_bytes(task.steps + (j - first_group), step);
        }
        V::store(h_out + j, V::where_greater(h, limit, h, nothing));
        V::store(gap + j, V::where_greater(h, limit, V::max(target_gap_on, opened), nothing));
        if (j + kLanes >= size && query_gaps) {
            V::store(lanes, V::max(query_gap_on, opened));
            task.query_gap = lanes[size - 1 - j];
        }
    }
    task.best_raw = best_raw;
    task.first_kept = first_kept;
    task.last_kept = last_kept;
}

template <class V>
void extend_row(ExtensionRowTask<typename V::Lane>& task) {
    if (task.steps) {
        extend_row_as<V, true, false>(task);
    } else if (task.every_target_gap) {
        extend_row_as<V, false, false>(task);
    } else {
        extend_row_as<V, false, true>(task);
    }
}

/// Returns extend_row in 16 bits, or nullptr if the set has no look-up in 16 bits.
template <class Set>
constexpr auto extend_row_16_bit_if_any() -> void (*)(ExtensionRowTask<std::int16_t>&) {
    if constexpr (requires { typename Set::I16::Indices; }) {
        return extend_row<typename Set::I16>;
    } else {
        return nullptr;
    }
}
/// Returns the function that fills a table for this look-up, or nullptr.
template <class Set>
constexpr auto fill_extension_scores_if_any() -> void (*)(const std::int16_t*, std::int16_t*) {
    if constexpr (requires { typename Set::I16::Indices; }) {
        return Set::I16::fill_table;
    } else {
        return nullptr;
    }
}

}  // namespace warpseq::simd
