// The table of the vector kernels of one instruction set for sweeps over pairs. The choice of a
// back end at run time chooses a table. kernels/pair/pair_sweep_kernels_simd.h says how the kernels
// work.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/backend.h"

namespace warpseq {

/// Most rows of a lane, which is what a word of 16 scores holds.
inline constexpr std::size_t kMostLaneRows = 16;

/// A column checkpoint that a strip crosses. Lane l passes it at the end of step `step` + top_lane
/// - l. Then the lane's rows of the two columns are copied to h and gap, those of lane l from l *
/// rows_per_lane on. The lane's maximum is copied to best and begins anew.
struct PairCrossing {
    std::size_t step;
    void *h, *gap;  // rows_per_lane * lanes
    void* best;     // lanes; nullptr: maxima are not kept
};

/// The steps of a strip. The strip has `lanes` x `rows_per_lane` rows of the matrix, of which the
/// top lane's first `padding` do not exist. A "lane" is an element of the kernel's width. In the
/// difference kernel, H of a row or column is the difference to the cell before it there.
struct PairSteps {
    std::size_t rows_per_lane;  // 1 .. kMostLaneRows
    std::size_t top_lane;       // holds the strip's first row, lane 0 its last
    std::size_t padding;
    std::size_t begin,
        end;  // steps of the strip; step s fills column s of the top lane, column s - 1 of the lane below
    // The scores come from a table of row letter + column letter, or from words of consecutive
    // rows. Lane l of step s sees letters[s + l] or word_letters[s + l]. These are readable from
    // `begin` to kWordsAhead steps beyond `end`.
    std::size_t word_bytes;  // 4, 8 or 16, not less than rows_per_lane; 0: there is a table
    const std::uint8_t* letters;
    const std::uint8_t* row_letters;  // rows_per_lane x lanes, aligned
    const std::uint8_t* table;
    /// The letters of columns, times 2 * lanes. The letter's words, of whatever length, begin at
    /// words + 8 * that.
    const std::uint16_t* word_letters;
    const std::uint8_t* words;  // one per letter and lane; rows beyond rows_per_lane may hold anything
    // The column left of each lane's next cell: rows_per_lane x lanes, aligned.
    void *h, *gap;
    // The cells that leave the lanes downwards: three vectors, aligned.
    void* carry;
    // The border rows above and below. Step s is at index s - begin. Lane 0 is top_lane columns
    // behind.
    const void *above_h, *above_gap;  // at the top lane's column; above_h only for differences
    const void* corner_h;             // a column before that; only for absolute numbers
    void *below_h, *below_gap;        // what leaves lane 0
    // Costs and biases in lane units.
    std::int32_t gap_open, gap_extend;
    std::int32_t score_bias;  // added to scores of more than 8 bits; in bytes they hold it, absolute ones gap_extend
    std::int32_t zero;        // lower bound of H, at which maxima begin
    void* best;               // highest H of each lane, in bytes only above the threshold; one vector, aligned
    void* threshold;          // in bytes: best known of each lane's block; not above what a lane may hold
    PairCrossing* crossings;  // in the order of steps
    std::size_t crossing_count;
    std::uint8_t* directions;  // bytes of (step, row, lane), for the kernels of directions
};
inline constexpr std::size_t kWordsAhead = 4;

/// Columns of a tall strip of a local sweep in bytes. The strip has `lanes` x `rows_per_lane` rows.
/// Its first rows are in the last lane, of which the first `padding` (fewer than rows_per_lane) do
/// not exist. Rows of a lane are consecutive. All lanes are in the same column.
struct PairColumns {
    std::size_t rows_per_lane, padding;
    std::size_t count;
    const std::uint8_t* target;  // residue codes of the columns
    /// The scores of each residue code, rows_per_lane x lanes, aligned. Those of padding are not
    /// above 0.
    const std::uint8_t* const* profiles;
    std::uint8_t *h, *gap;                     // the column left of the next one: rows_per_lane x lanes, aligned
    const std::uint8_t *corner_h, *above_gap;  // the border row above; corner_h is a column behind
    std::uint8_t *below_h, *below_gap;         // the strip's last row
    std::uint8_t gap_open, gap_extend, zero;
    std::uint8_t best;  // in and out: the best known of the block
};
inline constexpr std::size_t kDirectionLaneRows = 4;

struct PairSweepTable {
    CpuBackend backend;
    std::size_t lanes;          // of every kernel, whatever its width
    std::size_t table_entries;  // of a table of scores; 0: words only
    using Kernel = void (*)(const PairSteps& steps);
    Kernel difference_8_bit, difference_16_bit;
    Kernel absolute_8_bit, absolute_16_bit, absolute_32_bit;
    Kernel directions_16_bit, directions_32_bit;  // for kDirectionLaneRows only
    void (*striped_8_bit)(PairColumns& columns);
    /// Writes the scores of `count` codes, a multiple of 64, against one letter. `letter_scores` is
    /// the letter's row of a transposed matrix.
    void (*fill_scores)(const std::uint8_t* codes, std::size_t count, const std::uint8_t* letter_scores,
                        std::uint8_t* scores);
};

}  // namespace warpseq
