// The vector kernels of the MSV and Viterbi filters, written once as templates over a vector set
// (kernels/simd/portable.h explains vector sets). The file is included inside the target region of
// each kernels/backends/backend_table_<instruction set>.cpp and nowhere else.
//
// MSV has no gaps. A cell needs only its upper left neighbour, so a lane can follow a diagonal, and
// nothing ever passes between lanes. Lane j starts at node j (from 0) and steps to the next node
// with each residue. Behind the last node it meets a wall, which resets it, and then continues with
// node 0. So M + 1 lanes cover all cells. The scores that neighbouring lanes need are neighbours in
// the profile's row of the residue:
//
//     node      0  1  2  3  4  wall          vector of four lanes, at residue i:
//     i = 0    j0 j1 j2 j3 j4 j5             row(x_0)[0 ..  3]
//     i = 1    j5 j0 j1 j2 j3 j4             row(x_1)[1 ..  4]
//     i = 2    j4 j5 j0 j1 j2 j3             row(x_2)[2 ..  5]   5: the wall
//     i = 3    j3 j4 j5 j0 j1 j2             row(x_3)[3 ..  6]   6: node 0 again
//
// Rows are wrapped around for this purpose. A step is one unaligned load, one addition and one
// maximum. Knudsen's SSV in HMMER 3.1 stripes the model and shifts lanes instead. Lanes beyond M +
// 1 repeat diagonals of other lanes.
//
// SSV of one target. Lanes are signed and -128 is the begin score, so saturation is the entry from
// B. Scores are bias - cost, limited to [-127, 127]. A score of -127 resets any lane that is below
// 0. A lane that has reached 0 means an overflow for the caller (its score is at least 255 - bias),
// so its later values do not matter. A band of vectors stays in registers for a whole target.
//
// SSV of a group has one target per lane. A block of nodes and their score tables stay in registers
// while all residues pass. A step moves each lane to the next node. The values of the block's last
// node are stored, a vector per residue, and are the left border of the next block. A cell costs a
// look-up, an addition and a maximum, but no load. The diagonals above are slower, because most of
// their loads cross a cache line (docs/lab-notes.md).
//
// Full MSV has unsigned lanes, in which 0 is minus infinity. xB depends on the greatest cell of the
// row before. It never falls and rarely rises. So six residues (a word) are computed with an
// unchanged xB. If one of their cells would have raised it, they are computed again one by one.
//
// Viterbi of one target is striped (Farrar 2007). The greatest M of a row decides whether the
// target overflows and whether xB rises. The greatest D decides whether a path through D -> D could
// beat B -> M in the next row. In most rows none of this happens, and comparisons of whole vectors
// show it. Then no maximum over lanes is needed, and the processor can overlap rows.
//
// Viterbi of a group has one target per lane. Nothing passes between lanes, D -> D is part of the
// loop, and xB is a vector. I and D are kept with the transition to M of the next node added: I'(k)
// = I(k) + i-m(k), D'(k) = D(k) + d-m(k). This leaves 14 operations per cell. It changes which
// values saturate at -32768, but it does not change M. With transitions and move of at least
// -10000, entry from B gives every M at least 12000 - 20000 = -8000 before its match score. A path
// that has fallen to -32768 in either form gains at most 10000 on its way to M (the d-m that was
// added early). So it loses against entry from B in both forms.

namespace warpseq::simd {

/// Words, or residues, between two checks of the stop token. With models of a few nodes the checks
/// cost nothing. With tens of thousands of nodes the time between two checks is still only a few
/// milliseconds.
constexpr std::size_t kStepsBetweenLooks = 16;

/// Scores a band of diagonals. kRowBytes is 0 if rows have no fixed size.
template <class V, std::size_t kVectors, std::size_t kRowBytes>
std::int8_t ssv_band(const DiagonalRows& scores, std::size_t first_diagonal, const TargetWords& target) {
    using Vector = typename V::Vector;
    const Vector begin = V::set(V::kFloor);
    Vector lanes[kVectors];
    Vector best[2] = {begin, begin};
#pragma GCC unroll 32
    for (std::size_t v = 0; v < kVectors; ++v) lanes[v] = begin;
    const auto* const rows = reinterpret_cast<const std::int8_t*>(scores.bytes) + first_diagonal;
    const std::uint32_t* word = target.words;
    std::size_t node = 0;
    for (std::size_t w = 0; w < target.count; ++w, word += target.stride) {
        const std::uint32_t codes = *word;
#pragma GCC unroll 6
        for (std::uint32_t r = 0; r < kResiduesPerWord; ++r) {
            const std::size_t code = codes >> (kBitsPerResidue * r) & kResidueMask;
            const std::int8_t* row = rows + node + code * (kRowBytes ? kRowBytes : scores.row_bytes);
            // Makes the compiler keep the address in one register. With two registers, the
            // processor would split every addition with a memory operand into two operations.
            asm("" : "+r"(row));
#pragma GCC unroll 32
            for (std::size_t v = 0; v < kVectors; ++v) {
                lanes[v] = V::add(lanes[v], V::load_widened(row + r + v * V::kLanes));
                best[v % 2] = V::max(best[v % 2], lanes[v]);
            }
        }
        node += kResiduesPerWord;
        node = node >= scores.period ? node - scores.period : node;
    }
    return V::greatest(V::max(best[0], best[1]));
}

template <class V>
void interleaved_ssv(const InterleavedSsvTask& task) {
    using Vector = typename V::Vector;
    constexpr std::size_t kNodes = kInterleavedNodes;
    const Vector begin = V::set(V::kFloor);
    auto* const border = reinterpret_cast<std::int8_t*>(task.border);
    const std::size_t column_lanes = task.column_count * V::kLanes;
    for (std::size_t c = 0; c < column_lanes; c += V::kLanes) V::store(border + c, begin);
    Vector best[2] = {begin, begin};
    for (std::size_t k = 0; k < task.nodes && !task.stop->stop_requested(); k += kNodes) {
        typename V::Table tables[kNodes];
        Vector lanes[kNodes];
#pragma GCC unroll 8
        for (std::size_t n = 0; n < kNodes; ++n) {
            tables[n] = V::load_table(task.scores + (k + n) * kResidueTableSize);
            lanes[n] = begin;
        }
        Vector left = begin;  // node k - 1 at the previous residue
        for (std::size_t c = 0; c < column_lanes; c += V::kLanes) {
            const Vector codes = V::load(reinterpret_cast<const std::int8_t*>(task.columns) + c);
#pragma GCC unroll 8
            for (std::size_t n = kNodes - 1; n > 0; --n) {
                lanes[n] = V::add(lanes[n - 1], V::lookup(tables[n], codes));
                best[n % 2] = V::max(best[n % 2], lanes[n]);
            }
            lanes[0] = V::add(left, V::lookup(tables[0], codes));
            best[0] = V::max(best[0], lanes[0]);
            left = V::load(border + c);
            V::store(border + c, lanes[kNodes - 1]);
        }
    }
    V::store(task.best, V::max(best[0], best[1]));
}

/// Steps all diagonals by `residues` residues of a word with a constant xB. Returns the greatest
/// cell of each lane.
template <class V>
WARPSEQ_SIMD typename V::Vector step_msv(const MsvTask& task, std::uint32_t codes, std::uint32_t residues,
                                         std::size_t node, int xb, const std::uint8_t* from, std::uint8_t* to) {
    using Vector = typename V::Vector;
    const Vector bias = V::set(static_cast<std::uint8_t>(task.bias));
    const Vector begin = V::set(static_cast<std::uint8_t>(xb));
    Vector best = V::set(0);
    for (std::size_t v = 0; v < task.vectors * V::kLanes; v += V::kLanes) {
        Vector lanes = V::load(from + v);
        for (std::uint32_t r = 0; r < residues; ++r) {
            const std::size_t code = codes >> (kBitsPerResidue * r) & kResidueMask;
            const Vector costs = V::load_unaligned(task.costs.bytes + code * task.costs.row_bytes + node + r + v);
            lanes = V::subtract(V::add(V::max(lanes, begin), bias), costs);
            best = V::max(best, lanes);
        }
        V::store(to + v, lanes);
    }
    return best;
}

template <class V>
std::int16_t msv(const MsvTask& task) {
    using Vector = typename V::Vector;
    auto* lanes = reinterpret_cast<std::uint8_t*>(task.diagonals);
    auto* next_lanes = lanes + task.vectors * V::kLanes;
    for (std::size_t v = 0; v < task.vectors; ++v) V::store(lanes + v * V::kLanes, V::set(0));
    const int ceiling = MsvProfile::kCeiling - task.bias;  // a cell from there on is an overflow
    int level = task.base;                                 // max(base, xJ)
    Vector best = V::set(0);
    const std::uint32_t* word = task.target.words;
    std::size_t node = 0;
    for (std::size_t w = 0; w < task.target.count; ++w, word += task.target.stride) {
        if (w % kStepsBetweenLooks == 0 && task.stop->stop_requested()) break;
        int xb = std::max(level - task.to_match, 0);
        const int quiet = std::min(level + task.end, ceiling - 1);  // cells up to this change nothing
        const Vector word_best = step_msv<V>(task, *word, kResiduesPerWord, node, xb, lanes, next_lanes);
        if (quiet < 0 || V::any_greater(word_best, V::set(static_cast<std::uint8_t>(quiet)))) {
            const std::uint8_t* from = lanes;
            for (std::uint32_t r = 0; r < kResiduesPerWord; ++r) {
                const std::uint32_t codes = *word >> (kBitsPerResidue * r);
                const Vector row_best = step_msv<V>(task, codes, 1, node + r, xb, from, next_lanes);
                const int xe = V::greatest(row_best);
                if (xe >= ceiling) return kMsvOverflow;
                best = V::max(best, row_best);
                level = std::max(level, xe - task.end);
                xb = std::max(level - task.to_match, 0);
                from = next_lanes;
            }
        } else {
            best = V::max(best, word_best);
        }
        std::swap(lanes, next_lanes);
        node += kResiduesPerWord;
        node = node >= task.costs.period ? node - task.costs.period : node;
    }
    return static_cast<std::int16_t>(std::max(V::greatest(best) - task.end, 0));
}

/// Returns the highest lane value that is not above `limit`. It is never 32767, so that comparisons
/// always notice a lane with 32767.
inline std::int16_t lane_of_limit(int limit) {
    return static_cast<std::int16_t>(std::clamp(limit, INT16_MIN + 0, INT16_MAX - 1));
}

/// Adds the paths D -> D of a row. `carried` is the D that leaves the last segment by M -> D.
template <class V>
void complete_deletes(const ViterbiTask& task, std::int16_t* deletes, typename V::Vector carried) {
    using Vector = typename V::Vector;
    const Vector minus_infinity = V::set(V::kFloor);
    const std::size_t row_lanes = task.segments * V::kLanes;
    Vector d = V::template shift_up<1>(carried, minus_infinity);
    for (std::size_t s = 0; s < row_lanes; s += V::kLanes) {
        d = V::max(d, V::load(deletes + s));
        V::store(deletes + s, d);
        d = V::add(d, V::load(task.delete_delete + s));
    }
    // The paths go from lane to lane until no cell changes. This ends, because D -> D never adds to
    // a score.
    for (;;) {
        d = V::template shift_up<1>(d, minus_infinity);
        for (std::size_t s = 0; s < row_lanes; s += V::kLanes) {
            const Vector here = V::load(deletes + s);
            if (!V::any_greater(d, here)) return;
            d = V::max(d, here);
            V::store(deletes + s, d);
            d = V::add(d, V::load(task.delete_delete + s));
        }
    }
}

template <class V>
std::int16_t viterbi(const ViterbiTask& task) {
    using Vector = typename V::Vector;
    constexpr std::size_t kLanes = V::kLanes;
    const Vector minus_infinity = V::set(V::kFloor);
    const std::size_t row_lanes = task.segments * kLanes;
    std::int16_t* const matches = task.states;
    std::int16_t* const inserts = matches + row_lanes;
    std::int16_t* const deletes = inserts + row_lanes;
    for (std::size_t s = 0; s < 3 * row_lanes; s += kLanes) V::store(task.states + s, minus_infinity);

    Vector best = minus_infinity;
    int level = task.base;  // max(xJ, base)
    int xb = level + task.move;
    // A row does not raise xB if none of its M is above quiet_match. It needs no D -> D if none of
    // its D is above quiet_delete.
    Vector quiet_match = V::set(lane_of_limit(level - task.end));
    Vector quiet_delete = V::set(lane_of_limit(xb - task.delete_bound));
    for (std::size_t i = 0; i < task.target_residues; ++i) {
        if (i % kStepsBetweenLooks == 0 && task.stop->stop_requested()) break;
        const std::int16_t* scores = task.match + task.target[i] * row_lanes;
        const std::int16_t* transitions = task.transitions;
        const Vector begin = V::set(static_cast<std::int16_t>(xb));
        Vector match = V::template shift_up<1>(V::load(matches + row_lanes - kLanes), minus_infinity);
        Vector insert = V::template shift_up<1>(V::load(inserts + row_lanes - kLanes), minus_infinity);
        Vector del = V::template shift_up<1>(V::load(deletes + row_lanes - kLanes), minus_infinity);
        Vector next_delete = minus_infinity;
        Vector row_best = minus_infinity, delete_best = minus_infinity;
        for (std::size_t s = 0; s < row_lanes; s += kLanes, transitions += kStripedTransitions * kLanes) {
            Vector here = V::add(begin, V::load(transitions));
            here = V::max(here, V::add(match, V::load(transitions + kLanes)));
            here = V::max(here, V::add(insert, V::load(transitions + 2 * kLanes)));
            here = V::max(here, V::add(del, V::load(transitions + 3 * kLanes)));
            here = V::add(here, V::load(scores + s));
            row_best = V::max(row_best, here);
            match = V::load(matches + s);
            insert = V::load(inserts + s);
            del = V::load(deletes + s);
            V::store(matches + s, here);
            V::store(deletes + s, next_delete);
            next_delete = V::add(here, V::load(transitions + 4 * kLanes));
            delete_best = V::max(delete_best, next_delete);
            V::store(inserts + s, V::max(V::add(match, V::load(transitions + 5 * kLanes)),
                                         V::add(insert, V::load(transitions + 6 * kLanes))));
        }
        best = V::max(best, row_best);
        if (V::any_greater(row_best, quiet_match)) {
            const int xe = V::greatest(row_best);
            if (xe == INT16_MAX) return kViterbiOverflow;
            level = std::max(level, xe + task.end);
            xb = level + task.move;
            quiet_match = V::set(lane_of_limit(level - task.end));
            quiet_delete = V::set(lane_of_limit(xb - task.delete_bound));
        }
        if (V::any_greater(delete_best, quiet_delete)) {
            complete_deletes<V>(task, deletes, next_delete);
        } else {
            V::store(deletes, V::template shift_up<1>(next_delete, minus_infinity));
        }
    }
    return static_cast<std::int16_t>(std::max(V::greatest(best) + task.end, INT16_MIN));
}

template <class V>
void interleaved_viterbi(const InterleavedViterbiTask& task) {
    using Vector = typename V::Vector;
    constexpr std::size_t kLanes = V::kLanes;
    const Vector minus_infinity = V::set(V::kFloor);
    const Vector end = V::set(static_cast<std::int16_t>(task.end));
    alignas(64) std::int16_t lanes[kLanes] = {};
    std::copy_n(task.moves, task.targets, lanes);
    const Vector move = V::load(lanes);
    for (std::size_t v = 0; v < 3 * task.nodes * kLanes; v += kLanes) V::store(task.states + v, minus_infinity);
    Vector best = minus_infinity;
    Vector level = V::set(static_cast<std::int16_t>(task.base));  // max(xJ, base)
    const std::int8_t* column = reinterpret_cast<const std::int8_t*>(task.columns);
    std::size_t running = task.targets;
    for (std::uint32_t i = 1; running > 0; ++i, column += kLanes) {
        if (i % kStepsBetweenLooks == 0 && task.stop->stop_requested()) return;
        const auto indices = V::indices(V::load_widened(column));
        const Vector begin = V::add(level, move);
        Vector match = minus_infinity, insert = minus_infinity, del = minus_infinity;  // of the last row, node k - 1
        Vector next_delete = minus_infinity;
        Vector row_best = minus_infinity;
        const std::int16_t* scores = task.match;
        const std::int32_t* transitions = task.transitions;
        std::int16_t* state = task.states;
        for (std::size_t k = 0; k < task.nodes; ++k) {
            Vector here = V::max(V::add(begin, V::broadcast_pair(transitions)),
                                 V::add(match, V::broadcast_pair(transitions + 1)));
            here = V::max(V::max(here, insert), del);
            here = V::add(here, V::lookup(scores, indices));
            row_best = V::max(row_best, here);
            match = V::load(state);
            insert = V::load(state + kLanes);
            del = V::load(state + 2 * kLanes);
            V::store(state, here);
            V::store(state + kLanes, V::max(V::add(match, V::broadcast_pair(transitions + 3)),
                                            V::add(insert, V::broadcast_pair(transitions + 4))));
            V::store(state + 2 * kLanes, next_delete);
            next_delete = V::max(V::add(here, V::broadcast_pair(transitions + 2)),
                                 V::add(next_delete, V::broadcast_pair(transitions + 5)));
            scores += kResidueTableSize;
            transitions += kInterleavedTransitions;
            state += 3 * kLanes;
        }
        best = V::max(best, row_best);
        level = V::max(level, V::add(row_best, end));
        if (task.residues[running - 1] > i) continue;
        // The values that a lane computes after its end are dropped.
        V::store(lanes, best);
        for (; running > 0 && task.residues[running - 1] == i; --running) {
            const std::int16_t xe = lanes[running - 1];
            task.results[running - 1] =
                xe == INT16_MAX ? kViterbiOverflow : static_cast<std::int16_t>(std::max(xe + task.end, INT16_MIN));
        }
    }
}

template <class V, typename Indices>
struct SsvBands;
template <class V, std::size_t... i>
struct SsvBands<V, std::index_sequence<i...>> {
    static constexpr SsvBand kBands[] = {ssv_band<V, i + 1, 0>...};
    static constexpr SsvBand kWhole[] = {ssv_band<V, i + 1, fixed_row_bytes(i + 1, V::kLanes)>...};
};

/// Returns the table of an instruction set, without the kernels that pay off on few instruction
/// sets only.
template <class Set, std::size_t kMostBandVectors>
constexpr ProfileFilterTable profile_filter_table(CpuBackend backend) {
    using Bands = SsvBands<typename Set::I8, std::make_index_sequence<kMostBandVectors>>;
    return {.backend = backend,
            .vector_bytes = sizeof(typename Set::I8::Vector),
            .most_band_vectors = kMostBandVectors,
            .ssv_bands = Bands::kBands,
            .ssv_whole = Bands::kWhole,
            .interleaved_ssv = nullptr,
            .msv = msv<typename Set::U8>,
            .viterbi = viterbi<typename Set::I16>,
            .interleaved_viterbi = nullptr,
            .fill_score_table = nullptr,
            .interleaved_node_cost = 0};
}

/// Returns the table of an instruction set with interleaved Viterbi, which takes kNodeCost vector
/// operations for a node in a row.
template <class Set, std::size_t kMostBandVectors, std::uint64_t kNodeCost>
constexpr ProfileFilterTable profile_filter_table_interleaved(CpuBackend backend) {
    ProfileFilterTable table = profile_filter_table<Set, kMostBandVectors>(backend);
    table.interleaved_viterbi = interleaved_viterbi<typename Set::I16>;
    table.fill_score_table = Set::I16::fill_table;
    table.interleaved_node_cost = kNodeCost;
    return table;
}

}  // namespace warpseq::simd
