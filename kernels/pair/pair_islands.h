// The local alignments of two sequences that share no pair of residues: the best one, then the best
// one that has no pair of residues of those before, and so on. M. Waterman and M. Eggert, J Mol
// Biol 197:723 (1987); EMBOSS' matcher and FASTA's lalign list the same.
//
// Exact. A pair of residues that an alignment has is forbidden for all later ones
// (kernels/pair/pair_forbidden.h); residues in gaps may be shared. Each alignment ends where
// kernels/pair/pair_alignment.h says, by column and then by row, and has its path by the rules of
// kernels/pair/pair_trace.h, applied to what is not forbidden: the list is the same for every back
// end and any memory.
//
// Cost. One sweep of the whole matrix, without pruning, whose grid is kept. After each alignment
// the blocks that it goes through are filled again, and those that cells of other scores than
// before enter: at most the whole matrix. Scores that came from the alignment reach some score /
// extend residues beyond it.
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

/// Not thread-safe.
class PairIslands {
   public:
    /// References, the sequences and `scheme` outlive it. `problem` is local and forbids nothing,
    /// within check_pair_bounds(). `limits` are for the grid, which stays in the host's memory, and
    /// for tracing back. `sweeper`, of the same scoring, fills the whole matrix and large blocks,
    /// the pool's threads the others.
    PairIslands(const PairProblem& problem, const ScoringScheme& scheme, const PairLimits& limits, PairSweeper& sweeper,
                CpuBackend backend, const ThreadPool& pool);
    ~PairIslands();
    PairIslands(PairIslands&&) noexcept;

    /// Fills the matrix for the first time; before all else, once. Errors of all: the sweeper's.
    /// After an error it is of no use.
    Status fill(const SweepControl& control);
    /// The score of the next alignment, 0 if there is none: what next() would return, at hardly any
    /// cost. After an alignment was taken this fills again what it has changed; control.progress
    /// counts cells that are filled again, those of the whole matrix at most.
    Result<std::int32_t> next_score_raw(const SweepControl& control);
    /// The next alignment, which is then forbidden; an empty one if there is none. Of `control`,
    /// stop is used, and progress as PairMatrix::finish() does.
    Result<Alignment> next(const SweepControl& control);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
