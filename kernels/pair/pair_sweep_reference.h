// Sweeps over the matrix of a pair in plain scalar code: the recurrence of
// kernels/pair/pair_sweep.h word for word, one cell after the other, no pruning, never optimised.
// Tests compare every other back end with it.
#pragma once

#include <memory>

#include "kernels/pair/pair_sweep.h"

namespace warpseq {

/// `scoring.scheme` outlives it. Tasks are filled one after the other; rows_done comes with every
/// row of blocks.
std::unique_ptr<PairSweeper> make_reference_pair_sweeper(const PairScoring& scoring);

}  // namespace warpseq
