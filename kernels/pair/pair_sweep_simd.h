// Sweeps over the matrix of a pair with the vectors of a CPU back end, on the threads of a pool.
#pragma once

#include <memory>

#include "kernels/pair/pair_sweep.h"

namespace warpseq {

/// Returns the vector sweeper. Returns nullptr for kReference and for a back end that this
/// processor cannot run. `scoring.scheme` and `pool` have to outlive the sweeper. The sweeper takes
/// every row step. It does not prune, so every cell is exact.
std::unique_ptr<PairSweeper> make_vector_pair_sweeper(CpuBackend backend, const PairScoring& scoring,
                                                      const ThreadPool& pool);

}  // namespace warpseq
