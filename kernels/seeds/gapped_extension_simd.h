// The kernel for one row of a gapped extension (kernels/seeds/gapped_extension.h). A row has the
// cells of one query residue with a band of target residues.
//
// The band of a row is the columns first .. size - 1. The row above gives it two values per column:
// H, and the score of a gap in the target that continues into this row. A cell is dropped if its
// score is more than x_drop below the best score so far, which includes earlier columns of this
// row. H of a dropped cell becomes kDropped. The value that a dropped cell passes on is below the
// limit. The limit only rises, so no kept cell can come from it. Therefore the gap and the steps of
// a dropped cell are unspecified. Vector kernels make its gap kDropped.
//
// A row is computed in 32 bits, or in 16 bits with sums that saturate. In 16 bits scores are
// relative to a base, which the caller moves so that the best score before a row is in
// 0 .. kHighestBest. The caller keeps these bounds: x_drop, gap_first and kGroup * gap_extend are
// in 0 .. kHighestCost, and no pair scores above kHighestPair. Pairs below -kLowestPair may score
// -kLowestPair instead. Then a 16-bit row keeps the same cells, with the same scores and the same
// steps on any path:
//  - A row's best score is at most kHighestBest + kHighestPair, because a cell gets more than the
//    best score before the row from a pair only. (The caller may add a cell behind the band that is
//    worth a pair more than a cell of row 0; only row 1 has it above.) Adding kGroup * gap_extend
//    to it stays in 16 bits.
//  - A kept cell is at least -kHighestCost - kHighestPair: the drop below the best score before its
//    row, and that score again if the base moved behind the row. What opens a gap in it is at least
//    -2 * kHighestCost - kHighestPair.
//  - So every value that a kept cell has or comes from is in range and exact. Any other value is
//    below the limit. If it is inexact, it is saturated or kDropped plus a pair, which is below all
//    these values in both widths, or it comes from a clamped pair. A clamped pair is below every
//    kept cell, and a gap that leaves it has paid gap_first, as has what it is compared with.
//    Comparisons with an inexact value have the same result.
#pragma once

#include <cstdint>
#include <limits>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// The step of a cell. The low bits (kStepMask) say where its score comes from. The two flags say
/// whether the gap in the target or in the query that leaves the cell continues a gap that reached
/// it, rather than opening in it.
enum ExtensionStep : unsigned {
    kStepPair = 0,
    kStepTargetGap = 1,
    kStepQueryGap = 2,
    kStepMask = 3,
    kTargetGapGoesOn = 4,
    kQueryGapGoesOn = 8,
};

/// A task of the kernel. Score is std::int32_t or std::int16_t.
template <class Score>
struct ExtensionRowTask {
    /// Number of columns in a group, counted from column 0. The kernel may read and write all
    /// columns of each group that the band touches.
    static constexpr std::int64_t kGroup = 64 / sizeof(Score);
    /// Distance between the columns in which restricted gaps in the target may begin and end.
    static constexpr std::int64_t kGapSpacing = 10;
    /// H of a dropped cell. In 32 bits what is added to it or subtracted from it does not wrap.
    static constexpr Score kDropped =
        sizeof(Score) == 2 ? std::numeric_limits<Score>::min() : std::numeric_limits<Score>::min() / 2;

    /// Scores of the row's residue with each residue code. In 16 bits they are in the form that the
    /// back end's fill_extension_scores makes, 64-byte aligned.
    const Score* scores;
    const ResidueCode* letters;  // of each column; 64-byte aligned, like the next three arrays
    const Score* h_above;        // H of the row above
    Score* h;                    // out: H of this row
    Score* gap;                  // in and out: the gap in the target that reaches this row, then the next one
    std::int64_t first, size;    // columns of the band; at least one
    /// `first`, rounded down to a multiple of the back end's lanes. Vector kernels begin here. They
    /// have dropped the columns before `first`, in h_above and gap. The reference ignores it.
    std::int64_t first_vector;
    std::int32_t gap_first, gap_extend;
    alignas(64) Score extend_costs[64 / sizeof(Score)];  // k * gap_extend
    std::int32_t x_drop;                                 // at most kHighestXDrop
    bool query_gaps;                                     // whether gaps in the query may be in this row
    bool every_target_gap;               // whether every column may have gaps in the target, not only each tenth
    std::uint8_t* steps;                 // out: one per column from the band's first group on; nullptr if not wanted
    std::int32_t best_raw;               // in and out
    std::int64_t best_column;            // out: the first with the row's best score if above best_raw; else unchanged
    std::int64_t first_kept, last_kept;  // out: columns; first_kept is `size` if there is none
    std::int32_t query_gap;              // out: the gap in the query behind column size - 1, if that is kept
};

inline constexpr std::int32_t kHighestXDrop = std::numeric_limits<std::int32_t>::max() / 4;

/// Bounds of 16-bit rows.
inline constexpr std::int32_t kHighestBest = 8192, kHighestPair = 2000, kLowestPair = 20'000, kHighestCost = 6000;
static_assert(kHighestBest + kHighestPair + kHighestCost <= std::numeric_limits<std::int16_t>::max());
static_assert(2 * kHighestCost + kHighestPair < -(std::numeric_limits<std::int16_t>::min() + kHighestPair));
static_assert(kHighestBest + kHighestPair - kLowestPair < -kHighestCost - kHighestPair);

}  // namespace warpseq
