// The vector kernel behind kernels/local_alignment.h: columns of one Smith-Waterman matrix, exactly as the recurrence in
// kernels/smith_waterman.h has them, in 32 bits, with or without the directions that a traceback follows.
#pragma once

#include <cstddef>
#include <cstdint>

#include <span>

#include "kernels/local_alignment.h"
#include "libcore/alphabet.h"

namespace warpseq {

struct KernelTable;

/// Bits of a DirectionUnit: bit b of a mask is query row unit * lanes + b. A bit that is set says no.
struct DirectionUnit {
    std::uint16_t not_diagonal;        // H is more than what the diagonal gives
    std::uint16_t not_target_gap;      // H is more than F
    std::uint16_t not_opening_query;   // E is more than what opening a gap in the query here gives: it is extended
    std::uint16_t extends_target_gap;  // F of the next row is more than what opening a gap in the target there gives
};

struct AlignmentColumnsTask {
    const std::int8_t* profile;  // a row per residue code: one byte per query row, kPaddingCode's scores after the last
    std::size_t profile_row_bytes;  // from one row to the next
    std::size_t vectors;            // query rows / lanes of 32 bits, rounded up
    const ResidueCode* target;      // of the first column
    std::size_t columns;
    std::int32_t gap_first, gap_extend;
    std::int32_t* h;            // in: H of the column before the first; out: of the last. 64-byte aligned
    std::int32_t* e;            // the same for E, which is kept at 0 where it is below
    DirectionUnit* directions;  // out: `vectors` per column; nullptr: not wanted
    std::int32_t best_raw;      // in and out: the highest H so far
    std::size_t best_column;    // out: the first column, from 0, where it was reached; unchanged if best_raw is
};

/// align_local() on a chosen back end; the alignment is the same on each.
Alignment align_local_with(const KernelTable& kernels, std::span<const ResidueCode> query,
                           std::span<const ResidueCode> target, const ScoringScheme& scheme,
                           const LocalAlignmentLimits& limits);

}  // namespace warpseq
