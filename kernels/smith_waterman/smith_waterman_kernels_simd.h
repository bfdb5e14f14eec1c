// The Smith-Waterman vector kernels, written once as templates over a vector set, which
// kernels/simd/portable.h defines. This file is included only inside the target region of each
// kernels/backends/backend_table_<instruction set>.cpp.
//
// Numbers. A raw score h is kept as kFloor + h, with kFloor the lowest value of the lane in 8 and
// 16 bits. Saturating addition and subtraction then clamp at raw 0 for free, which is the 0 in the
// recurrence of H. E and F clamped at 0 change no H. The highest raw score that a lane holds is 255
// (65,535). A lane that reaches it may be too low, so its sequence is computed again in wider
// lanes. A gap cost above the lane's highest value v (127, or 32,767) is replaced by v. That is
// exact as long as no H exceeds v, because then both the true cost and v leave nothing. So the
// caller sets limit_raw to v in that case.
//
// In the interleaved kernel, a lane is one target sequence, columns are its residues, and rows are
// the query.
//
//                     column block of kColumns target residues
//                      j0   j0+1  ...  j0+kColumns-1
//     query row i   |  s     s            s         |
//     query row i+1 |  ...                          |
//
// H and E of the block's right border go to memory, two vectors per row. They come back as the left
// border of the next block.
//
// Inside a block, H of the row above and F of all kColumns columns stay in registers. So a cell
// costs one load, the score, and nine vector operations: one add, two subtractions of gap_extend,
// one of gap_first, and five maxima. Scores of each distinct query letter against the block's
// residues are looked up once per block.
//
// In the striped kernel, lane l of segment s holds query row l * segments + s. So neighbouring rows
// lie in the same lane, and F passes between vectors instead of within one. F that crosses from a
// lane to the next is added afterwards, in three steps.
//  1. The main pass runs with F = 0 entering each lane. Its F leaving each lane is exact for that
//     start.
//  2. What truly enters a lane is the maximum over all lower lanes of what left them, less
//     gap_extend for each row in between. This is a prefix maximum over the lanes, in log2(lanes)
//     steps.
//  3. One more pass raises H by it, until in no lane F exceeds H - gap_open. From there on the F
//     that the main pass opened from H is at least as high.
// E is not raised by those H. An alignment that turns from F into E scores the same with both gaps
// in the other order. That order is covered, since F opens from an H that includes E.
//
// Gotoh, J Mol Biol 162:705 (1982). Farrar, Bioinformatics 23:156 (2007). Rognes, BMC
// Bioinformatics 12:221 (2011).

#include "kernels/simd/raw_lanes.h"

namespace warpseq::simd {

template <class Set>
void decode_columns(const std::uint32_t* words, std::uint64_t word_rows, std::size_t lanes, std::uint8_t* columns,
                    std::size_t column_stride) {
    for (std::uint64_t row = 0; row < word_rows; ++row, words += kTileLanes) {
        for (std::uint32_t r = 0; r < kResiduesPerWord; ++r, columns += column_stride) {
            for (std::size_t block = 0; block < lanes; block += 16) {
                for (std::size_t lane = 0; lane < 16; ++lane) {
                    columns[block + lane] =
                        static_cast<std::uint8_t>(words[block + lane] >> (kBitsPerResidue * r) & kResidueMask);
                }
            }
        }
    }
}

template <class Set, class V, std::size_t kColumns>
bool interleaved(const InterleavedTask& task) {
    using Lane = typename V::Lane;
    using Vector = typename V::Vector;
    using V8 = typename Set::I8;
    static_assert(std::size_t{kResidueCodes} * kColumns * sizeof(Vector) <= kLetterScoresBytes);

    const Vector floor = V::set(V::kFloor);
    const Vector gap_first = V::set(static_cast<Lane>(task.gap_first));
    const Vector gap_extend = V::set(static_cast<Lane>(task.gap_extend));
    const Vector limit = V::set(lane_of_raw<V>(task.limit_raw));
    Lane* const borders = reinterpret_cast<Lane*>(task.borders);
    Lane* const scores = reinterpret_cast<Lane*>(task.scores);
    constexpr std::size_t kLetterLanes = std::size_t{kColumns} * V::kLanes;  // from one letter's scores to the next's
    const std::size_t rows = task.query_residues;

    for (std::size_t i = 0; i < 2 * rows; ++i) V::store(borders + i * V::kLanes, floor);
    Vector best = floor;
    alignas(64) Lane best_lanes[V::kLanes];

    for (std::size_t j0 = 0; j0 < task.column_count; j0 += kColumns) {
        if (task.stop->stop_requested()) break;
        for (std::size_t c = 0; c < kColumns; ++c) {
            const std::uint8_t* const column = task.columns + (j0 + c) * task.column_stride;
            const typename V8::Vector residues = V8::load_widened(reinterpret_cast<const std::int8_t*>(column));
            Lane* out = scores + c * V::kLanes;
            for (std::size_t a = 0; a < task.letter_count; ++a, out += kLetterLanes) {
                const auto table = V8::load_table((*task.matrix)[task.letters[a]].data());
                if constexpr (sizeof(Lane) == 1) {
                    V::store(out, V8::lookup(table, residues));
                } else {
                    alignas(64) std::int8_t narrow[V8::kLanes];
                    V8::store(narrow, V8::lookup(table, residues));
                    V::store(out, V::load_widened(narrow));
                }
            }
        }

        Vector h[kColumns], f[kColumns];
#pragma GCC unroll 16
        for (std::size_t c = 0; c < kColumns; ++c) h[c] = f[c] = floor;
        Vector corner = floor;  // H(i - 1, j0 - 1)
        Lane* border = borders;
        for (std::size_t i = 0; i < rows; ++i, border += 2 * V::kLanes) {
            const Lane* const letter_scores = scores + task.query_letters[i] * kLetterLanes;
#pragma GCC unroll 16
            for (std::size_t c = kColumns - 1; c > 0; --c)
                h[c] = V::add(h[c - 1], V::load(letter_scores + c * V::kLanes));
            h[0] = V::add(corner, V::load(letter_scores));
            corner = V::load(border);
            Vector e = V::load(border + V::kLanes);
#pragma GCC unroll 16
            for (std::size_t c = 0; c < kColumns; ++c) {
                best = V::max(best, h[c]);
                const Vector without_e = V::max(h[c], f[c]);
                h[c] = V::max(without_e, e);
                const Vector opened = V::subtract(without_e, gap_first);
                e = V::max(V::subtract(e, gap_extend), opened);
                f[c] = V::max(V::subtract(f[c], gap_extend), opened);
            }
            V::store(border, h[kColumns - 1]);
            V::store(border + V::kLanes, e);
        }

        if (V::any_greater(best, limit)) {
            V::store(best_lanes, best);
            std::uint32_t saturated = 0;
            for (std::size_t l = 0; l < V::kLanes; ++l) saturated += raw_score<V>(best_lanes[l]) > task.limit_raw;
            if (saturated >= task.stop_saturated_lanes) return false;
        }
    }
    V::store(best_lanes, best);
    for (std::size_t l = 0; l < V::kLanes; ++l) task.best_raw[l] = raw_score<V>(best_lanes[l]);
    return true;
}

template <class Set>
void fill_profile(const std::uint8_t* letters, std::size_t row_bytes, const SubstitutionMatrix::Table& target_scores,
                  std::int8_t* profile) {
    using V8 = typename Set::I8;
    for (std::size_t code = 0; code < kResidueCodes; ++code, profile += row_bytes) {
        const auto table = V8::load_table(target_scores[code].data());
        for (std::size_t i = 0; i < row_bytes; i += V8::kLanes) {
            const auto codes = V8::load(reinterpret_cast<const std::int8_t*>(letters + i));
            V8::store(profile + i, V8::lookup(table, codes));
        }
    }
}

/// Subtracts `cost_raw`, which may be up to twice the highest cost that a lane holds. A cost above
/// that leaves 0 in every lane that is not saturated, so it is cut to that value.
template <class V>
WARPSEQ_SIMD typename V::Vector subtract_long(typename V::Vector v, std::uint64_t cost_raw) {
    constexpr std::uint64_t kHighestCost = static_cast<std::uint64_t>(V::kHighest);
    const std::uint64_t once = std::min(cost_raw, kHighestCost);
    const std::uint64_t twice = std::min(cost_raw - once, kHighestCost);
    return V::subtract(V::subtract(v, V::set(static_cast<typename V::Lane>(once))),
                       V::set(static_cast<typename V::Lane>(twice)));
}

/// Does step 2 above, the prefix maximum, for distances of n lanes and more. If nothing rises by
/// what comes from n lanes below, nothing does from farther below: with cost c a lane, f[i - n] - n
/// c <= f[i] for all i gives f[i - 2n] - 2n c <= f[i - n] - n c <= f[i].
template <class V, std::size_t n>
WARPSEQ_SIMD typename V::Vector carry_lanes(typename V::Vector f, typename V::Vector floor,
                                            std::uint64_t lane_cost_raw) {
    const typename V::Vector from_below = subtract_long<V>(V::template shift_up<n>(f, floor), lane_cost_raw * n);
    if constexpr (2 * n < V::kLanes) {
        if (!V::any_greater(from_below, f)) return f;
        return carry_lanes<V, 2 * n>(V::max(f, from_below), floor, lane_cost_raw);
    } else {
        return V::max(f, from_below);
    }
}

/// The constants of the striped kernels.
template <class V>
struct StripedRows {
    std::size_t segments;
    typename V::Vector gap_first, gap_extend, gap_open;
    std::uint64_t lane_cost_raw;  // of a gap as long as a lane

    StripedRows(std::size_t query_segments, std::int32_t first_raw, std::int32_t extend_raw)
        : segments(query_segments),
          gap_first(V::set(static_cast<typename V::Lane>(first_raw))),
          gap_extend(V::set(static_cast<typename V::Lane>(extend_raw))),
          gap_open(V::set(static_cast<typename V::Lane>(first_raw - extend_raw))),
          lane_cost_raw(static_cast<std::uint64_t>(extend_raw) * segments) {}

    std::size_t row_lanes() const { return segments * V::kLanes; }
};

/// Computes one column of the striped kernel from the column to the left: H in `h_here`, and E of
/// the next column in `e_column`. `score_of` loads the scores of the vector that begins at a lane.
/// Returns the maximum of `best` and H.
template <class V, class ScoreOf>
WARPSEQ_SIMD typename V::Vector striped_column(const StripedRows<V>& rows, const ScoreOf& score_of,
                                               const typename V::Lane* h_left, typename V::Lane* h_here,
                                               typename V::Lane* e_column, typename V::Vector best) {
    using Vector = typename V::Vector;
    const Vector floor = V::set(V::kFloor);
    const std::size_t row_lanes = rows.row_lanes();
    Vector f = floor;
    Vector diagonal = V::template shift_up<1>(V::load(h_left + row_lanes - V::kLanes), floor);
    for (std::size_t s = 0; s < row_lanes; s += V::kLanes) {
        Vector e = V::load(e_column + s);
        const Vector h = V::max(V::max(V::add(diagonal, score_of(s)), e), f);
        best = V::max(best, h);
        V::store(h_here + s, h);
        const Vector opened = V::subtract(h, rows.gap_first);
        e = V::max(V::subtract(e, rows.gap_extend), opened);
        f = V::max(V::subtract(f, rows.gap_extend), opened);
        V::store(e_column + s, e);
        diagonal = V::load(h_left + s);
    }
    f = V::template shift_up<1>(f, floor);
    if (!V::any_greater(f, V::subtract(V::load(h_here), rows.gap_open))) return best;
    f = carry_lanes<V, 1>(f, floor, rows.lane_cost_raw);
    for (std::size_t s = 0; s < row_lanes; s += V::kLanes) {
        const Vector h = V::load(h_here + s);
        if (!V::any_greater(f, V::subtract(h, rows.gap_open))) break;
        V::store(h_here + s, V::max(h, f));
        f = V::subtract(f, rows.gap_extend);
    }
    return best;
}

template <class V>
std::int32_t highest_raw(typename V::Vector best) {
    alignas(64) typename V::Lane lanes[V::kLanes];
    V::store(lanes, best);
    std::int32_t highest_raw = 0;
    for (std::size_t l = 0; l < V::kLanes; ++l) highest_raw = std::max(highest_raw, raw_score<V>(lanes[l]));
    return highest_raw;
}

template <class V>
std::int32_t striped(const StripedTask& task) {
    using Lane = typename V::Lane;
    using Vector = typename V::Vector;
    constexpr std::size_t kColumnsBetweenChecks = 128;
    const StripedRows<V> rows(task.segments, task.gap_first, task.gap_extend);
    const Vector floor = V::set(V::kFloor);
    const Vector limit = V::set(lane_of_raw<V>(task.limit_raw));
    const std::size_t row_lanes = rows.row_lanes();
    Lane* h_left = reinterpret_cast<Lane*>(task.columns);
    Lane* h_here = h_left + row_lanes;
    Lane* const e_column = h_here + row_lanes;

    for (std::size_t s = 0; s < row_lanes; s += V::kLanes) {
        V::store(h_left + s, floor);
        V::store(e_column + s, floor);
    }
    Vector best = floor;
    for (std::size_t j = 0; j < task.target_residues; ++j) {
        const std::int8_t* const profile = task.profile + task.target[j] * task.profile_row_bytes;
        best = striped_column<V>(
            rows, [&](std::size_t s) { return V::load_widened(profile + s); }, h_left, h_here, e_column, best);
        std::swap(h_left, h_here);
        if (j % kColumnsBetweenChecks == 0 && (V::any_greater(best, limit) || task.stop->stop_requested())) break;
    }
    return highest_raw<V>(best);
}

template <class V>
void striped_columns(StripedColumnsTask& task) {
    using Lane = typename V::Lane;
    using Vector = typename V::Vector;
    const StripedRows<V> rows(task.segments, task.gap_first, task.gap_extend);
    const Vector floor = V::set(V::kFloor);
    Lane* h_left = static_cast<Lane*>(task.h);
    Lane* h_here = static_cast<Lane*>(task.other_h);
    Lane* const e_column = static_cast<Lane*>(task.e);
    Vector best = V::set(lane_of_raw<V>(task.best_raw));
    for (std::size_t j = 0; j < task.columns; ++j) {
        const Lane* const profile = static_cast<const Lane*>(task.profile) + task.target[j] * rows.row_lanes();
        const Vector column_best = striped_column<V>(
            rows, [&](std::size_t s) { return V::load(profile + s); }, h_left, h_here, e_column, floor);
        std::swap(h_left, h_here);
        if (!V::any_greater(column_best, best)) continue;
        task.best_raw = highest_raw<V>(column_best);
        task.best_column = j;
        best = V::set(lane_of_raw<V>(task.best_raw));
    }
    task.h = h_left;
    task.other_h = h_here;
}

}  // namespace warpseq::simd
