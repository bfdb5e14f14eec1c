// The sweeper of kernels/pair/pair_sweep.h on GPUs. It is one persistent wavefront, which
// docs/pair.md describes.
//
// Several GPUs. A long matrix is cut into bands of columns, at column checkpoints of its grid, one
// band per GPU. All bands are cut into the same strips of rows. When a strip of a band ends, its
// cells of the band's last column go to pinned memory of the host. Then the same strip of the next
// band may begin. This makes a wavefront through all GPUs, each a strip's width behind the one
// before. No band waits for one to its right, so the leftmost band that has not ended always goes
// on. Many matrices are shared out, so that each GPU gets some. The first GPU does what is too
// small for either, such as the blocks of the traceback. Checkpoints stay where they were written.
// BandedPairGrid joins them when they are read.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/pair/pair_sweep.h"
#include "kernels/pair/pair_sweep_plan_gpu.h"

namespace warpseq::cuda {

struct PairSweeperSettings {
    std::vector<int> ordinals;              // one or more; a GPU that is listed twice acts as two, each with half of it
    std::uint64_t device_memory_bytes = 0;  // most that it allocates per GPU; 0: what is free, less a reserve
    /// Shapes to use instead of the plan's choice, for tests and benchmarks: one for all GPUs, or
    /// one for each.
    std::vector<PairShape> shapes = {};
    /// Least columns of a band. Matrices with fewer rows have no bands. A strip begins about 128
    /// columns after the one above. So a narrower matrix has no more strips at work at a time than
    /// one GPU has schedulers.
    std::uint64_t least_band_columns = 1 << 16;
    std::uint64_t least_dealt_cells = std::uint64_t{1} << 36;  // several matrices with fewer cells are the first GPU's
};

/// Returns a sweeper. Fails with kUnavailable and the reason when a GPU cannot be used.
/// `scoring.scheme` outlives the sweeper; grids may outlive both.
Result<std::unique_ptr<PairSweeper>> make_pair_sweeper(const PairScoring& scoring, const PairSweeperSettings& settings);

/// Returns the bytes that a sweeper with these settings has left for grids of a matrix of m x n.
Result<std::uint64_t> grid_bytes_available(const PairSweeperSettings& settings, std::uint64_t rows,
                                           std::uint64_t columns);

/// The kernel time of a GPU sweeper. dynamic_cast of a PairSweeper finds this interface.
class PairKernelTime {
   public:
    virtual ~PairKernelTime() = default;
    /// Returns the milliseconds between the start of the last sweep's first kernel and the end of
    /// its last one.
    virtual float kernel_milliseconds() const = 0;
};

}  // namespace warpseq::cuda
