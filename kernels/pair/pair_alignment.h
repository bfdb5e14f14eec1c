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
// Row 0 scores 0 if the target's begin is free. Otherwise its cells score what a gap to them costs.
// Column 0 does the same with the query's begin. A path that reaches a free row 0 or column 0
// begins there. If the row or column is not free, the rest of the alignment is a gap.
//
// Memory. The sweep over the whole matrix keeps a grid of row and column checkpoints. From the end
// of the alignment, the path is traced back block by block. The part of a block beyond the cell at
// which the path enters it is left out. A small block is traced in one step. A larger block is
// swept again with a finer grid, and the same method is applied to the smaller blocks
// (kernels/pair/pair_sweep.h). The alignment is the same for all limits, sweepers and back ends.
//
// A begin or end of a sequence is "free" if residues there may stay outside the alignment at no
// cost. A semi-global alignment may be empty, with score 0, if nothing scores more.
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

/// The free begins and ends of both sequences. If none is free, the alignment is global.
struct FreeEnds {
    bool query_begin = false, query_end = false, target_begin = false, target_end = false;
};

struct PairProblem {
    std::span<const ResidueCode> query, target;  // 0 residues or more each
    bool local = false;
    FreeEnds free_ends;  // not with local
    /// Pairs of residues that a local alignment must not have, or null. They have to outlive the
    /// PairMatrix. If they are set, finish() needs a ForbiddingPairSweeper for these pairs
    /// (kernels/pair/pair_sweep_forbidden.h) and a grid that it made.
    const ForbiddenPairs* forbidden = nullptr;
};

struct PairLimits {
    std::uint64_t grid_bytes = std::uint64_t{1}
                               << 30;  // limit of all checkpoints that exist at once; the smallest grid may exceed it
    bool score_only = false;           // whether Alignment gets the score alone, without positions
    /// Least number of cells of a block that the sweeper fills again for the path. The CPU fills
    /// smaller blocks, with one thread each, because starting a GPU or many threads would take
    /// longer. Their checkpoints take at most cpu_grid_bytes. This limit is of use if grid_bytes is
    /// memory of a device.
    std::uint64_t least_sweeper_cells = std::uint64_t{1} << 24;
    std::uint64_t cpu_grid_bytes = std::numeric_limits<std::uint64_t>::max();
    unsigned trace_threads = 1;  // threads that fill such small blocks; several pay off for one long pair
    /// Largest number of cells of a local matrix that is not swept. finish() aligns such a pair
    /// with align_local(), which makes the same choices and is quicker on small matrices. Not used
    /// with score_only or with forbidden pairs.
    std::uint64_t most_cells_unswept = 0;
};

/// A pair problem, solved in two steps: a sweep, then tracing back. So a caller can sweep many
/// matrices at once, and trace some back while the next ones are swept:
///     PairMatrix matrix(...);
///     if (matrix.needs_sweep()) grid = sweeper.sweep({matrix.task()});
///     matrix.finish(grid, ...);
class PairMatrix {
   public:
    /// Plans the grid. Keeps references to `scheme` and to the sequences of `problem`. `sweeper` is
    /// only asked for its row granule.
    PairMatrix(const PairProblem& problem, const ScoringScheme& scheme, const PairLimits& limits,
               const PairSweeper& sweeper);
    ~PairMatrix();
    PairMatrix(PairMatrix&&) noexcept;

    /// Whether the matrix has to be swept. False if a sequence is empty, or if the matrix is so
    /// small that it is traced back as one block.
    bool needs_sweep() const;
    /// Returns the task to sweep.
    const SweepTask& task() const;
    /// Returns the score alone, from the grid of task().
    Result<std::int32_t> score_raw(const PairGrid& grid) const;
    /// Returns the score, the end and, unless score_only is set, the path. `grid` is the grid of
    /// task(), or null if there was no sweep. The call frees it. `sweeper` fills blocks again. It
    /// need not be the sweeper that filled the grid. Errors are the sweeper's. Thread-safe for
    /// different sweepers. Only stop and progress of `control` are used. Progress counts the
    /// residues of both sequences that the path has passed on its way back, m + n in all.
    Result<Alignment> finish(std::unique_ptr<PairGrid> grid, PairSweeper& sweeper, CpuBackend trace_backend,
                             const SweepControl& control) const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Aligns one pair, from the sweep to the path. All of `control` applies to the sweep, and its stop
/// to tracing back, too.
Result<Alignment> align_pair(const PairProblem& problem, const ScoringScheme& scheme, const PairLimits& limits,
                             PairSweeper& sweeper, CpuBackend trace_backend, const SweepControl& control);

}  // namespace warpseq
