// Sweeps over the matrix of a pair in plain scalar code; see the header.
#include "kernels/pair/pair_sweep_reference.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <new>
#include <utility>

#include "kernels/pair/host_pair_grid.h"

namespace warpseq {
namespace {

using Clock = std::chrono::steady_clock;

class ReferencePairSweeper final : public PairSweeper {
   public:
    explicit ReferencePairSweeper(const PairScoring& scoring) : scoring_(scoring) {}

    std::uint64_t row_granule(std::uint64_t, std::uint64_t) const override { return 1; }

    Result<std::vector<std::unique_ptr<PairGrid>>> sweep(std::span<const SweepTask> tasks,
                                                         const SweepControl& control) override {
        std::vector<std::unique_ptr<PairGrid>> grids;
        reported_ = Clock::now();
        cells_ = 0;
        try {
            for (const SweepTask& task : tasks) {
                auto grid = std::make_unique<HostPairGrid>(task, scoring_.local);
                WARPSEQ_TRY(fill(task, *grid, control, tasks.size() == 1));
                grids.push_back(std::move(grid));
            }
        } catch (const std::bad_alloc&) {
            return Status::out_of_memory("not enough memory for rows and columns of a pair's matrix");
        }
        if (control.progress && cells_ > 0) control.progress(cells_);
        return grids;
    }

   private:
    Status fill(const SweepTask& task, HostPairGrid& grid, const SweepControl& control, bool tells_rows) {
        const std::size_t m = task.query.size(), n = task.target.size();
        assert(m >= 1 && n >= 1 && task.top.size() == n + 1 && task.left.size() == m + 1 &&
               task.top[0].h == task.left[0].h);
        assert(task.row_step >= 1 && task.column_step >= 1);
        const std::int32_t extend = scoring_.scheme.gaps.extend, first = scoring_.scheme.gaps.first();
        std::vector<std::int32_t> h(n + 1), f(n + 1);  // H(i - 1, j), F(i, j), overwritten by H(i, j), F(i + 1, j)
        for (std::size_t j = 0; j <= n; ++j) {
            h[j] = task.top[j].h;
            f[j] = task.top[j].gap;
        }
        const std::size_t column_blocks = grid.column_blocks();
        for (std::size_t i = 1; i <= m; ++i) {
            if (control.stop.stop_requested()) return Status::interrupted();
            const std::size_t row_block = (i - 1) / task.row_step;
            std::int32_t diagonal = h[0];       // H(i - 1, j - 1)
            std::int32_t e = task.left[i].gap;  // E(i, j)
            h[0] = task.left[i].h;
            for (std::size_t j = 1; j <= n; ++j) {
                const std::int32_t match =
                    diagonal + scoring_.scheme.matrix.score_raw(task.query[i - 1], task.target[j - 1]);
                std::int32_t cell = std::max({match, e, f[j]});
                if (scoring_.local) cell = std::max(cell, 0);
                diagonal = h[j];
                h[j] = cell;
                e = std::max(e - extend, cell - first);
                f[j] = std::max(f[j] - extend, cell - first);
                const std::size_t column_block = (j - 1) / task.column_step;
                if (j % task.column_step == 0 || j == n) grid.column_checkpoint(column_block)[i] = {cell, e};
                if (scoring_.local) {
                    std::int32_t& maximum = grid.maxima_raw()[row_block * column_blocks + column_block];
                    maximum = std::max(maximum, cell);
                }
            }
            cells_ += n;
            if (i % task.row_step == 0 || i == m) {
                const std::span<BorderCell> line = grid.row_checkpoint(row_block);
                for (std::size_t j = 1; j <= n; ++j) line[j] = {h[j], f[j]};
                if (tells_rows && control.rows_done) WARPSEQ_TRY(control.rows_done(grid, row_block + 1));
            }
            if (control.progress && Clock::now() - reported_ > std::chrono::milliseconds(250)) {
                control.progress(std::exchange(cells_, 0));
                reported_ = Clock::now();
            }
        }
        return {};
    }

    PairScoring scoring_;
    Clock::time_point reported_;
    std::uint64_t cells_ = 0;  // done since the last report
};

}  // namespace

std::unique_ptr<PairSweeper> make_reference_pair_sweeper(const PairScoring& scoring) {
    return std::make_unique<ReferencePairSweeper>(scoring);
}

}  // namespace warpseq
