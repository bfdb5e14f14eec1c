// The best alignment of two sequences of any length, global, local or semi-global, in memory that
// the caller sets.
//
// The end. Global: (m, n). Local: the cell of the highest H; semi-global: the highest H of the last
// row (if the target's end is free), of the last column (if the query's end is free) and (m, n).
// Among equals the smallest target position, then the smallest query position. From there the path
// is kernels/pair/pair_trace.h's. Row 0 scores 0 where the target's begin is free, what a gap costs
// elsewhere; column 0 likewise with the query's. A path that reaches row 0 or column 0 where that
// is free begins there; elsewhere the rest is a gap.
//
// Memory. The sweep over the whole matrix keeps a grid of checkpoints. From the end, the path is
// traced back block by block: a block is cut off where the path enters it, and traced at once if it
// is small, else swept again with a finer grid, and so on down (kernels/pair/pair_sweep.h). The
// alignment is the same for all limits, sweepers and back ends.
//
// "Free": residues of that sequence may be left over at that end, outside the alignment, at no
// cost. A semi-global alignment may be empty, score 0, where nothing scores more.
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

/// Ends at which residues may be left over. None: global.
struct FreeEnds {
    bool query_begin = false, query_end = false, target_begin = false, target_end = false;
};

struct PairProblem {
    std::span<const ResidueCode> query, target;  // each 0 residues or more
    bool local = false;
    FreeEnds free_ends;  // not with local
    /// With local: pairs of residues that the alignment must not have, or null. Outlives the
    /// matrix; the grid and the sweeper that finish() gets are then of a ForbiddingPairSweeper
    /// (kernels/pair/pair_sweep_forbidden.h) for them.
    const ForbiddenPairs* forbidden = nullptr;
};

struct PairLimits {
    std::uint64_t grid_bytes = std::uint64_t{1}
                               << 30;  // checkpoints kept at once, over all levels; at least a grid of 2 x 2 blocks
    bool score_only = false;           // then Alignment has the score and no positions
    /// Tracing back, blocks of fewer cells are filled by the CPU, a thread each: starting a GPU or
    /// many threads would take longer. Their checkpoints take no more than cpu_grid_bytes, for a
    /// sweeper whose grid_bytes are a device's.
    std::uint64_t least_sweeper_cells = std::uint64_t{1} << 24;
    std::uint64_t cpu_grid_bytes = std::numeric_limits<std::uint64_t>::max();
    unsigned trace_threads = 1;  // for such blocks; several pay off for one long pair
};

/// A problem in two steps, so that a batch sweeps many matrices at once and traces one while the
/// next ones are filled:
///     PairMatrix matrix(...);  if (matrix.needs_sweep()) grid = sweeper.sweep({matrix.task()});  matrix.finish(grid, ...)
class PairMatrix {
   public:
    /// Kept by reference: scheme and the sequences of `problem`. `sweeper` says what row steps it
    /// takes.
    PairMatrix(const PairProblem& problem, const ScoringScheme& scheme, const PairLimits& limits,
               const PairSweeper& sweeper);
    ~PairMatrix();
    PairMatrix(PairMatrix&&) noexcept;

    /// False where a sequence is empty, so that there is nothing to fill, or where the matrix is
    /// one block that is traced at once.
    bool needs_sweep() const;
    const SweepTask& task() const;
    /// The score alone, from the grid of task().
    Result<std::int32_t> score_raw(const PairGrid& grid) const;
    /// The score, the end, and unless score_only the path. `grid` is that of task(), or null
    /// without a sweep; `sweeper` fills blocks again: the same one or another. Frees the grid.
    /// Errors are the sweeper's. Thread-safe for different sweepers. Of `control`, stop is used,
    /// and progress: it counts residues of both sequences that the path has come past on its way
    /// back, m + n in all.
    Result<Alignment> finish(std::unique_ptr<PairGrid> grid, PairSweeper& sweeper, CpuBackend trace_backend,
                             const SweepControl& control) const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

/// All of it for one pair. `control` is of the sweep; of what follows, stop alone.
Result<Alignment> align_pair(const PairProblem& problem, const ScoringScheme& scheme, const PairLimits& limits,
                             PairSweeper& sweeper, CpuBackend trace_backend, const SweepControl& control);

}  // namespace warpseq
