// Sweeps over pairs on the CPU. Strips of rows, one thread each, follow one another through the
// columns (kernels/pair/pair_sweep_work_simd.h). A local sweep begins with tall strips
// (kernels/pair/pair_tall_strip_simd.h), and strips of the usual height do the rest
// (kernels/pair/pair_skewed_strip_simd.h).
#include "kernels/pair/pair_sweep_simd.h"

#include <cstdint>
#include <iterator>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/backends/backend_table.h"
#include "kernels/pair/host_pair_grid.h"
#include "kernels/pair/pair_skewed_strip_simd.h"
#include "kernels/pair/pair_sweep_work_simd.h"
#include "kernels/pair/pair_tall_strip_simd.h"

namespace warpseq {
namespace {

Status no_memory() { return Status::out_of_memory("not enough memory for rows and columns of a pair's matrix"); }

class VectorPairSweeper final : public PairSweeper {
   public:
    VectorPairSweeper(const PairSweepTable& table, const PairScoring& scoring, const ThreadPool& pool)
        : table_(table), scoring_(scoring), pool_(pool), workspaces_(pool.threads()) {}

    std::uint64_t row_granule(std::uint64_t, std::uint64_t) const override { return 1; }
    Result<std::vector<std::unique_ptr<PairGrid>>> sweep(std::span<const SweepTask> tasks,
                                                         const SweepControl& control) override;

   private:
    /// Does what sweep() does, but throws std::bad_alloc.
    Result<std::vector<std::unique_ptr<PairGrid>>> sweep_all(std::span<const SweepTask> tasks,
                                                             const SweepControl& control);
    /// Fills the only matrix of a sweep by all threads.
    Status sweep_by_all(const SweepTask& task, HostPairGrid& grid, SweepWatch& watch);
    /// Does the work of a task until there is no more. Throws nothing.
    void work_on(PairSweepWork& work, PairSweepWorkspace& workspace, SweepWatch& watch, bool only_task) const;

    const PairSweepTable& table_;
    PairScoring scoring_;
    const ThreadPool& pool_;
    std::vector<PairSweepWorkspace> workspaces_;
};

void VectorPairSweeper::work_on(PairSweepWork& work, PairSweepWorkspace& workspace, SweepWatch& watch,
                                bool only_task) const {
    while (const std::optional<StripRun> run = work.take()) {
        bool done = false;
        try {
            if (run->count > 1) {
                const TallStripSweep::End end = TallStripSweep(work, *run, workspace, watch).run();
                if (end == TallStripSweep::End::kLeftOver) {
                    work.put_back(*run);
                    continue;
                }
                done = end == TallStripSweep::End::kDone;
            } else {
                done = SkewedStripSweep(work, run->first, workspace, watch).run();
            }
            const SweepStrip& strip = work.strips[run->last()];
            if (done && strip.ends_block && only_task && watch.control.rows_done) {
                const std::lock_guard lock(watch.mutex);
                Status status = watch.control.rows_done(work.grid, strip.row_block + 1);
                if (!status.ok()) {
                    if (watch.status.ok()) watch.status = std::move(status);
                    watch.stopped = true;
                }
            }
        } catch (...) {
            // The threads that wait for this strip have to learn of any failure.
            Status failure = status_of_exception();
            watch.stop(failure.code() == StatusCode::kOutOfMemory ? no_memory() : std::move(failure));
            done = false;
        }
        work.set_columns_done(run->last(), done ? work.task.target.size() : PairSweepWork::kGaveUp);
    }
}

Result<std::vector<std::unique_ptr<PairGrid>>> VectorPairSweeper::sweep(std::span<const SweepTask> tasks,
                                                                        const SweepControl& control) {
    auto grids = guarded([&] { return sweep_all(tasks, control); });
    if (grids.status().code() == StatusCode::kOutOfMemory) return no_memory();
    return grids;
}

Status VectorPairSweeper::sweep_by_all(const SweepTask& task, HostPairGrid& grid, SweepWatch& watch) {
    // A matrix of fewer cells is filled before another thread has woken up.
    constexpr std::uint64_t kCellsForThreads = std::uint64_t{1} << 20;
    const unsigned threads = task.query.size() * task.target.size() < kCellsForThreads ? 1 : pool_.threads();
    PairSweepWork work(table_, scoring_, task, grid, threads);
    work.tall_rows = tall_strip_rows(work, threads);
    if (threads > 1) {
        return pool_.parallel_for(
            threads, [&](std::uint64_t, unsigned thread) { work_on(work, workspaces_[thread], watch, true); });
    }
    work_on(work, workspaces_[0], watch, true);
    return {};
}

Result<std::vector<std::unique_ptr<PairGrid>>> VectorPairSweeper::sweep_all(std::span<const SweepTask> tasks,
                                                                            const SweepControl& control) {
    SweepWatch watch(control);
    std::vector<std::unique_ptr<HostPairGrid>> grids;
    for (const SweepTask& task : tasks) grids.push_back(std::make_unique<HostPairGrid>(task, scoring_.local));
    if (tasks.size() == 1) {
        WARPSEQ_TRY(sweep_by_all(tasks[0], *grids[0], watch));
    } else {
        WARPSEQ_TRY(pool_.parallel_for(tasks.size(), [&](std::uint64_t k, unsigned thread) {
            if (!watch.goes_on()) return;
            PairSweepWork work(table_, scoring_, tasks[k], *grids[k], 1);
            work.tall_rows = tall_strip_rows(work, 1);
            work_on(work, workspaces_[thread], watch, false);
        }));
    }
    if (!watch.status.ok()) return watch.status;
    watch.report_cells();
    return std::vector<std::unique_ptr<PairGrid>>(std::make_move_iterator(grids.begin()),
                                                  std::make_move_iterator(grids.end()));
}

}  // namespace

std::unique_ptr<PairSweeper> make_vector_pair_sweeper(CpuBackend backend, const PairScoring& scoring,
                                                      const ThreadPool& pool) {
    const BackendTable* const table = runnable_backend_table(backend);
    return table == nullptr ? nullptr : std::make_unique<VectorPairSweeper>(table->pair_sweep, scoring, pool);
}

}  // namespace warpseq
