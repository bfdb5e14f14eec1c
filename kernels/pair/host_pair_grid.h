// The lines of a sweep in host memory: one allocation, row lines first, then column lines.
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
    /// Memory for the grid of a task; all cells but those at column 0 and row 0, which are copied from the task's lines, and all
    /// maxima (0) are left to the sweeper. Throws std::bad_alloc.
    HostPairGrid(const SweepTask& task, bool local)
        : PairGrid(task),
          cells_(std::make_unique_for_overwrite<BorderCell[]>(row_blocks() * (columns() + 1) +
                                                              column_blocks() * (rows() + 1))) {
        if (local) maxima_raw_.resize(row_blocks() * column_blocks());
        for (std::uint64_t line = 0; line < row_blocks(); ++line) {
            row_line(line)[0] = {task.left[std::min(rows(), (line + 1) * row_step())].h, 0};
        }
        for (std::uint64_t line = 0; line < column_blocks(); ++line) {
            column_line(line)[0] = {task.top[std::min(columns(), (line + 1) * column_step())].h, 0};
        }
    }

    std::span<BorderCell> row_line(std::uint64_t line) { return {cells_.get() + row_offset(line), columns() + 1}; }
    std::span<BorderCell> column_line(std::uint64_t line) { return {cells_.get() + column_offset(line), rows() + 1}; }
    std::span<std::int32_t> maxima_raw() { return maxima_raw_; }

    Status read_row_line(std::uint64_t line, std::uint64_t first, std::span<BorderCell> cells) const override {
        assert(line < row_blocks() && first + cells.size() <= columns() + 1);
        std::copy_n(cells_.get() + row_offset(line) + first, cells.size(), cells.begin());
        return {};
    }
    Status read_column_line(std::uint64_t line, std::uint64_t first, std::span<BorderCell> cells) const override {
        assert(line < column_blocks() && first + cells.size() <= rows() + 1);
        std::copy_n(cells_.get() + column_offset(line) + first, cells.size(), cells.begin());
        return {};
    }
    std::span<const std::int32_t> block_maxima_raw() const override { return maxima_raw_; }

   private:
    std::uint64_t row_offset(std::uint64_t line) const { return line * (columns() + 1); }
    std::uint64_t column_offset(std::uint64_t line) const {
        return row_blocks() * (columns() + 1) + line * (rows() + 1);
    }

    std::unique_ptr<BorderCell[]> cells_;
    std::vector<std::int32_t> maxima_raw_;
};

}  // namespace warpseq
