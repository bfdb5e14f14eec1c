// Finds the best alignment of two sequences of any length, global, local or semi-global, in an
// amount of memory that the caller sets.
//
// The end of the alignment depends on its kind.
//  - A global alignment ends at (m, n).
//  - A local one ends at the cell of the highest H.
//  - A semi-global one ends at the highest H among (m, n), the last row if the target's end is
//    free, and the last column if the query's end is free.
// Among equal cells the one with the smallest target position is taken, then the one with the
// smallest query position. From there the path follows the rules of kernels/pair/pair_trace.h.
//
// Row 0 scores 0 where the target's begin is free, and what a gap costs elsewhere. Column 0 does
// the same with the query's begin. A path that reaches a free row 0 or column 0 begins there. If
// the line is not free, the rest of the alignment is a gap.
//
// Memory. The sweep over the whole matrix keeps a grid of checkpoints. From the end, the path is
// traced back block by block. A block is cut off where the path enters it. A small block is traced
// at once. A larger one is swept again with a finer grid, and so on down
// (kernels/pair/pair_sweep.h). The alignment is the same for all limits, sweepers and back ends.
//
// An end of a sequence is "free" if residues may be left over there, outside the alignment, at no
// cost. A semi-global alignment may be empty, with score 0, where nothing scores more.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "kernels/backend.h"
#include "kernels/pair/pair_forbidden.h"
#include "kernels/pair/pair_sweep.h"
#include "libcore/scoring/alignment.h"

namespace warpseq {

/// The ends at which residues may be left over. With none of them the alignment is global.
struct FreeEnds {
    bool query_begin = false, query_end = false, target_begin = false, target_end = false;
};

struct PairProblem {
    std::span<const ResidueCode> query, target;  // each 0 residues or more
    bool local = false;
    FreeEnds free_ends;  // not with local
    /// Pairs of residues that a local alignment must not have, or null. They outlive the matrix.
    /// With them, the grid and the sweeper that finish() gets have to be those of a
    /// ForbiddingPairSweeper for these pairs (kernels/pair/pair_sweep_forbidden.h).
    const ForbiddenPairs* forbidden = nullptr;
};

struct PairLimits {
    std::uint64_t grid_bytes = std::uint64_t{1}
                               << 30;  // checkpoints kept at once, over all levels; at least a grid of 2 x 2 blocks
    bool score_only = false;           // then Alignment has the score and no positions
    /// Least cells of a block that the sweeper fills when tracing back. The CPU fills smaller
    /// blocks, with one thread each, because starting a GPU or many threads would take longer.
    /// Their checkpoints take at most cpu_grid_bytes, for a sweeper whose grid_bytes are a
    /// device's.
    std::uint64_t least_sweeper_cells = std::uint64_t{1} << 24;
    std::uint64_t cpu_grid_bytes = std::numeric_limits<std::uint64_t>::max();
    unsigned trace_threads = 1;  // that fill such blocks; several pay off for one long pair
};

/// One problem, solved in two steps. So a batch can sweep many matrices at once, and trace one
/// while the next ones are filled:
///     PairMatrix matrix(...);
///     if (matrix.needs_sweep()) grid = sweeper.sweep({matrix.task()});
///     matrix.finish(grid, ...);
class PairMatrix {
   public:
    /// Keeps references to `scheme` and to the sequences of `problem`. `sweeper` says what row
    /// steps it takes.
    PairMatrix(const PairProblem& problem, const ScoringScheme& scheme, const PairLimits& limits,
               const PairSweeper& sweeper);
    ~PairMatrix();
    PairMatrix(PairMatrix&&) noexcept;

    /// Whether the matrix has to be swept. False if a sequence is empty, so that there is nothing
    /// to fill, or if the matrix is one block that is traced at once.
    bool needs_sweep() const;
    const SweepTask& task() const;
    /// Returns the score alone, from the grid of task().
    Result<std::int32_t> score_raw(const PairGrid& grid) const;
    /// Returns the score, the end and, unless score_only is set, the path. `grid` is that of
    /// task(), or null without a sweep. It is freed. `sweeper` fills blocks again; it is the one of
    /// the sweep or another. Errors are the sweeper's. Thread-safe for different sweepers. Of
    /// `control`, stop and progress are used. Progress counts the residues of both sequences that
    /// the path has passed on its way back, m + n in all.
    Result<Alignment> finish(std::unique_ptr<PairGrid> grid, PairSweeper& sweeper, CpuBackend trace_backend,
                             const SweepControl& control) const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Aligns one pair, from the sweep to the path. `control` applies to the sweep; after it only its
/// stop is used.
Result<Alignment> align_pair(const PairProblem& problem, const ScoringScheme& scheme, const PairLimits& limits,
                             PairSweeper& sweeper, CpuBackend trace_backend, const SweepControl& control);

}  // namespace warpseq
