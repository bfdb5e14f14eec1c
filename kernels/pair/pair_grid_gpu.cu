#include "kernels/pair/pair_grid_gpu.cuh"

#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels/gpu/cuda_status.cuh"

namespace warpseq::cuda {

Status CheckpointStore::complete(std::uint64_t maxima) {
    maxima_raw_.resize(maxima);
    if (maxima > 0) WARPSEQ_TRY(read(0, maxima_raw_.data(), maxima * sizeof(std::int32_t)));
    const std::lock_guard lock(mutex_);
    complete_ = true;
    return {};
}

Status CheckpointStore::read(std::uint64_t offset, void* to, std::uint64_t bytes) {
    constexpr int kReadsBeforeCopy = 16;
    const std::lock_guard lock(mutex_);
    PairWorker& worker = *block_.worker();
    if (copied_) {
        std::memcpy(to, copy_.data() + offset, bytes);
        return {};
    }
    WARPSEQ_CUDA_TRY(cudaSetDevice(worker.ordinal()), worker.ordinal(), "cannot be used");
    if (complete_ && ++reads_ > kReadsBeforeCopy && may_be_copied()) {
        copy_ = worker.take_pinned();
        if (copy_.reserve(block_.size_bytes()) == cudaSuccess) {
            WARPSEQ_TRY(fetch(0, copy_.data(), block_.size_bytes()));
            copied_ = true;
            std::memcpy(to, copy_.data() + offset, bytes);
            return {};
        }
        reads_ = std::numeric_limits<int>::min();  // there is no such memory, so no copy is tried again
    }
    return fetch(offset, to, bytes);
}

Status CheckpointStore::fetch(std::uint64_t offset, void* to, std::uint64_t bytes) const {
    constexpr const char* kDoing = "cannot copy checkpoints of a pair";
    const PairWorker& worker = *block_.worker();
    WARPSEQ_CUDA_TRY(
        cudaMemcpyAsync(to, block_.data() + offset, bytes, cudaMemcpyDeviceToHost, worker.read_stream().get()),
        worker.ordinal(), kDoing);
    return worker.read_stream().wait(kDoing);
}

Status DevicePairGrid::read_row_checkpoint(std::uint64_t index, std::uint64_t first,
                                           std::span<BorderCell> cells) const {
    return store_->read(row_checkpoints_ + (index * (columns() + 1) + first) * sizeof(BorderCell), cells.data(),
                        cells.size_bytes());
}

Status DevicePairGrid::read_column_checkpoint(std::uint64_t index, std::uint64_t first,
                                              std::span<BorderCell> cells) const {
    return store_->read(column_checkpoints_ + (index * (rows() + 1) + first) * sizeof(BorderCell), cells.data(),
                        cells.size_bytes());
}

std::span<const std::int32_t> DevicePairGrid::block_maxima_raw() const {
    if (!local_ || !early_maxima_raw_.empty()) return early_maxima_raw_;
    return store_->maxima_raw().subspan(maxima_ / sizeof(std::int32_t), row_blocks() * column_blocks());
}

Status DevicePairGrid::fetch_maxima() {
    if (!local_) return {};
    early_maxima_raw_.resize(row_blocks() * column_blocks());
    return store_->read(maxima_, early_maxima_raw_.data(), early_maxima_raw_.size() * sizeof(std::int32_t));
}

Status BandedPairGrid::read_row_checkpoint(std::uint64_t index, std::uint64_t first,
                                           std::span<BorderCell> cells) const {
    for (const Part& band : bands_) {
        // Cell 0 of a band's row checkpoint is the last cell of the band on the left, but without
        // its gap.
        const std::uint64_t from = std::max(first, band.first_column + (band.first_column == 0 ? 0 : 1));
        const std::uint64_t to = std::min(first + cells.size(), band.first_column + band.grid->columns() + 1);
        if (from >= to) continue;
        WARPSEQ_TRY(
            band.grid->read_row_checkpoint(index, from - band.first_column, cells.subspan(from - first, to - from)));
    }
    return {};
}

Status BandedPairGrid::read_column_checkpoint(std::uint64_t index, std::uint64_t first,
                                              std::span<BorderCell> cells) const {
    const std::uint64_t column = std::min((index + 1) * column_step(), columns());
    const auto band = std::ranges::find_if(
        bands_, [&](const Part& each) { return column <= each.first_column + each.grid->columns(); });
    return band->grid->read_column_checkpoint((column - band->first_column - 1) / column_step(), first, cells);
}

Status BandedPairGrid::fetch_maxima() {
    for (const Part& band : bands_) WARPSEQ_TRY(band.grid->fetch_maxima());
    put_together();
    return {};
}

void BandedPairGrid::put_together() {
    if (!local_) return;
    maxima_raw_.assign(row_blocks() * column_blocks(), 0);
    for (const Part& band : bands_) {
        const std::span<const std::int32_t> given = band.grid->block_maxima_raw();
        const std::uint64_t before = band.first_column / column_step(), count = band.grid->column_blocks();
        for (std::uint64_t row = 0; row < row_blocks(); ++row) {
            for (std::uint64_t i = 0; i < count; ++i) {
                std::int32_t& to = maxima_raw_[row * column_blocks() + before + i];
                to = std::max(to, given[row * count + i]);
            }
        }
    }
}

}  // namespace warpseq::cuda
