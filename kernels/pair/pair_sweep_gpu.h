// The sweeper of kernels/pair/pair_sweep.h on GPUs. One persistent wavefront; docs/pair.md says
// how.
//
// Several GPUs. A long matrix is cut into bands of columns, at column checkpoints of its grid, one
// band a GPU, all cut into the same strips of rows. When a strip of a band ends, its cells of the
// band's last column go to pinned memory of the host, and the same strip of the next band may
// begin: a wavefront through all GPUs, each a strip's width behind the one before. No band waits
// for one to its right, so the leftmost that has not ended always goes on. Of many matrices each
// GPU gets some. The first GPU does what is too small for either, such as the blocks of the
// traceback. Checkpoints stay where they were written; BandedPairGrid joins them when they are
// read.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/pair/pair_sweep.h"
#include "kernels/pair/pair_sweep_plan_gpu.h"

namespace warpseq::cuda {

struct PairSweeperSettings {
    std::vector<int> ordinals;              // one or more; one listed twice is as two, each with half of it
    std::uint64_t device_memory_bytes = 0;  // per GPU, of what the sweeper allocates; 0: what is free, less a reserve
    /// Instead of what the plan would choose, for tests and benchmarks: one for all, or one for
    /// each.
    std::vector<PairShape> shapes = {};
    /// Bands are no narrower, and matrices with fewer rows have none. A strip begins about 128
    /// columns after the one above, so a narrower matrix has no more strips at work at a time than
    /// one GPU has schedulers.
    std::uint64_t least_band_columns = 1 << 16;
    std::uint64_t least_dealt_cells = std::uint64_t{1} << 36;  // several matrices with fewer cells are the first GPU's
};

/// kUnavailable, with the reason, when a GPU cannot be used. `scoring.scheme` outlives the sweeper;
/// grids may outlive both.
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
