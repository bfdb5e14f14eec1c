// A grid whose checkpoints are in host memory. They are one allocation: the row checkpoints first,
// then the column checkpoints.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/pair/pair_sweep.h"

namespace warpseq {

class HostPairGrid final : public PairGrid {
   public:
    /// Allocates memory for the grid of a task. Copies cell 0 of each checkpoint from the task's
    /// column 0 and row 0. The sweeper writes all other cells and the maxima, which begin at 0.
    /// Throws std::bad_alloc.
    HostPairGrid(const SweepTask& task, bool local)
        : PairGrid(task),
          cells_(std::make_unique_for_overwrite<BorderCell[]>(row_blocks() * (columns() + 1) +
                                                              column_blocks() * (rows() + 1))) {
        if (local) maxima_raw_.resize(row_blocks() * column_blocks());
        for (std::uint64_t index = 0; index < row_blocks(); ++index) {
            row_checkpoint(index)[0] = {task.left[std::min(rows(), (index + 1) * row_step())].h, 0};
        }
        for (std::uint64_t index = 0; index < column_blocks(); ++index) {
            column_checkpoint(index)[0] = {task.top[std::min(columns(), (index + 1) * column_step())].h, 0};
        }
    }

    std::span<BorderCell> row_checkpoint(std::uint64_t index) {
        return {cells_.get() + row_offset(index), columns() + 1};
    }
    std::span<BorderCell> column_checkpoint(std::uint64_t index) {
        return {cells_.get() + column_offset(index), rows() + 1};
    }
    std::span<std::int32_t> maxima_raw() { return maxima_raw_; }

    Status read_row_checkpoint(std::uint64_t index, std::uint64_t first, std::span<BorderCell> cells) const override {
        assert(index < row_blocks() && first + cells.size() <= columns() + 1);
        std::copy_n(cells_.get() + row_offset(index) + first, cells.size(), cells.begin());
        return {};
    }
    Status read_column_checkpoint(std::uint64_t index, std::uint64_t first,
                                  std::span<BorderCell> cells) const override {
        assert(index < column_blocks() && first + cells.size() <= rows() + 1);
        std::copy_n(cells_.get() + column_offset(index) + first, cells.size(), cells.begin());
        return {};
    }
    std::span<const std::int32_t> block_maxima_raw() const override { return maxima_raw_; }

   private:
    std::uint64_t row_offset(std::uint64_t index) const { return index * (columns() + 1); }
    std::uint64_t column_offset(std::uint64_t index) const {
        return row_blocks() * (columns() + 1) + index * (rows() + 1);
    }

    std::unique_ptr<BorderCell[]> cells_;
    std::vector<std::int32_t> maxima_raw_;
};

}  // namespace warpseq
