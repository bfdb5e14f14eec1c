// Grids whose checkpoints are in GPU memory. Those of a matrix that is cut into bands are on
// several GPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "kernels/gpu/memory.cuh"
#include "kernels/pair/pair_memory_plan_gpu.h"
#include "kernels/pair/pair_sweep.h"
#include "kernels/pair/pair_worker_gpu.cuh"
#include "libcore/base/status.h"
#include "libcore/scoring/border_cell.h"

namespace warpseq::cuda {

/// The checkpoints and maxima of all matrices of a sweep. They stay on the GPU until many small
/// pieces of them have been read. Reading is thread-safe.
class CheckpointStore {
   public:
    /// Makes a store in `block`. A store larger than `most_copy_bytes` is never copied to the host
    /// as a whole.
    CheckpointStore(DeviceBlock block, std::uint64_t most_copy_bytes)
        : block_(std::move(block)), most_copy_bytes_(most_copy_bytes) {}
    ~CheckpointStore() {
        if (copy_.size() > 0) block_.worker()->give_pinned(std::move(copy_));
    }
    CheckpointStore(const CheckpointStore&) = delete;
    CheckpointStore& operator=(const CheckpointStore&) = delete;

    std::byte* device() const { return block_.data(); }
    std::uint64_t size_bytes() const { return block_.size_bytes(); }
    /// Whether the store may be copied to the host as a whole, once many small pieces have been
    /// read.
    bool may_be_copied() const { return block_.size_bytes() <= most_copy_bytes_; }
    /// Called when the kernel that writes here has ended. From now on a copy is worth keeping. The
    /// maxima of blocks are the first `maxima` words.
    Status complete(std::uint64_t maxima);
    std::span<const std::int32_t> maxima_raw() const { return maxima_raw_; }  // of a complete store
    /// Reads bytes of the store, which kernels may be writing elsewhere. Waits for them.
    Status read(std::uint64_t offset, void* to, std::uint64_t bytes);

   private:
    Status fetch(std::uint64_t offset, void* to, std::uint64_t bytes) const;

    DeviceBlock block_;
    const std::uint64_t most_copy_bytes_;
    std::vector<std::int32_t> maxima_raw_;
    std::mutex mutex_;
    PinnedArray<std::byte> copy_;
    bool complete_ = false, copied_ = false;
    int reads_ = 0;
};

/// A grid whose maxima can be fetched while its sweep goes on.
class GpuPairGrid : public PairGrid {
   public:
    /// Fetches the maxima as they are now.
    virtual Status fetch_maxima() = 0;

   protected:
    using PairGrid::PairGrid;
};

/// The grid of a matrix, or of a band, that one GPU has filled.
class DevicePairGrid final : public GpuPairGrid {
   public:
    DevicePairGrid(const SweepTask& task, std::shared_ptr<CheckpointStore> store, const PairTaskPlaces& places,
                   bool local)
        : GpuPairGrid(task),
          store_(std::move(store)),
          row_checkpoints_(places.row_checkpoints),
          column_checkpoints_(places.column_checkpoints),
          maxima_(places.maxima),
          local_(local) {}

    Status read_row_checkpoint(std::uint64_t index, std::uint64_t first, std::span<BorderCell> cells) const override;
    Status read_column_checkpoint(std::uint64_t index, std::uint64_t first, std::span<BorderCell> cells) const override;
    std::span<const std::int32_t> block_maxima_raw() const override;
    Status fetch_maxima() override;

   private:
    std::shared_ptr<CheckpointStore> store_;
    std::uint64_t row_checkpoints_, column_checkpoints_, maxima_;
    bool local_;
    std::vector<std::int32_t> early_maxima_raw_;  // fetched while the sweep went on
};

/// The grids of a matrix's bands, joined into one.
class BandedPairGrid final : public GpuPairGrid {
   public:
    BandedPairGrid(const SweepTask& task, bool local) : GpuPairGrid(task), local_(local) {}
    /// Adds the grid of a band. Bands are added from left to right.
    void add(std::uint64_t first_column, std::unique_ptr<DevicePairGrid> grid) {
        bands_.push_back({first_column, std::move(grid)});
    }

    Status read_row_checkpoint(std::uint64_t index, std::uint64_t first, std::span<BorderCell> cells) const override;
    Status read_column_checkpoint(std::uint64_t index, std::uint64_t first, std::span<BorderCell> cells) const override;
    std::span<const std::int32_t> block_maxima_raw() const override { return maxima_raw_; }
    Status fetch_maxima() override;

   private:
    /// Joins the maxima that the bands have fetched. A band's end may be inside a block.
    void put_together();

    struct Part {
        std::uint64_t first_column;
        std::unique_ptr<DevicePairGrid> grid;
    };
    std::vector<Part> bands_;
    bool local_;
    std::vector<std::int32_t> maxima_raw_;
};

}  // namespace warpseq::cuda
