// The vector kernel behind kernels/smith_waterman/local_alignment.h: columns of one Smith-Waterman
// matrix, exactly as the recurrence in kernels/smith_waterman/smith_waterman.h has them, with or
// without the directions that a traceback follows. In lanes of 16 bits, which hold scores below
// 65,535, or of 32 bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include <span>

#include "kernels/smith_waterman/local_alignment.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

struct KernelTable;

/// For the query rows of one vector in one column: bit b of a mask is row unit * lanes + b.
struct DirectionUnit {
    std::uint32_t not_diagonal;        // H is more than what the diagonal gives
    std::uint32_t not_target_gap;      // H is more than F
    std::uint32_t not_opening_query;   // E is more than what opening a gap in the query here gives: it is extended
    std::uint32_t extends_target_gap;  // F of the next row is more than what opening a gap in the target there gives
};

/// H and E are lanes as the vector operations keep them (kernels/simd/portable.h): in 16 bits a raw
/// 0 is -32768.
struct AlignmentColumnsTask {
    const void* profile;  // lanes, 64-byte aligned: a row per residue code of the target, a score per query row, padded
    std::size_t profile_row_lanes;  // from one row to the next: whole vectors
    std::size_t vectors;            // query rows / lanes, rounded up
    const ResidueCode* target;      // of the first column
    std::size_t columns;
    std::int32_t gap_first, gap_extend;  // in 16 bits: at most kHighestCost16Bit
    void* h;                             // in: H of the column before the first; out: of the last. 64-byte aligned
    void* e;                             // the same for E, which is kept at 0 where it is below
    DirectionUnit* directions;           // out: `vectors` per column; nullptr: not wanted
    std::int32_t best_raw;    // in and out: the highest H so far; 65,535 in 16 bits: saturated, and nothing is valid
    std::size_t best_column;  // out: the first column, from 0, where it was reached; unchanged if best_raw is
};

/// So that 32 lanes' worth of it, and gap_first, fit a lane of 16 bits.
inline constexpr std::int32_t kHighestCost16Bit = 1023;
inline constexpr std::int32_t kSaturated16Bit = 65535;

/// align_local() on a chosen back end; the alignment is the same on each.
Alignment align_local_with(const KernelTable& kernels, std::span<const ResidueCode> query,
                           std::span<const ResidueCode> target, const PairScores& scores,
                           const LocalAlignmentLimits& limits);

}  // namespace warpseq
