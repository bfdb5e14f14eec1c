// The sweeper of kernels/pair_sweep.h on GPUs. One persistent wavefront; docs/pair.md says how.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/pair_sweep.h"

namespace warpseq::cuda {

struct PairSweeperSettings {
    std::vector<int> ordinals;               // one or more; several share a long matrix by bands of columns
    std::uint64_t device_memory_bytes = 0;  // per GPU, everything included; 0: what is free, less a reserve
};

/// kUnavailable, with the reason, when a GPU cannot be used. `scoring.scheme` outlives the sweeper.
Result<std::unique_ptr<PairSweeper>> make_pair_sweeper(const PairScoring& scoring, const PairSweeperSettings& settings);

/// Bytes for grids that a sweeper with these settings has left for a matrix of m x n.
Result<std::uint64_t> grid_bytes_available(const PairSweeperSettings& settings, std::uint64_t rows, std::uint64_t columns);

}  // namespace warpseq::cuda
