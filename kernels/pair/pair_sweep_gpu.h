// The sweeper of kernels/pair/pair_sweep.h on GPUs. Its kernel runs as one persistent wavefront,
// which docs/pair.md describes.
//
// Several GPUs. A long matrix is cut into bands of columns, at column checkpoints of its grid, one
// band per GPU. All bands are cut into the same strips of rows. When a strip of a band ends, its
// cells of the band's last column are copied to pinned host memory. Then the same strip of the next
// band may begin. So a wavefront goes through all GPUs, and each GPU is one strip behind the GPU
// before it. A band never waits for a band to its right, so the leftmost unfinished band always
// makes progress. If there are many matrices, each GPU gets some of them. The first GPU alone does
// what is too small for both ways, such as the blocks that are traced back. Checkpoints stay on the
// GPU that wrote them. BandedPairGrid joins them when they are read.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/pair/pair_sweep.h"
#include "kernels/pair/pair_sweep_plan_gpu.h"

namespace warpseq::cuda {

struct PairSweeperSettings {
    std::vector<int> ordinals;              // at least one; a GPU that is listed twice acts as two halves
    std::uint64_t device_memory_bytes = 0;  // most bytes allocated per GPU; 0: what is free, less a reserve
    /// Kernel shapes to use instead of the plan's choice, for tests and benchmarks: one for all
    /// GPUs, or one for each.
    std::vector<PairShape> shapes = {};
    /// Least number of columns of a band. A matrix with fewer rows than this number is not cut into
    /// bands. A strip begins about 128 columns behind the strip above it. So in a narrower matrix
    /// no more strips are at work at a time than one GPU has schedulers.
    std::uint64_t least_band_columns = 1 << 16;
    std::uint64_t least_dealt_cells = std::uint64_t{1} << 36;  // if several matrices have fewer, the first GPU does all
};

/// Returns a sweeper. Fails with kUnavailable and the reason if a GPU cannot be used.
/// `scoring.scheme` has to outlive the sweeper. Grids may outlive both.
Result<std::unique_ptr<PairSweeper>> make_pair_sweeper(const PairScoring& scoring, const PairSweeperSettings& settings);

/// Returns the bytes of memory that a sweeper with these settings has for the grids of a matrix of
/// rows x columns.
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
