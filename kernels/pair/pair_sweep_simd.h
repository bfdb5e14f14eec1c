// Sweeps over the matrix of a pair with the vectors of a CPU back end, over the threads of a pool.
#pragma once

#include <memory>

#include "kernels/pair/pair_sweep.h"

namespace warpseq {

/// nullptr for kReference and for a back end that this processor cannot run. `scoring.scheme` and
/// `pool` outlive it. Every row step will do, and every cell is exact: nothing is pruned.
std::unique_ptr<PairSweeper> make_vector_pair_sweeper(CpuBackend backend, const PairScoring& scoring,
                                                      const ThreadPool& pool);

}  // namespace warpseq
