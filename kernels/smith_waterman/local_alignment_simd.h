// The vector kernel behind kernels/smith_waterman/local_alignment.h. It computes columns of one
// Smith-Waterman matrix, exactly as the recurrence in kernels/smith_waterman/smith_waterman.h has
// them, with or without the directions that a traceback follows. Lanes have 16 bits, which hold
// scores up to highest_16_bit(), or 32 bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// The directions of the query rows of one vector in one column. Bit b of a mask is for the
/// vector's row b.
struct DirectionUnit {
    std::uint32_t not_diagonal;        // H is more than what the diagonal gives
    std::uint32_t not_target_gap;      // H is more than F
    std::uint32_t not_opening_query;   // E is more than opening a gap in the query here gives, so it is extended
    std::uint32_t extends_target_gap;  // F of the next row is more than what opening a gap in the target there gives
};

/// A run of columns to compute, one per target residue. H and E are kept as lanes of the vector
/// operations (kernels/simd/portable.h). In 16 bits a raw score of 0 is the lane value -32768.
struct AlignmentColumnsTask {
    const void* profile;  // 64-byte aligned lanes: a row per residue code of the target, a score per query row, padded
    std::size_t profile_row_lanes;  // lanes from one row to the next, a whole number of vectors
    std::size_t vectors;            // query rows / lanes, rounded up
    const ResidueCode* target;      // the residue of the first column and those after it
    std::size_t columns;
    std::int32_t gap_first, gap_extend;  // in 16 bits: at most kHighestCost16Bit
    void* h;                             // in and out: H before the first column, then of the last; 64-byte aligned
    void* e;                             // the same for E less gap_extend, which is kept at 0 where it is below
    DirectionUnit* directions;           // out: `vectors` per column; nullptr if not wanted
};

/// A run of columns without directions, one per target residue, for the striped kernel
/// (kernels/smith_waterman/smith_waterman_kernels_simd.h). Lane l of vector s is query row l *
/// segments + s. In lanes behind the query's last row the profile has the lowest score of 8 bits,
/// or a lower one, so that their H is never the highest.
///
/// H is exact. E may be below the recurrence's where a gap in the query opens at a cell whose H is
/// F, behind a gap in the target. A traceback never takes such an E: the two gaps in the other
/// order give the same score by F, and the traceback prefers F to E.
struct StripedColumnsTask {
    const void* profile;        // 64-byte aligned lanes: a row per residue code of the target, of all vectors
    std::size_t segments;       // ceil(query residues / lanes)
    const ResidueCode* target;  // the residue of the first column and those after it
    std::size_t columns;
    std::int32_t gap_first, gap_extend;  // extend <= first <= the highest value of a lane
    void* h;                             // in and out, of all vectors: H before the first column, then of the last
    void* e;                             // the same for E less gap_extend, or what a gap that opens there leaves
    void* other_h;                       // scratch like h; the two pointers may be exchanged
    std::int32_t best_raw;    // in and out: the highest H so far; 255 in 8 bits, or 65,535 in 16, means saturated
    std::size_t best_column;  // out: the first column, from 0, where it was reached; unchanged if best_raw is
};

/// Highest gap_first and gap_extend that the 16-bit lanes allow. With it gap_first, and gap_extend
/// times up to 32 lanes of a vector, fit a lane.
inline constexpr std::int32_t kHighestCost16Bit = 1023;
/// Returns the highest score of a matrix whose columns align_columns_16_bit() computes exactly, in
/// vectors of so many lanes. The kernel adds up to lanes * gap_extend to a score, and the sum has
/// to fit 16 bits.
constexpr std::int32_t highest_16_bit(std::size_t lanes, std::int32_t gap_extend) {
    constexpr std::int32_t kSaturated = 65'535;
    return kSaturated - 1 - static_cast<std::int32_t>(lanes) * gap_extend;
}

}  // namespace warpseq
