// Lists local alignments of two sequences that share no pair of residues. The first is the best
// one. Each further one is the best alignment that has no pair of residues of an earlier one.
// EMBOSS' matcher and FASTA's lalign list the same. The method is that of M. Waterman and M.
// Eggert, J Mol Biol 197:723 (1987).
//
// The list is exact. The pairs of residues of an alignment are forbidden for all later ones
// (kernels/pair/pair_forbidden.h). Residues in gaps may be shared. Each alignment ends where
// kernels/pair/pair_alignment.h says, by column and then by row. Its path follows the rules of
// kernels/pair/pair_trace.h, without the forbidden diagonals. So the list is the same for every
// back end and any memory.
//
// The cost is one sweep of the whole matrix, without pruning, whose grid is kept. After each
// alignment some blocks are filled again, at most the whole matrix. They are the blocks that the
// alignment goes through, and all blocks whose top row or left column has changed. Changes reach
// about score / extend residues beyond the alignment.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/backend.h"
#include "kernels/pair/pair_alignment.h"
#include "kernels/pair/pair_sweep.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "libcore/scoring/alignment.h"
#include "libcore/scoring/scoring.h"

namespace warpseq {

/// A finder of the alignments of the list, one after another. Not thread-safe.
class PairIslands {
   public:
    /// Keeps references to `scheme`, `sweeper` and `pool`. These and the sequences have to outlive
    /// it. `problem` is local, forbids nothing, and has passed check_pair_bounds(). `limits` apply
    /// to the grid, which stays in host memory, and to tracing back. `sweeper` has the same
    /// scoring. It fills the whole matrix and large blocks. The pool's threads fill the other
    /// blocks.
    PairIslands(const PairProblem& problem, const ScoringScheme& scheme, const PairLimits& limits, PairSweeper& sweeper,
                CpuBackend backend, const ThreadPool& pool);
    ~PairIslands();
    PairIslands(PairIslands&&) noexcept;

    /// Fills the matrix for the first time. Has to be called once, before any other function. The
    /// errors of all functions are the sweeper's. After an error no function may be called.
    Status fill(const SweepControl& control);
    /// Returns the raw score of the alignment that next() would return, or 0 if there is none. The
    /// first call after next() fills the changed blocks again. Other calls take hardly any time.
    /// control.progress counts the cells that are filled again, at most those of the whole matrix.
    Result<std::int32_t> next_score_raw(const SweepControl& control);
    /// Returns the next alignment and forbids its pairs. Returns an empty alignment if there is
    /// none. Only stop and progress of `control` are used. Progress counts as in
    /// PairMatrix::finish().
    Result<Alignment> next(const SweepControl& control);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
