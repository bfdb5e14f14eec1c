// The pair sweeper on one GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/pair/pair_instances_gpu.cuh"
#include "kernels/pair/pair_memory_plan_gpu.h"
#include "kernels/pair/pair_sweep_gpu.h"
#include "kernels/pair/pair_watch_gpu.cuh"
#include "kernels/pair/pair_worker_gpu.cuh"
#include "libcore/base/status.h"

namespace warpseq::cuda {

/// Returns the cells of all matrices.
std::uint64_t cells_of(std::span<const SweepTask> tasks);

/// A band of columns of a matrix. The columns that it shares with its neighbours are in pinned
/// memory.
struct PairBand {
    SweepTask task;
    PairShape shape{};
    PairBandLinks links;
};

class GpuPairSweeper final : public PairSweeper, public PairKernelTime {
   public:
    /// Makes a sweeper. `shape`, unless null, is used instead of the plan's choice.
    GpuPairSweeper(const PairScoring& scoring, std::shared_ptr<PairWorker> worker, const PairShape* shape)
        : scoring_(scoring), worker_(std::move(worker)) {
        if (shape != nullptr) forced_ = *shape;
    }

    std::uint64_t row_granule(std::uint64_t rows, std::uint64_t columns) const override {
        return shape_alone(rows, columns).strip_rows();
    }
    std::uint64_t side_by_side(std::uint64_t rows, std::uint64_t columns) const override;
    Result<std::vector<std::unique_ptr<PairGrid>>> sweep(std::span<const SweepTask> tasks,
                                                         const SweepControl& control) override;
    float kernel_milliseconds() const override { return kernel_milliseconds_; }

    int ordinal() const { return worker_->ordinal(); }
    PairShape shape_alone(std::uint64_t rows, std::uint64_t columns) const {
        return forced_ ? *forced_ : choose_pair_shape(rows, columns, scoring_.scheme, worker_->multiprocessors());
    }
    /// Returns the shape for one task. It is `shape`, or the wide shape if only that one fills a
    /// matrix with such borders.
    PairShape shape_of_one(const SweepTask& task, const PairShape& shape) const;
    /// start(), start_band() and finish() are the first and the last part of sweep(); Watch::wait()
    /// comes between them. If a start fails or throws, nothing that it has started runs any more.
    Result<RunningSweep> start(std::span<const SweepTask> tasks);
    Result<RunningSweep> start_band(const PairBand& band);
    Status finish(RunningSweep& running);

   private:
    Result<PairShape> shape_of(const SweepTask& task, std::size_t tasks) const;
    Result<RunningSweep> start(std::span<const SweepTask> tasks, std::span<const PairShape> shapes,
                               const PairBand* band);
    // The steps of start(). The last four enqueue work.
    Result<RunningSweep> allocate(const PairMemoryPlan& plan) const;
    void make_grids(RunningSweep& running, const PairMemoryPlan& plan, std::span<const SweepTask> tasks) const;
    Result<PairLetterNumbers> copy_inputs(const RunningSweep& running, const PairMemoryPlan& plan,
                                          std::span<const SweepTask> tasks, const PairBandLinks& links);
    Status clear(const RunningSweep& running, const PairMemoryPlan& plan);
    Status write_beginnings(const RunningSweep& running, const PairMemoryPlan& plan);
    Status launch(const RunningSweep& running, const PairMemoryPlan& plan, const PairLetterNumbers& letters);

    PairKernelArguments arguments_of(const RunningSweep& running, const PairMemoryPlan& plan,
                                     const PairLetterNumbers& letters) const;
    /// Returns the blocks of a kernel that this sweeper's part of the GPU holds at one time.
    Result<int> blocks_of(PairKernel kernel, std::size_t shared_bytes);

    PairScoring scoring_;
    std::shared_ptr<PairWorker> worker_;
    std::optional<PairShape> forced_;
    std::map<std::pair<PairKernel, std::size_t>, int> blocks_;
    float kernel_milliseconds_ = 0;
};

}  // namespace warpseq::cuda
