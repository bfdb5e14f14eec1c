// The state of a running pair search. Its functions are in pair_search.cpp (work on one pair) and
// pair_groups.cpp (work on groups of pairs).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engines/pair/pair_search.h"
#include "libcore/base/observer.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// One strand of a pair, with its matrix.
struct StrandJob {
    PairResult result;
    std::optional<PairMatrix> matrix;
    std::unique_ptr<PairGrid> grid;
};

struct PairSearch::State {
    static constexpr const char* kFillingLabel = "Aligning";
    static constexpr const char* kTracingLabel = "Tracing back";
    // Cells up to which align_local() is quicker than a sweep and tracing back, for related
    // sequences as well as for unrelated ones. Its directions take a byte a cell.
    static constexpr std::uint64_t kMostCellsUnswept = std::uint64_t{1} << 20;
    // Bytes that a GPU needs for the description of a matrix and for the alignment of its parts.
    static constexpr std::uint64_t kTaskBytesGpu = 4096;

    const PairInput& input;
    const ScoringScheme& scheme;
    const PairSearchSettings settings;
    const SessionSettings& machine;
    const std::vector<int>& gpus;
    const GpuMemoryLimits gpu_memory;
    std::uint64_t gpu_bytes = 0;  // most of each GPU; 0: what is free
    Observer& observer;
    const std::stop_token stop;
    const ThreadPool pool;  // its loops end when the search is stopped
    const PairScoring scoring;
    PairSearchCounts counts;
    PairRange range;  // the range that is being started; used by the thread that starts it

    std::unique_ptr<PairSweeper> wide;                         // all threads, or the GPUs
    std::uint64_t group_grid_bytes = 0, group_work_bytes = 0;  // of one group on GPUs
    // A sweeper for each of the pool's threads.
    std::vector<std::unique_ptr<ThreadPool>> single_threads;
    std::vector<std::unique_ptr<PairSweeper>> narrow;

    bool shows_progress = false;  // whether to show progress over all pairs, which are one range then
    std::unique_ptr<Progress> progress;
    std::mutex progress_mutex;
    std::uint64_t cells_done = 0;
    std::uint64_t path_done = 0;  // progress of the work that begin_trace() announced
    bool tracing = false;

    State(const Session& session, const PairInput& the_input, const ScoringScheme& the_scheme,
          PairSearchSettings the_settings, const SearchControl& control)
        : input(the_input),
          scheme(the_scheme),
          settings(std::move(the_settings)),
          machine(session.settings()),
          gpus(session.gpus()),
          gpu_memory(session.gpu_memory_limits()),
          observer(control.observer),
          stop(control.stop),
          pool(session.pool().with_stop(stop)),
          scoring{scheme, settings.local} {}

    bool on_gpus() const { return !gpus.empty(); }
    std::uint64_t strands() const { return settings.strand == PairStrand::kBoth ? 2 : 1; }
    std::uint64_t rows(std::uint64_t pair) const { return input.queries[input.pair(pair).first].residues.size(); }
    std::uint64_t columns(std::uint64_t pair) const { return input.targets[input.pair(pair).second].residues.size(); }
    std::uint64_t cells(std::uint64_t pair) const { return cell_count(rows(pair), columns(pair)); }

    /// Returns the most bytes that a pair's results may take while they are kept, but not more than
    /// settings.memory_bytes.
    std::uint64_t result_bytes(std::uint64_t pair) const {
        const std::uint64_t runs = settings.score_only ? 0 : 2 * std::min(rows(pair), columns(pair)) + 1;
        const std::uint64_t bytes =
            sizeof(PairResult) + runs * sizeof(AlignmentRun) + (settings.strand == PairStrand::kPlus ? 0 : rows(pair));
        const std::uint64_t most = settings.list ? std::max<std::uint64_t>(1, settings.list->max_alignments) : 1;
        return bytes > settings.memory_bytes / most ? settings.memory_bytes : bytes * most;
    }
    /// Returns the most bytes that a GPU needs for a pair besides its checkpoints.
    std::uint64_t work_bytes(std::uint64_t pair) const {
        const std::uint64_t residues = rows(pair) + columns(pair);
        return strands() *
               (residues + (residues + columns(pair)) * sizeof(BorderCell) + rows(pair) / 8 + kTaskBytesGpu);
    }

    /// Returns the limits for one strand.
    PairLimits limits(std::uint64_t grid_bytes) const {
        PairLimits limits;
        limits.grid_bytes = std::max<std::uint64_t>(1, grid_bytes / strands());
        limits.score_only = settings.score_only;
        if (!settings.checkpoint_file) limits.most_cells_unswept = kMostCellsUnswept;
        return limits;
    }

    void add_progress(std::uint64_t done) {
        const std::lock_guard lock(progress_mutex);
        cells_done += done;
        if (progress && !tracing) progress->update(cells_done);
    }

    /// Makes the progress bar show the work that follows the sweep, until end_trace(). `total` is
    /// the amount of that work.
    void begin_trace(std::uint64_t total, const char* label = kTracingLabel) {
        const std::lock_guard lock(progress_mutex);
        path_done = 0;
        tracing = true;
        if (progress) progress->restart(label, total, 0);
    }
    void add_traced(std::uint64_t done) {
        const std::lock_guard lock(progress_mutex);
        path_done += done;
        if (progress && tracing) progress->update(path_done);
    }
    void end_trace() {
        const std::lock_guard lock(progress_mutex);
        tracing = false;
        if (progress) progress->restart(kFillingLabel, counts.cells, cells_done);
    }
    /// Adds cells that an earlier run has filled to the progress.
    void skip_progress(std::uint64_t cells) {
        const std::lock_guard lock(progress_mutex);
        cells_done += cells;
        if (progress) progress->restart(kFillingLabel, counts.cells, cells_done);
    }
    Status open();

#if WARPSEQ_HAVE_CUDA
    Result<std::uint64_t> available_on_gpus(std::uint64_t rows, std::uint64_t columns) const;
#endif

    /// Returns the bytes for the checkpoints of a pair that has the machine to itself.
    Result<std::uint64_t> grid_bytes_alone(std::uint64_t pair) const;
    bool is_alone(std::uint64_t pair) const;

    std::string names(std::uint64_t pair) const;
    Status in_pair(std::uint64_t pair, const Status& status) const;

    StrandJob start_job(std::uint64_t pair, bool minus, const PairLimits& pair_limits,
                        const PairSweeper& sweeper) const;
    Status finish_job(StrandJob& job, PairSweeper& sweeper, const SweepControl& control) const;

    /// Checks that the path of an alignment adds up to its score. Called for every alignment that
    /// is printed, so that users need not trust the search.
    Status check(const PairResult& result) const;

    bool has_strand(bool minus) const {
        return settings.strand == PairStrand::kBoth || (settings.strand == PairStrand::kMinus) == minus;
    }

    /// Finishes the strand that is reported and returns its result. This is the better strand, or
    /// the plus strand if both score the same. Frees the grid of the other strand first.
    Result<PairResult> finish_better(std::vector<StrandJob>& jobs, PairSweeper& sweeper,
                                     const SweepControl& control) const;

    /// Sweeps the matrix of one job, or the part of it that a checkpoint file lacks.
    Result<std::unique_ptr<PairGrid>> sweep(const StrandJob& job, const PairLimits& pair_limits, PairSweeper& sweeper,
                                            const SweepControl& control);

    PairProblem problem_of(const PairResult& result) const {
        return {result.aligned_query(input), input.targets[result.target].residues, settings.local, settings.free_ends};
    }

    /// Fills the matrices of one pair, strand after strand.
    Result<std::vector<StrandJob>> fill(std::uint64_t pair, const PairLimits& pair_limits, PairSweeper& sweeper,
                                        const SweepControl& control);
    Status check_bounds(std::uint64_t pair) const;

    PairResult empty_result(std::uint64_t pair, bool minus) const;

    /// Returns the list of a pair's local alignments, or one result without an alignment. If
    /// `alone`, the progress bar shows each step. Results come without the query's reverse
    /// complement, because a long list would hold it many times. report_list() fills it in.
    Result<std::vector<PairResult>> list_alignments(std::uint64_t pair, const PairLimits& pair_limits,
                                                    PairSweeper& sweeper, const ThreadPool& threads, bool alone);
    Status report_list(std::vector<PairResult>& results, const std::function<Status(const PairResult&)>& report) const;

    Status list_alone(std::uint64_t pair, const std::function<Status(const PairResult&)>& report);
    Status run_alone(std::uint64_t pair, const std::function<Status(const PairResult&)>& report);

    /// Aligns a group on the host. Each thread takes one pair at a time.
    Status run_group_on_cpu(std::uint64_t first, std::uint64_t end,
                            const std::function<Status(const PairResult&)>& report);

    struct Group {
        std::uint64_t first = 0, end = 0;
        std::vector<std::vector<StrandJob>> jobs;  // of each pair
    };

    /// Makes a group of as many pairs from `first` on as one sweep takes, at most `most_pairs`.
    /// Sweeps their matrices on the GPUs.
    Status sweep_group(std::uint64_t first, std::uint64_t most_pairs, Group& group);

    /// Traces a swept group back on the host's threads and reports its results.
    Status finish_group(Group& group, const std::function<Status(const PairResult&)>& report);
    /// Asks for the next range and counts its pairs. Returns false if there is none.
    Result<bool> begin_range(const NextPairs& next);
    Status run(const NextPairs& next, const std::function<Status(const PairResult&)>& report);
    Status run_on_gpus(const NextPairs& next, const std::function<Status(const PairResult&)>& report);
    Status run_on_cpu(const NextPairs& next, const std::function<Status(const PairResult&)>& report);
};

}  // namespace warpseq
