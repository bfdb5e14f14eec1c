// Sweeps over the matrix of a pair in plain scalar code. They follow the recurrence of
// kernels/pair/pair_sweep.h word for word, one cell after the other, without pruning, and are never
// optimised. Tests compare every other back end with them.
#pragma once

#include <memory>

#include "kernels/pair/pair_sweep.h"

namespace warpseq {

/// Returns the reference sweeper. `scoring.scheme` has to outlive it. The sweeper fills tasks one
/// after the other, and calls rows_done after every row of blocks.
std::unique_ptr<PairSweeper> make_reference_pair_sweeper(const PairScoring& scoring);

}  // namespace warpseq
