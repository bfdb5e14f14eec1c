// One row of a gapped extension (kernels/seeds/gapped_extension.h), which is the cells of one query
// residue with a band of target residues.
//
// A row's band is columns first .. size - 1. From the row above it takes H and what reaches this
// row of the gap in the target. Cells are dropped if they score more than x_drop below the best so
// far, in this row's earlier columns included. Their H becomes kDroppedCell. What a dropped cell
// still hands on is below that limit, which only rises, so it makes no cell that is kept. Its gap
// and its steps do not matter.
#pragma once

#include <cstdint>
#include <limits>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

inline constexpr std::int32_t kDroppedCell = std::numeric_limits<std::int32_t>::min() / 2;

/// The origin of a cell of a path (low bits), and whether the gaps that leave it were already open
/// when they reached it.
enum ExtensionStep : unsigned {
    kStepPair = 0,
    kStepTargetGap = 1,
    kStepQueryGap = 2,
    kStepMask = 3,
    kTargetGapGoesOn = 4,
    kQueryGapGoesOn = 8,
};

struct ExtensionRowTask {
    /// Rows and letters are read and written in whole groups of this many columns, counted from
    /// column 0, around the band.
    static constexpr std::int64_t kGroup = 16;
    /// Restricted gaps in the target begin and end in every tenth column.
    static constexpr std::int64_t kGapSpacing = 10;

    const std::int32_t* scores;   // of the row's residue with each residue code
    const ResidueCode* letters;   // of columns; 64-byte aligned, as what follows
    const std::int32_t* h_above;  // readable one column before the band's first group, too
    std::int32_t* h;              // out
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
