// The kernel for one row of a gapped extension (kernels/seeds/gapped_extension.h). A row has the
// cells of one query residue with a band of target residues.
//
// The band of a row is the columns first .. size - 1. The row above gives it two values per column:
// H, and the score of a gap in the target that continues into this row. A cell is dropped if its
// score is more than x_drop below the best score so far, which includes earlier columns of this
// row. H of a dropped cell becomes kDroppedCell. The value that a dropped cell passes on is below
// the limit. The limit only rises, so no kept cell can come from it. Therefore the gap and the
// steps of a dropped cell are unspecified.
#pragma once

#include <cstdint>
#include <limits>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

inline constexpr std::int32_t kDroppedCell = std::numeric_limits<std::int32_t>::min() / 2;

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

struct ExtensionRowTask {
    /// Number of columns in a group, counted from column 0. The kernel reads and writes all columns
    /// of each group that the band touches.
    static constexpr std::int64_t kGroup = 16;
    /// Distance between the columns in which restricted gaps in the target may begin and end.
    static constexpr std::int64_t kGapSpacing = 10;

    const std::int32_t* scores;   // of the row's residue with each residue code
    const ResidueCode* letters;   // of each column; 64-byte aligned, like the next three arrays
    const std::int32_t* h_above;  // H of the row above; readable from one column before the band's first group
    std::int32_t* h;              // out: H of this row
    std::int32_t* gap;            // in and out: the gap in the target that reaches this row, then the next one
    std::int64_t first, size;     // columns of the band; at least one
    std::int32_t gap_first, gap_extend;
    alignas(64) std::int32_t extend_costs[16];  // k * gap_extend
    std::int32_t x_drop;                        // at most kHighestXDrop
    bool query_gaps;                            // whether gaps in the query may be in this row
    bool every_target_gap;                      // whether every column may have gaps in the target, not only each tenth
    std::uint8_t* steps;                 // out: one per column from the band's first group on; nullptr if not wanted
    std::int32_t best_raw;               // in and out
    std::int64_t best_column;            // out: the first with the row's best score if above best_raw; else unchanged
    std::int64_t first_kept, last_kept;  // out: columns; first_kept is `size` if there is none
    std::int32_t query_gap;              // out: the gap in the query behind column size - 1, if that is kept
};

inline constexpr std::int32_t kHighestXDrop = std::numeric_limits<std::int32_t>::max() / 4;

}  // namespace warpseq
