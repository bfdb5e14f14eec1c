// Forbidden pairs: pairs of residues that must not be aligned with each other. They are the pairs
// of the local alignments that were found before in the same two sequences.
//
// In the matrix of kernels/pair/pair_sweep.h a forbidden pair (i, j) has no diagonal: H(i, j) =
// max(E(i, j), F(i, j), 0). Gaps may go through it. The rows and columns still keep the rule of
// lines (LineSteps in pair_sweep.h), because every diagonal step can be replaced by a gap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/scoring/alignment.h"

namespace warpseq {

/// A rectangular part of the matrix of two sequences: the numbers of rows and columns before it,
/// and its size.
struct PairArea {
    std::uint64_t first_row, first_column, rows, columns;
};

/// The forbidden pairs of two sequences. Reading is thread-safe.
class ForbiddenPairs {
   public:
    /// Forbids the pairs of residues of an alignment. Residues in gaps are in no pair.
    void add(const Alignment& alignment);

    /// Whether a forbidden pair lies in an area. The time for each alignment is the logarithm of
    /// the number of its runs.
    bool meets(const PairArea& area) const;
    /// Sets `cells` to 1 where the pair is forbidden, else to 0. `cells` has area.rows x
    /// area.columns entries, row by row.
    void mark(const PairArea& area, std::span<std::uint8_t> cells) const;

   private:
    struct Diagonal {
        std::uint64_t row, column, length;  // the first pair, residues from 0
    };
    /// Calls visit(row, column, length) for the part of each diagonal that lies in the area,
    /// counted from the area's corner, until it returns false.
    template <typename Visit>
    void visit(const PairArea& area, const Visit& visit) const;

    std::vector<std::vector<Diagonal>> paths_;  // of each alignment, in ascending order of rows and columns
};

}  // namespace warpseq
