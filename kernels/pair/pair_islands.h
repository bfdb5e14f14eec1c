// Finds the local alignments of two sequences that share no pair of residues. The first is the best
// one, the next is the best one that has no pair of residues of those before, and so on. EMBOSS'
// matcher and FASTA's lalign list the same. M. Waterman and M. Eggert, J Mol Biol 197:723 (1987).
//
// The list is exact. A pair of residues that an alignment has is forbidden for all later ones
// (kernels/pair/pair_forbidden.h). Residues in gaps may be shared. Each alignment ends where
// kernels/pair/pair_alignment.h says, by column and then by row. Its path follows the rules of
// kernels/pair/pair_trace.h, applied to what is not forbidden. So the list is the same for every
// back end and any memory.
//
// The cost is one sweep of the whole matrix, without pruning, whose grid is kept. After each
// alignment some blocks are filled again, at most the whole matrix. They are the blocks that the
// alignment goes through, and those that cells enter whose scores have changed. Scores that came
// from the alignment reach some score / extend residues beyond it.
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

/// The list of such alignments of two sequences, found one after another. Not thread-safe.
class PairIslands {
   public:
    /// Keeps its references, which have to outlive it, as do the sequences. `problem` is local,
    /// forbids nothing, and is within check_pair_bounds(). `limits` apply to the grid, which stays
    /// in the host's memory, and to tracing back. `sweeper` has the same scoring. It fills the
    /// whole matrix and large blocks; the pool's threads fill the others.
    PairIslands(const PairProblem& problem, const ScoringScheme& scheme, const PairLimits& limits, PairSweeper& sweeper,
                CpuBackend backend, const ThreadPool& pool);
    ~PairIslands();
    PairIslands(PairIslands&&) noexcept;

    /// Fills the matrix for the first time. It is called once, before any other function. The
    /// errors of all functions are the sweeper's. After an error the object is of no use.
    Status fill(const SweepControl& control);
    /// Returns the score of the alignment that next() would return, or 0 if there is none. This
    /// costs hardly anything, except after an alignment was taken: then it fills again what that
    /// one has changed. control.progress counts the cells that are filled again, at most those of
    /// the whole matrix.
    Result<std::int32_t> next_score_raw(const SweepControl& control);
    /// Returns the next alignment and forbids its pairs. Returns an empty one if there is none. Of
    /// `control`, stop and progress are used. Progress counts as in PairMatrix::finish().
    Result<Alignment> next(const SweepControl& control);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
