// The pair sweeper on several GPUs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/pair/pair_sweep.h"
#include "kernels/pair/pair_sweep_gpu.h"
#include "kernels/pair/pair_sweeper_gpu.cuh"
#include "libcore/base/status.h"

namespace warpseq::cuda {

/// A sweeper on several GPUs. It gives each a band of columns of a long matrix, or some of many
/// tasks. The first GPU does everything else.
class MultiGpuPairSweeper final : public PairSweeper, public PairKernelTime {
   public:
    using Grids = std::vector<std::unique_ptr<PairGrid>>;

    MultiGpuPairSweeper(const PairScoring& scoring, std::vector<std::unique_ptr<GpuPairSweeper>> gpus,
                        std::uint64_t least_band_columns, std::uint64_t least_dealt_cells)
        : scoring_(scoring),
          gpus_(std::move(gpus)),
          least_band_columns_(least_band_columns),
          least_dealt_cells_(least_dealt_cells) {}

    std::uint64_t row_granule(std::uint64_t rows, std::uint64_t columns) const override;
    std::uint64_t side_by_side(std::uint64_t rows, std::uint64_t columns) const override {
        return gpus_[0]->side_by_side(rows, columns);
    }
    Result<Grids> sweep(std::span<const SweepTask> tasks, const SweepControl& control) override;
    /// Returns the time of the GPU that took longest.
    float kernel_milliseconds() const override { return kernel_milliseconds_; }

   private:
    std::uint64_t most_bands(std::uint64_t rows, std::uint64_t columns) const;
    PairShape shape_of_bands(std::uint64_t rows, std::uint64_t columns) const;
    /// Returns the last column of each band. It is a column checkpoint, or any column where the
    /// only checkpoint is the last column.
    std::vector<std::uint64_t> band_ends(const SweepTask& task) const;
    Result<Grids> sweep_bands(const SweepTask& task, std::span<const std::uint64_t> ends, const SweepControl& control);
    /// Deals out tasks, large ones first, each to the GPU that has least.
    Result<Grids> deal(std::span<const SweepTask> tasks, const SweepControl& control);

    PairScoring scoring_;
    std::vector<std::unique_ptr<GpuPairSweeper>> gpus_;
    std::uint64_t least_band_columns_, least_dealt_cells_;
    float kernel_milliseconds_ = 0;
};

}  // namespace warpseq::cuda
