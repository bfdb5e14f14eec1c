#include "kernels/pair/pair_islands.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "kernels/pair/host_pair_grid.h"
#include "kernels/pair/pair_forbidden.h"
#include "kernels/pair/pair_sweep_forbidden.h"

namespace warpseq {
namespace {

/// A view of a grid that is kept elsewhere, for PairMatrix::finish(), which frees the view.
class KeptGrid final : public PairGrid {
   public:
    explicit KeptGrid(const PairGrid& kept)
        : PairGrid(kept.rows(), kept.columns(), kept.row_step(), kept.column_step()), kept_(kept) {}

    Status read_row_checkpoint(std::uint64_t index, std::uint64_t first, std::span<BorderCell> cells) const override {
        return kept_.read_row_checkpoint(index, first, cells);
    }
    Status read_column_checkpoint(std::uint64_t index, std::uint64_t first,
                                  std::span<BorderCell> cells) const override {
        return kept_.read_column_checkpoint(index, first, cells);
    }
    std::span<const std::int32_t> block_maxima_raw() const override { return kept_.block_maxima_raw(); }

   private:
    const PairGrid& kept_;
};

PairProblem with_forbidden(PairProblem problem, const ForbiddenPairs& forbidden) {
    problem.forbidden = &forbidden;
    return problem;
}

Status no_memory() { return Status::out_of_memory("not enough memory for rows and columns of a pair's matrix"); }

/// Returns a grid in the host's memory, which can be changed. It is the sweeper's own grid or, if
/// that is elsewhere, a copy.
Result<std::unique_ptr<HostPairGrid>> in_host_memory(std::unique_ptr<PairGrid> grid, const SweepTask& task) {
    if (auto* const host = dynamic_cast<HostPairGrid*>(grid.get())) {
        static_cast<void>(grid.release());
        return std::unique_ptr<HostPairGrid>(host);
    }
    auto copy = std::make_unique<HostPairGrid>(task, true);
    for (std::uint64_t index = 0; index < grid->row_blocks(); ++index) {
        WARPSEQ_TRY(grid->read_row_checkpoint(index, 1, copy->row_checkpoint(index).subspan(1)));
    }
    for (std::uint64_t index = 0; index < grid->column_blocks(); ++index) {
        WARPSEQ_TRY(grid->read_column_checkpoint(index, 1, copy->column_checkpoint(index).subspan(1)));
    }
    std::ranges::copy(grid->block_maxima_raw(), copy->maxima_raw().begin());
    return copy;
}

}  // namespace

struct PairIslands::State {
    PairSweeper& sweeper;
    const CpuBackend backend;
    ForbiddenPairs forbidden;
    ForbiddingPairSweeper forbidding;
    PairMatrix matrix;
    SweepTask task;
    std::unique_ptr<HostPairGrid> grid;  // null where a sequence is empty
    Alignment last;                      // the last alignment, whose pairs the grid does not yet forbid

    State(const PairProblem& problem, const ScoringScheme& scheme, const PairLimits& limits, PairSweeper& the_sweeper,
          CpuBackend the_backend, const ThreadPool& pool)
        : sweeper(the_sweeper),
          backend(the_backend),
          forbidding({scheme, true}, forbidden, sweeper, limits.least_sweeper_cells, backend, pool),
          matrix(with_forbidden(problem, forbidden), scheme, limits, sweeper) {
        if (matrix.needs_sweep()) task = matrix.task();
        task.reached_raw = SweepTask::kNoPruning;
    }

    Status fill(const SweepControl& control) {
        if (!matrix.needs_sweep()) return {};
        auto grids = sweeper.sweep({&task, 1}, control);
        if (!grids.ok()) return grids.status();
        auto kept = in_host_memory(std::move(grids->front()), task);
        if (!kept.ok()) return kept.status();
        grid = *std::move(kept);
        return {};
    }

    Status forbid_last(const SweepControl& control) {
        if (last.runs.empty()) return {};
        ForbiddenPairs added;
        added.add(last);
        std::vector<std::uint8_t> waiting;
        for (std::uint64_t row = 0; row < grid->rows(); row += grid->row_step()) {
            for (std::uint64_t column = 0; column < grid->columns(); column += grid->column_step()) {
                waiting.push_back(added.meets({row, column, grid->row_step(), grid->column_step()}) ? 1 : 0);
            }
        }
        forbidden.add(last);
        last = {};
        return forbidding.fill_again(task, *grid, waiting, control);
    }

    Result<std::int32_t> next_score_raw(const SweepControl& control) {
        if (!grid) return 0;
        WARPSEQ_TRY(forbid_last(control));
        return std::max(0, *std::ranges::max_element(grid->block_maxima_raw()));
    }

    Result<Alignment> next(const SweepControl& control) {
        SweepControl silent;
        silent.stop = control.stop;
        const auto score_raw = next_score_raw(silent);
        if (!score_raw.ok()) return score_raw.status();
        if (*score_raw == 0) return Alignment{};
        auto alignment = matrix.finish(std::make_unique<KeptGrid>(*grid), forbidding, backend, control);
        if (alignment.ok()) last = *alignment;
        return alignment;
    }
};

PairIslands::PairIslands(const PairProblem& problem, const ScoringScheme& scheme, const PairLimits& limits,
                         PairSweeper& sweeper, CpuBackend backend, const ThreadPool& pool)
    : state_(new State(problem, scheme, limits, sweeper, backend, pool)) {}
PairIslands::~PairIslands() = default;
PairIslands::PairIslands(PairIslands&&) noexcept = default;

Status PairIslands::fill(const SweepControl& control) {
    try {
        return state_->fill(control);
    } catch (const std::bad_alloc&) {
        return no_memory();
    }
}

Result<std::int32_t> PairIslands::next_score_raw(const SweepControl& control) {
    try {
        return state_->next_score_raw(control);
    } catch (const std::bad_alloc&) {
        return no_memory();
    }
}

Result<Alignment> PairIslands::next(const SweepControl& control) {
    try {
        return state_->next(control);
    } catch (const std::bad_alloc&) {
        return no_memory();
    }
}

}  // namespace warpseq
