// A sweep that runs, and the conversation between the caller and the kernels meanwhile.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/pair/pair_grid_gpu.cuh"
#include "kernels/pair/pair_sweep.h"
#include "kernels/pair/pair_worker_gpu.cuh"
#include "libcore/base/status.h"

namespace warpseq::cuda {

/// A sweep on one GPU whose kernels have been started. A Watch has to wait for its end.
struct RunningSweep {
    std::shared_ptr<PairWorker> worker;
    std::uint64_t rows_per_strip = 0, maxima = 0;
    std::optional<DeviceBlock> input, scratch;
    std::shared_ptr<CheckpointStore> store;
    std::vector<std::unique_ptr<DevicePairGrid>> grids;
};

/// Passes messages between the caller and the kernels while the kernels run. They are the kernels
/// of one GPU, or those of each band.
class Watch {
   public:
    /// Watches a sweep. `grid` is the grid of a sweep of one task, else null. Both have to outlive
    /// the watch.
    Watch(const SweepControl& control, GpuPairGrid* grid) : control_(control), grid_(grid) {}

    /// Waits for the kernels. After an error none runs any more. Also if a callback of the caller
    /// throws, no kernel runs any more, and the exception goes on.
    Status wait(std::span<RunningSweep> running);
    /// Makes the kernels leave as soon as they can, and waits for them. Returns `why`, or what
    /// failed meanwhile.
    static Status stop(std::span<RunningSweep> running, const Status& why);
    /// Reports the cells that the kernels had not yet told of.
    void complete(std::uint64_t cells) {
        if (control_.progress && cells > cells_) control_.progress(cells - cells_);
    }

   private:
    /// Tells the caller what has become done: cells and, if there is one grid, rows of blocks.
    Status tell(std::span<RunningSweep> running, bool ended);

    const SweepControl& control_;
    GpuPairGrid* grid_;
    std::uint64_t cells_ = 0, row_blocks_ = 0;
};

}  // namespace warpseq::cuda
