// The sweeper of kernels/pair_sweep.h on GPUs. One persistent wavefront; docs/pair.md says how.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/cuda/pair_sweep_plan.h"
#include "kernels/pair_sweep.h"

namespace warpseq::cuda {

struct PairSweeperSettings {
    std::vector<int> ordinals;              // one or more; so far the first one does all
    std::uint64_t device_memory_bytes = 0;  // per GPU, of what the sweeper allocates; 0: what is free, less a reserve
    const PairShape* shape = nullptr;       // instead of what the plan would choose: for tests and benchmarks
};

/// kUnavailable, with the reason, when a GPU cannot be used. `scoring.scheme` outlives the sweeper; grids may outlive both.
Result<std::unique_ptr<PairSweeper>> make_pair_sweeper(const PairScoring& scoring, const PairSweeperSettings& settings);

/// Bytes for grids that a sweeper with these settings has left for a matrix of m x n.
Result<std::uint64_t> grid_bytes_available(const PairSweeperSettings& settings, std::uint64_t rows,
                                           std::uint64_t columns);

/// What GPU sweepers tell besides: dynamic_cast finds it.
class PairKernelTime {
   public:
    virtual ~PairKernelTime() = default;
    /// Between the start of the last sweep's first kernel and the end of its last one.
    virtual float kernel_milliseconds() const = 0;
};

}  // namespace warpseq::cuda
