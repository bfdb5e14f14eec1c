#include "engines/pair/pair_search.h"

#include <algorithm>
#include <future>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "engines/pair/checkpoint.h"
#include "formats/fasta.h"
#include "kernels/pair/pair_islands.h"
#include "kernels/smith_waterman/local_alignment.h"
#include "libcore/base/clock.h"
#include "libcore/base/observer.h"
#if WARPSEQ_HAVE_CUDA
#include "kernels/pair/pair_sweep_gpu.h"
#endif

namespace warpseq {

namespace {

constexpr const char* kFillingLabel = "Aligning";
constexpr const char* kTracingLabel = "Tracing back";
constexpr const char* kFillingAgainLabel = "Aligning what is left";

// From here on a matrix is swept alone, by all threads: that takes a second or so on one thread, and gains from more.
constexpr std::uint64_t kAloneCellsCpu = std::uint64_t{1} << 32;
// A GPU is filled by one matrix from about a quarter of a million residues each way on; smaller ones gain from company.
constexpr std::uint64_t kAloneCellsGpu = std::uint64_t{1} << 36;
// With fewer pairs than threads, threads share pairs that are worth the waiting for each other.
constexpr std::uint64_t kSharedCells = std::uint64_t{1} << 24;
// Pairs in a group: their paths are kept until they are reported. One GPU sweep holds as many matrices.
constexpr std::uint64_t kGroupPairsCpu = 4096, kGroupPairsGpu = 32768;
// Sequences of a group that are copied to a GPU in one piece.
constexpr std::uint64_t kGroupInputBytesGpu = std::uint64_t{48} << 20;
// A group on GPUs has at least so many matrices before memory ends it.
constexpr std::uint64_t kLeastGroupPairsGpu = 16;
// What a group's sweep takes besides lines (sequences, borders) is a part of a GPU's memory, and no more than this.
constexpr std::uint64_t kMostGroupWorkBytesGpu = std::uint64_t{192} << 20;
// Of a matrix, what GPUs need for its description and for rounding up where its parts lie.
constexpr std::uint64_t kTaskBytesGpu = 4096;
// Results that are kept until they are reported take a part of the host's memory.
constexpr std::uint64_t kResultShare = 4;

/// One strand of a pair, with its matrix.
struct StrandJob {
    PairResult result;
    std::optional<PairMatrix> matrix;
    std::unique_ptr<PairGrid> grid;
};

/// One strand of a pair whose local alignments are listed.
struct ListJob {
    PairResult result;  // without its alignment
    PairIslands islands;
    std::optional<std::int32_t> next_raw;  // score of the next alignment, if it is known
};

}  // namespace

struct PairSearch::State {
    const PairInput& input;
    const ScoringScheme& scheme;
    const PairSearchSettings settings;
    const SessionSettings& machine;
    const std::vector<int>& gpus;
    Observer& observer;
    const std::stop_token stop;
    const ThreadPool pool;  // its loops end when the search is stopped
    const PairScoring scoring;
    PairSearchCounts counts;

    std::unique_ptr<PairSweeper> wide;                         // all threads, or the GPUs
    std::uint64_t group_grid_bytes = 0, group_work_bytes = 0;  // on GPUs: of one group
    // A sweeper for each of the pool's threads.
    std::vector<std::unique_ptr<ThreadPool>> single_threads;
    std::vector<std::unique_ptr<PairSweeper>> narrow;

    std::unique_ptr<Progress> progress;
    std::mutex progress_mutex;
    std::uint64_t cells_done = 0;
    std::uint64_t path_done = 0;  // see begin_trace()
    bool tracing = false;

    State(const Session& session, const PairInput& the_input, const ScoringScheme& the_scheme,
          PairSearchSettings the_settings, const SearchControl& control)
        : input(the_input),
          scheme(the_scheme),
          settings(std::move(the_settings)),
          machine(session.settings()),
          gpus(session.gpus()),
          observer(control.observer),
          stop(control.stop),
          pool(session.pool().with_stop(stop)),
          scoring{scheme, settings.local} {}

    bool on_gpus() const { return !gpus.empty(); }
    std::uint64_t strands() const { return settings.strand == PairStrand::kBoth ? 2 : 1; }
    std::uint64_t rows(std::uint64_t pair) const { return input.queries[input.pair(pair).first].residues.size(); }
    std::uint64_t columns(std::uint64_t pair) const { return input.targets[input.pair(pair).second].residues.size(); }
    std::uint64_t cells(std::uint64_t pair) const { return cell_count(rows(pair), columns(pair)); }

    /// At most, of a pair's result while it is kept.
    std::uint64_t result_bytes(std::uint64_t pair) const {
        const std::uint64_t runs = settings.score_only ? 0 : 2 * std::min(rows(pair), columns(pair)) + 1;
        const std::uint64_t bytes =
            sizeof(PairResult) + runs * sizeof(AlignmentRun) + (settings.strand == PairStrand::kPlus ? 0 : rows(pair));
        return bytes * (settings.list ? settings.list->max_alignments : 1);
    }
    /// At most, of what a GPU needs for a pair besides its lines.
    std::uint64_t work_bytes(std::uint64_t pair) const {
        const std::uint64_t residues = rows(pair) + columns(pair);
        return strands() *
               (residues + (residues + columns(pair)) * sizeof(BorderCell) + rows(pair) / 8 + kTaskBytesGpu);
    }

    /// Of one strand.
    PairLimits limits(std::uint64_t grid_bytes) const {
        PairLimits limits;
        limits.grid_bytes = std::max<std::uint64_t>(1, grid_bytes / strands());
        limits.score_only = settings.score_only;
        return limits;
    }

    void add_progress(std::uint64_t done) {
        const std::lock_guard lock(progress_mutex);
        cells_done += done;
        if (progress && !tracing) progress->update(cells_done);
    }

    /// From here to end_trace() the bar is of work after matrices are filled, which `total` measures.
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
    /// Cells that an earlier run has filled.
    void skip_progress(std::uint64_t cells) {
        const std::lock_guard lock(progress_mutex);
        cells_done += cells;
        if (progress) progress->restart(kFillingLabel, counts.cells, cells_done);
    }

    Status open() {
        single_threads.resize(pool.threads());
        narrow.resize(pool.threads());
        for (unsigned thread = 0; thread < pool.threads(); ++thread) {
            single_threads[thread] = std::make_unique<ThreadPool>(1);
            narrow[thread] = make_cpu_pair_sweeper(machine.backend, scoring, *single_threads[thread]);
        }
#if WARPSEQ_HAVE_CUDA
        if (on_gpus()) {
            auto sweeper = cuda::make_pair_sweeper(scoring, {gpus, machine.device_memory_bytes});
            if (!sweeper.ok()) return sweeper.status();
            wide = *std::move(sweeper);
            const auto available = available_on_gpus(0, 0);
            if (!available.ok()) return available.status();
            group_work_bytes = std::min(*available / 4, kMostGroupWorkBytesGpu);
            group_grid_bytes = (*available - group_work_bytes) / 2;  // one is swept while another is traced back
            return {};
        }
#endif
        wide = make_cpu_pair_sweeper(machine.backend, scoring, pool);
        return {};
    }

#if WARPSEQ_HAVE_CUDA
    Result<std::uint64_t> available_on_gpus(std::uint64_t rows, std::uint64_t columns) const {
        return cuda::grid_bytes_available({gpus, machine.device_memory_bytes}, rows, columns);
    }
#endif

    /// Memory for the lines of a pair that has the machine to itself.
    Result<std::uint64_t> grid_bytes_alone(std::uint64_t pair) const {
#if WARPSEQ_HAVE_CUDA
        if (on_gpus()) return available_on_gpus(rows(pair), columns(pair));
#endif
        static_cast<void>(pair);
        return settings.memory_bytes;
    }

    bool is_alone(std::uint64_t pair) const {
        if (on_gpus()) return cells(pair) >= kAloneCellsGpu || input.pair_count() == 1;
        return cells(pair) >= kAloneCellsCpu ||
               (input.pair_count() * strands() < pool.threads() && cells(pair) >= kSharedCells) ||
               input.pair_count() == 1;
    }

    std::string names(std::uint64_t pair) const {
        const auto [query, target] = input.pair(pair);
        return std::string(identifier_of(input.queries[query].header)) + " and " +
               std::string(identifier_of(input.targets[target].header));
    }

    Status in_pair(std::uint64_t pair, const Status& status) const {
        if (status.ok() || status.code() == StatusCode::kInterrupted) return status;
        return Status(status.code(), names(pair) + ": " + status.message()).with(status.advice());
    }

    StrandJob start_job(std::uint64_t pair, bool minus, const PairLimits& pair_limits,
                        const PairSweeper& sweeper) const {
        StrandJob job;
        job.result = empty_result(pair, minus);
        job.matrix.emplace(problem_of(job.result), scheme, pair_limits, sweeper);
        return job;
    }

    Status finish_job(StrandJob& job, PairSweeper& sweeper, const SweepControl& control) const {
        auto alignment = job.matrix->finish(std::move(job.grid), sweeper, machine.backend, control);
        if (!alignment.ok()) return alignment.status();
        job.matrix.reset();
        job.result.alignment = *std::move(alignment);
        return check(job.result);
    }

    /// Every alignment that is printed adds up to its score. That this is so is our business, but nobody should have to
    /// trust it.
    Status check(const PairResult& result) const {
        const Alignment& alignment = result.alignment;
        if (settings.score_only || alignment.runs.empty()) return {};
        std::uint64_t q = alignment.query_begin, t = alignment.target_begin;
        for (const AlignmentRun& run : alignment.runs) {
            if (run.operation != AlignmentOperation::kDelete) q += run.length;
            if (run.operation != AlignmentOperation::kInsert) t += run.length;
        }
        const auto query = result.aligned_query(input);
        const std::span<const ResidueCode> target = input.targets[result.target].residues;
        if (q == alignment.query_end && t == alignment.target_end && q <= query.size() && t <= target.size() &&
            rescore(alignment, query, target, scheme) == alignment.score_raw) {
            return {};
        }
        return Status::unavailable("internal error: the alignment does not add up to its score of " +
                                   std::to_string(alignment.score_raw) + ", so it is not printed; please report this");
    }

    bool has_strand(bool minus) const {
        return settings.strand == PairStrand::kBoth || (settings.strand == PairStrand::kMinus) == minus;
    }

    /// The strand that is reported, finished: the better one, plus among equals. Frees the others' grids before.
    Result<PairResult> finish_better(std::vector<StrandJob>& jobs, PairSweeper& sweeper,
                                     const SweepControl& control) const {
        // A matrix that is traced at once has its score from its path only.
        const bool traced_at_once = !jobs.front().grid;
        std::size_t best = 0;
        std::int64_t best_raw = 0;
        for (std::size_t k = 0; k < jobs.size(); ++k) {
            std::int64_t score_raw = 0;
            if (traced_at_once) {
                WARPSEQ_TRY(finish_job(jobs[k], sweeper, control));
                score_raw = jobs[k].result.alignment.score_raw;
            } else if (jobs.size() > 1) {
                const auto score = jobs[k].matrix->score_raw(*jobs[k].grid);
                if (!score.ok()) return score.status();
                score_raw = *score;
            }
            if (k > 0 && score_raw <= best_raw) continue;
            best = k;
            best_raw = score_raw;
        }
        StrandJob job = std::move(jobs[best]);
        jobs.clear();
        if (!traced_at_once) WARPSEQ_TRY(finish_job(job, sweeper, control));
        return std::move(job.result);
    }

    /// The matrix of one job; with a checkpoint what is left of it.
    Result<std::unique_ptr<PairGrid>> sweep(const StrandJob& job, const PairLimits& pair_limits, PairSweeper& sweeper,
                                            const SweepControl& control) {
        const SweepTask& task = job.matrix->task();
        if (settings.checkpoint_file) {
            auto checkpoint = PairCheckpoint::open(*settings.checkpoint_file, problem_of(job.result), scheme, task,
                                                   sweeper, pair_limits.grid_bytes, control.stop);
            if (!checkpoint.ok()) return checkpoint.status();
            if (const std::uint64_t done = checkpoint->cells_done(); done > 0) {
                skip_progress(done);
                const std::uint64_t tenths = static_cast<std::uint64_t>(
                    1000.0 * static_cast<double>(done) /
                    (static_cast<double>(task.query.size()) * static_cast<double>(task.target.size())));
                observer.note(settings.checkpoint_file->string() + " has " + std::to_string(tenths / 10) + "." +
                              std::to_string(tenths % 10) + " % of the matrix; going on from there");
            }
            return checkpoint->sweep(sweeper, control);
        }
        auto grids = sweeper.sweep({&task, 1}, control);
        if (!grids.ok()) return grids.status();
        return std::move(grids->front());
    }

    PairProblem problem_of(const PairResult& result) const {
        return {result.aligned_query(input), input.targets[result.target].residues, settings.local, settings.free_ends};
    }

    /// The matrices of one pair, filled strand after strand.
    Result<std::vector<StrandJob>> fill(std::uint64_t pair, const PairLimits& pair_limits, PairSweeper& sweeper,
                                        const SweepControl& control) {
        WARPSEQ_TRY(check_bounds(pair));
        std::vector<StrandJob> jobs;
        for (const bool minus : {false, true}) {
            if (!has_strand(minus)) continue;
            StrandJob& job = jobs.emplace_back(start_job(pair, minus, pair_limits, sweeper));
            if (!job.matrix->needs_sweep()) continue;
            auto grid = sweep(job, pair_limits, sweeper, control);
            if (!grid.ok()) return in_pair(pair, grid.status());
            job.grid = *std::move(grid);
        }
        return jobs;
    }

    Status check_bounds(std::uint64_t pair) const {
        return in_pair(pair, check_pair_bounds(rows(pair), columns(pair), scoring));
    }

    PairResult empty_result(std::uint64_t pair, bool minus) const {
        PairResult result;
        std::tie(result.query, result.target) = input.pair(pair);
        result.minus = minus;
        if (minus) result.reversed = reverse_complement(input.queries[result.query].residues);
        return result;
    }

    /// The list of a pair's local alignments, or one result without an alignment. `alone`: the bar shows each step. A long
    /// list would hold the query's reverse complement many times: it is left to report_list().
    Result<std::vector<PairResult>> list_alignments(std::uint64_t pair, const PairLimits& pair_limits,
                                                    PairSweeper& sweeper, const ThreadPool& threads, bool alone) {
        WARPSEQ_TRY(check_bounds(pair));
        SweepControl filling, tracing_back;
        filling.stop = tracing_back.stop = stop;
        if (alone) {
            filling.progress = [this](std::uint64_t done) { add_progress(done); };
            tracing_back.progress = [this](std::uint64_t done) { add_traced(done); };
        }
        auto start = Clock::now();
        std::vector<ListJob> jobs;
        for (const bool minus : {false, true}) {
            if (!has_strand(minus)) continue;
            PairResult result = empty_result(pair, minus);
            const PairProblem problem = problem_of(result);
            ListJob& job = jobs.emplace_back(ListJob{
                std::move(result), PairIslands(problem, scheme, pair_limits, sweeper, machine.backend, threads), {}});
            WARPSEQ_TRY(in_pair(pair, job.islands.fill(filling)));
        }
        if (alone) counts.sweep_seconds += seconds_since(start);
        start = Clock::now();
        std::vector<PairResult> results;
        while (results.size() < settings.list->max_alignments) {
            ListJob* best = nullptr;
            for (ListJob& job : jobs) {
                if (!job.next_raw) {
                    if (alone) begin_trace(cells(pair), kFillingAgainLabel);
                    const auto score_raw = job.islands.next_score_raw(tracing_back);
                    if (!score_raw.ok()) return in_pair(pair, score_raw.status());
                    job.next_raw = *score_raw;
                }
                if (best == nullptr || *job.next_raw > *best->next_raw) best = &job;
            }
            if (*best->next_raw < settings.list->min_score_raw) break;
            if (alone) begin_trace(rows(pair) + columns(pair));
            auto alignment = best->islands.next(tracing_back);
            if (!alignment.ok()) return in_pair(pair, alignment.status());
            best->next_raw.reset();
            results.push_back(best->result);
            results.back().alignment = *std::move(alignment);
            WARPSEQ_TRY(in_pair(pair, check(results.back())));
            results.back().reversed = {};
        }
        if (results.empty()) {
            results.push_back(empty_result(pair, settings.strand == PairStrand::kMinus));
            results.back().reversed = {};
        }
        for (std::size_t r = 0; r < results.size(); ++r) {
            results[r].number = r + 1;
            results[r].of = results.size();
        }
        if (alone) {
            end_trace();
            counts.finish_seconds += seconds_since(start);
        }
        return results;
    }

    Status report_list(std::vector<PairResult>& results, const std::function<Status(const PairResult&)>& report) const {
        for (PairResult& result : results) {
            if (result.minus) result.reversed = reverse_complement(input.queries[result.query].residues);
            WARPSEQ_TRY(report(result));
            result = {};
        }
        return {};
    }

    Status list_alone(std::uint64_t pair, const std::function<Status(const PairResult&)>& report) {
        const auto bytes = grid_bytes_alone(pair);
        if (!bytes.ok()) return bytes.status();
        PairLimits pair_limits = limits(std::min(*bytes, settings.memory_bytes));  // the host's, whoever fills it
        pair_limits.trace_threads = pool.threads();
        const std::uint64_t done_before = cells_done;
        auto results = list_alignments(pair, pair_limits, *wide, pool, true);
        if (!results.ok()) return results.status();
        add_progress(done_before + cells(pair) * strands() - cells_done);
        ++counts.swept_alone;
        return report_list(*results, report);
    }

    Status run_alone(std::uint64_t pair, const std::function<Status(const PairResult&)>& report) {
        if (settings.list) return list_alone(pair, report);
        const auto bytes = grid_bytes_alone(pair);
        if (!bytes.ok()) return bytes.status();
        const std::uint64_t done_before = cells_done;
        SweepControl control;
        control.stop = stop;
        control.progress = [this](std::uint64_t done) { add_progress(done); };
        PairLimits pair_limits = limits(*bytes);
        pair_limits.trace_threads = pool.threads();
        if (on_gpus()) pair_limits.cpu_grid_bytes = settings.memory_bytes;
        auto start = Clock::now();
        auto jobs = fill(pair, pair_limits, *wide, control);
        counts.sweep_seconds += seconds_since(start);
        if (!jobs.ok()) return jobs.status();
        add_progress(done_before + cells(pair) * strands() - cells_done);
        start = Clock::now();
        begin_trace(rows(pair) + columns(pair));
        control.progress = [this](std::uint64_t done) { add_traced(done); };
        auto result = finish_better(*jobs, *wide, control);
        end_trace();
        counts.finish_seconds += seconds_since(start);
        if (!result.ok()) return in_pair(pair, result.status());
        ++counts.swept_alone;
        return report(*result);
    }

    /// Threads take pairs, one at a time each.
    Status run_group_on_cpu(std::uint64_t first, std::uint64_t end,
                            const std::function<Status(const PairResult&)>& report) {
        const auto start = Clock::now();
        std::vector<PairResult> results(settings.list ? 0 : end - first);
        std::vector<std::vector<PairResult>> lists(settings.list ? end - first : 0);
        const PairLimits each = limits(settings.memory_bytes / pool.threads());
        SweepControl control;
        control.stop = stop;
        const auto align_one = [&](std::uint64_t index, unsigned thread) -> Status {
            const std::uint64_t pair = first + index;
            if (stop.stop_requested()) return Status::interrupted();
            if (settings.list) {
                auto list = list_alignments(pair, each, *narrow[thread], *single_threads[thread], false);
                if (!list.ok()) return list.status();
                lists[index] = *std::move(list);
            } else {
                auto jobs = fill(pair, each, *narrow[thread], control);
                if (!jobs.ok()) return jobs.status();
                auto result = finish_better(*jobs, *narrow[thread], control);
                if (!result.ok()) return in_pair(pair, result.status());
                results[index] = *std::move(result);
            }
            add_progress(cells(pair) * strands());
            return {};
        };
        WARPSEQ_TRY(pool.parallel_for(end - first, align_one));
        counts.finish_seconds += seconds_since(start);
        for (const PairResult& result : results) WARPSEQ_TRY(report(result));
        for (auto& list : lists) WARPSEQ_TRY(report_list(list, report));
        return {};
    }

    struct Group {
        std::uint64_t first = 0, end = 0;
        std::vector<std::vector<StrandJob>> jobs;  // of each pair
    };

    /// As many pairs from `first` on as a sweep takes at once, `most_pairs` at most, their matrices swept by the GPUs.
    Status sweep_group(std::uint64_t first, std::uint64_t most_pairs, Group& group) {
        PairLimits each = limits(group_grid_bytes / kLeastGroupPairsGpu);
        each.least_sweeper_cells = std::numeric_limits<std::uint64_t>::max();  // the CPU traces back
        each.cpu_grid_bytes = settings.memory_bytes / pool.threads();
        group.first = first;
        std::uint64_t end = first, input_bytes = 0, work = 0, results = 0;
        for (; end < input.pair_count() && end - first < most_pairs && !is_alone(end); ++end) {
            input_bytes += (rows(end) + columns(end)) * strands();
            work += work_bytes(end);
            results += result_bytes(end);
            if (end > first && (input_bytes > kGroupInputBytesGpu || work > group_work_bytes ||
                                results > settings.memory_bytes / kResultShare)) {
                break;
            }
        }
        group.end = end;
        group.jobs.resize(end - first);
        const auto start = [&](std::uint64_t index, unsigned) -> Status {
            WARPSEQ_TRY(check_bounds(first + index));
            for (const bool minus : {false, true}) {
                if (has_strand(minus)) group.jobs[index].push_back(start_job(first + index, minus, each, *wide));
            }
            return {};
        };
        WARPSEQ_TRY(pool.parallel_for(end - first, start));
        std::uint64_t bytes = 0;
        for (group.end = first; group.end < end; ++group.end) {
            for (const StrandJob& job : group.jobs[group.end - first]) {
                if (!job.matrix->needs_sweep()) continue;
                const SweepTask& task = job.matrix->task();
                bytes += grid_bytes(task.query.size(), task.target.size(), task.row_step, task.column_step);
            }
            if (group.end > first && bytes > group_grid_bytes) break;
        }
        group.jobs.resize(group.end - first);
        std::vector<SweepTask> tasks;
        std::vector<StrandJob*> swept;
        for (auto& jobs : group.jobs) {
            for (StrandJob& job : jobs) {
                if (!job.matrix->needs_sweep()) continue;
                tasks.push_back(job.matrix->task());
                swept.push_back(&job);
            }
        }
        SweepControl control;
        control.stop = stop;
        control.progress = [this](std::uint64_t done) { add_progress(done); };
        if (tasks.empty()) return {};
        auto grids = wide->sweep(tasks, control);
        if (!grids.ok()) return grids.status();
        for (std::size_t s = 0; s < swept.size(); ++s) swept[s]->grid = std::move((*grids)[s]);
        return {};
    }

    /// Traces a swept group back on the host's threads, and reports it.
    Status finish_group(Group& group, const std::function<Status(const PairResult&)>& report) {
        const auto start = Clock::now();
        SweepControl control;
        control.stop = stop;
        std::vector<PairResult> results(group.end - group.first);
        const auto finish_one = [&](std::uint64_t index, unsigned thread) -> Status {
            auto result = finish_better(group.jobs[index], *narrow[thread], control);
            if (!result.ok()) return in_pair(group.first + index, result.status());
            results[index] = *std::move(result);
            add_traced(1);
            return {};
        };
        WARPSEQ_TRY(pool.parallel_for(group.end - group.first, finish_one));
        counts.finish_seconds += seconds_since(start);
        for (const PairResult& result : results) WARPSEQ_TRY(report(result));
        return {};
    }

    Status run_on_gpus(const std::function<Status(const PairResult&)>& report) {
        // What is being finished; a future's destructor waits for it, before the group that it works on goes.
        std::unique_ptr<Group> finishing;
        std::future<Status> finished;
        const auto wait = [&]() -> Status { return finished.valid() ? finished.get() : Status(); };
        std::uint64_t most_pairs = kGroupPairsGpu;
        for (std::uint64_t next = 0; next < input.pair_count();) {
            if (is_alone(next)) {
                WARPSEQ_TRY(wait());
                finishing.reset();
                WARPSEQ_TRY(run_alone(next++, report));
                continue;
            }
            auto group = std::make_unique<Group>();
            const auto start = Clock::now();
            const Status swept = sweep_group(next, most_pairs, *group);
            counts.sweep_seconds += seconds_since(start);
            WARPSEQ_TRY(wait());
            if (swept.code() == StatusCode::kUnavailable || swept.code() == StatusCode::kOutOfMemory) {
                // No memory, most likely, for as many pairs beside those that were traced back: fewer, and in the end
                // one alone.
                const std::uint64_t pairs = group->end - next;
                group.reset();
                finishing.reset();
                most_pairs = std::max<std::uint64_t>(1, pairs / 2);
                if (pairs <= 1) WARPSEQ_TRY(run_alone(next++, report));
                continue;
            }
            WARPSEQ_TRY(swept);
            next = group->end;
            finishing = std::move(group);
            // A thread that cannot be started is done without: with both policies libstdc++ then defers the work.
            finished = std::async(std::launch::async | std::launch::deferred, [&, at = finishing.get()] {
                return guarded([&] { return finish_group(*at, report); });
            });
        }
        // Of the last group the bar tells how many pairs are traced back.
        if (finished.valid()) begin_trace(finishing->end - finishing->first);
        const Status status = wait();
        end_trace();
        return status;
    }

    Status run_on_cpu(const std::function<Status(const PairResult&)>& report) {
        for (std::uint64_t next = 0, end; next < input.pair_count(); next = end) {
            if (is_alone(next)) {
                WARPSEQ_TRY(run_alone(next, report));
                end = next + 1;
                continue;
            }
            std::uint64_t results = result_bytes(next);
            for (end = next + 1; end < input.pair_count() && end - next < kGroupPairsCpu && !is_alone(end); ++end) {
                // Each thread has one pair at least.
                results += result_bytes(end);
                if (results > settings.memory_bytes / kResultShare && end - next >= pool.threads()) break;
            }
            WARPSEQ_TRY(run_group_on_cpu(next, end, report));
        }
        return {};
    }
};

PairSearch::PairSearch(const Session& session, const PairInput& input, const ScoringScheme& scheme,
                       const PairSearchSettings& settings, const SearchControl& control)
    : state_(new State(session, input, scheme, settings, control)) {}
PairSearch::~PairSearch() = default;

Status PairSearch::run(const std::function<Status(const PairResult&)>& report) {
    State& state = *state_;
    WARPSEQ_TRY(state.open());
    for (std::uint64_t pair = 0; pair < state.input.pair_count(); ++pair)
        state.counts.cells += state.cells(pair) * state.strands();
    state.progress = state.observer.begin(kFillingLabel, state.counts.cells);
    // Lists of many short pairs are the host's work.
    const bool in_groups_on_gpus = state.on_gpus() && !state.settings.list;
    const Status status = in_groups_on_gpus ? state.run_on_gpus(report) : state.run_on_cpu(report);
    state.progress.reset();
    state.counts.pairs = state.input.pair_count();
    return status;
}

const PairSearchCounts& PairSearch::counts() const { return state_->counts; }

}  // namespace warpseq
