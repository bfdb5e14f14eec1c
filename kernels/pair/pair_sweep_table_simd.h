// The vector kernels for sweeps over pairs, as a table of functions for one instruction set. A back
// end is chosen at run time by its table. kernels/pair/pair_skewed_kernels_simd.h and
// kernels/pair/pair_tall_kernel_simd.h explain the kernels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/backend.h"

namespace warpseq {

/// Most rows of a lane. A word of 16 scores holds them.
inline constexpr std::size_t kMostLaneRows = 16;

/// A column checkpoint that a strip crosses. Lane l reaches it at the end of step
/// `step` + top_lane - l. The lane's rows of H and E are then copied to h and gap, from index
/// l * rows_per_lane on. The lane's maximum is copied to best[l] and starts again.
struct PairCrossing {
    std::size_t step;
    void *h, *gap;  // rows_per_lane * lanes
    void* best;     // lanes; nullptr: maxima are not kept
};

/// A run of steps of a strip, the argument of a kernel. The strip has `lanes` x `rows_per_lane`
/// rows of the matrix. The first `padding` rows of the top lane are padding. A lane is an element
/// of the kernel's width. In the difference kernel, H stands for the difference to H of the cell
/// before it in the same row or column.
struct PairSteps {
    std::size_t rows_per_lane;  // 1 .. kMostLaneRows
    std::size_t top_lane;       // holds the strip's first row, lane 0 its last
    std::size_t padding;
    std::size_t begin,
        end;  // steps of the run; step s fills column s of the top lane, column s - 1 of the lane below
    // The scores come from a table of row letter + column letter, or from words of consecutive
    // rows. Lane l of step s sees letters[s + l] or word_letters[s + l]. These are readable from
    // `begin` to kWordsAhead steps beyond `end`.
    std::size_t word_bytes;  // 4, 8 or 16, not less than rows_per_lane; 0: there is a table
    const std::uint8_t* letters;
    const std::uint8_t* row_letters;  // rows_per_lane x lanes, aligned
    const std::uint8_t* table;
    /// The number of each column's letter, times 2 * lanes. The letter's words begin at words plus
    /// 8 times that value, for every length of words.
    const std::uint16_t* word_letters;
    const std::uint8_t* words;  // one per letter and lane; rows beyond rows_per_lane may hold anything
    // The column left of each lane's next cell: rows_per_lane x lanes, aligned.
    void *h, *gap;
    // The cells that leave the lanes downwards: three vectors, aligned.
    void* carry;
    // The border rows above and below. The cell of step s is at index s - begin. The cells below
    // are top_lane columns behind, because lane 0 writes them.
    const void *above_h, *above_gap;  // at the top lane's column; above_h only for differences
    const void* corner_h;             // H one column before above_h's place; only for absolute numbers
    void *below_h, *below_gap;        // what leaves lane 0
    // Costs and biases in lane units.
    std::int32_t gap_open, gap_extend;
    std::int32_t score_bias;  // added to scores wider than 8 bits; byte scores hold it, or gap_extend if absolute
    std::int32_t zero;        // lower bound of H, at which maxima begin
    void* best;               // highest H of each lane, in bytes only above the threshold; one vector, aligned
    void* threshold;          // in bytes: the best known score of each lane's block, within the range of a lane
    PairCrossing* crossings;  // in the order of steps
    std::size_t crossing_count;
    std::uint8_t* directions;  // bytes of (step, row, lane), for the kernels of directions
};
/// Steps from the copy of a word of scores to its use.
inline constexpr std::size_t kWordsAhead = 4;

/// A run of columns of a tall strip, for a local sweep in bytes. The strip has `lanes` x
/// `rows_per_lane` rows. The rows of a lane are consecutive, and the strip's first rows are in the
/// last lane. The first `padding` rows of that lane (fewer than rows_per_lane) are padding. All
/// lanes are in the same column.
struct PairColumns {
    std::size_t rows_per_lane, padding;
    std::size_t count;
    const std::uint8_t* target;  // residue codes of the columns
    /// The scores of each residue code, rows_per_lane x lanes, aligned. Those of padding are not
    /// above 0.
    const std::uint8_t* const* profiles;
    std::uint8_t *h, *gap;                     // the column left of the next one: rows_per_lane x lanes, aligned
    const std::uint8_t *corner_h, *above_gap;  // the border row above; corner_h is one column behind
    std::uint8_t *below_h, *below_gap;         // the strip's last row
    std::uint8_t gap_open, gap_extend, zero;
    std::uint8_t best;  // in and out: the best known score of the block
};
/// Rows of a lane in the kernels of directions.
inline constexpr std::size_t kDirectionLaneRows = 4;

struct PairSweepTable {
    CpuBackend backend;
    std::size_t lanes;          // number of lanes of every kernel, for each width
    std::size_t table_entries;  // size of a score table; 0: the kernels take words only
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
