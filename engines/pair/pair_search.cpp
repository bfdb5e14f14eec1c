#include "engines/pair/pair_search.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "engines/pair/checkpoint.h"
#include "engines/pair/pair_search_state.h"
#include "formats/fasta/fasta.h"
#include "kernels/pair/pair_islands.h"
#include "kernels/smith_waterman/local_alignment.h"
#include "libcore/base/clock.h"
#include "libcore/base/observer.h"
#if WARPSEQ_HAVE_CUDA
#include "kernels/gpu/device.h"
#include "kernels/pair/pair_sweep_gpu.h"
#endif

namespace warpseq {

namespace {

constexpr const char* kFillingAgainLabel = "Aligning the rest";

// Cells from which all threads sweep a matrix together. On one thread that takes a second or so,
// and more threads gain.
constexpr std::uint64_t kAloneCellsCpu = std::uint64_t{1} << 32;
// Cells from which GPUs sweep a matrix alone. A matrix of about a quarter of a million residues
// each way fills a GPU; smaller ones gain from company.
constexpr std::uint64_t kAloneCellsGpu = std::uint64_t{1} << 36;
// Cells from which threads share a pair if there are fewer pairs than threads. Smaller pairs are
// not worth the waiting for each other.
constexpr std::uint64_t kSharedCells = std::uint64_t{1} << 24;
// Most bytes that a group's sweep takes besides its checkpoints, for sequences and borders. It
// takes a part of a GPU's memory, up to this limit.
constexpr std::uint64_t kMostGroupWorkBytesGpu = std::uint64_t{192} << 20;

/// One strand of a pair whose local alignments are listed.
struct ListJob {
    PairResult result;  // without its alignment
    PairIslands islands;
    std::optional<std::int32_t> next_raw;  // score of the next alignment, if it is known
};

}  // namespace

Status PairSearch::State::open() {
    single_threads.resize(pool.threads());
    narrow.resize(pool.threads());
    for (unsigned thread = 0; thread < pool.threads(); ++thread) {
        single_threads[thread] = std::make_unique<ThreadPool>(1);
        narrow[thread] = make_cpu_pair_sweeper(machine.backend, scoring, *single_threads[thread]);
    }
#if WARPSEQ_HAVE_CUDA
    if (on_gpus()) {
        gpu_bytes = gpu_memory.bytes;
        if (gpu_memory.processes > 1) {
            const auto budget = gpu_budget_bytes(gpus, gpu_memory, cuda::free_gpu_memory_bytes);
            if (!budget.ok()) return budget.status();
            gpu_bytes = std::max<std::uint64_t>(*budget, 1);
        }
        auto sweeper = cuda::make_pair_sweeper(scoring, {gpus, gpu_bytes});
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
Result<std::uint64_t> PairSearch::State::available_on_gpus(std::uint64_t rows, std::uint64_t columns) const {
    return cuda::grid_bytes_available({gpus, gpu_bytes}, rows, columns);
}
#endif

Result<std::uint64_t> PairSearch::State::grid_bytes_alone(std::uint64_t pair) const {
#if WARPSEQ_HAVE_CUDA
    if (on_gpus()) return available_on_gpus(rows(pair), columns(pair));
#endif
    static_cast<void>(pair);
    return settings.memory_bytes;
}

bool PairSearch::State::is_alone(std::uint64_t pair) const {
    if (on_gpus()) return cells(pair) >= kAloneCellsGpu || range.count == 1;
    return cells(pair) >= kAloneCellsCpu || (range.count * strands() < pool.threads() && cells(pair) >= kSharedCells) ||
           range.count == 1;
}

std::string PairSearch::State::names(std::uint64_t pair) const {
    const auto [query, target] = input.pair(pair);
    return std::string(identifier_of(input.queries[query].header)) + " and " +
           std::string(identifier_of(input.targets[target].header));
}

Status PairSearch::State::in_pair(std::uint64_t pair, const Status& status) const {
    if (status.ok() || status.code() == StatusCode::kInterrupted) return status;
    return Status(status.code(), names(pair) + ": " + status.message()).with(status.advice());
}

Status PairSearch::State::check_bounds(std::uint64_t pair) const {
    return in_pair(pair, check_pair_bounds(rows(pair), columns(pair), scoring));
}

PairResult PairSearch::State::empty_result(std::uint64_t pair, bool minus) const {
    PairResult result;
    std::tie(result.query, result.target) = input.pair(pair);
    result.minus = minus;
    if (minus) result.reversed = reverse_complement(input.queries[result.query].residues);
    return result;
}

StrandJob PairSearch::State::start_job(std::uint64_t pair, bool minus, const PairLimits& pair_limits,
                                       const PairSweeper& sweeper) const {
    StrandJob job;
    job.result = empty_result(pair, minus);
    job.matrix.emplace(problem_of(job.result), scheme, pair_limits, sweeper);
    return job;
}

Status PairSearch::State::finish_job(StrandJob& job, PairSweeper& sweeper, const SweepControl& control) const {
    auto alignment = job.matrix->finish(std::move(job.grid), sweeper, machine.backend, control);
    if (!alignment.ok()) return alignment.status();
    job.matrix.reset();
    job.result.alignment = *std::move(alignment);
    return check(job.result);
}

Status PairSearch::State::check(const PairResult& result) const {
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

Result<PairResult> PairSearch::State::finish_better(std::vector<StrandJob>& jobs, PairSweeper& sweeper,
                                                    const SweepControl& control) const {
    // A matrix that is traced at once gets its score only from its path.
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

Result<std::unique_ptr<PairGrid>> PairSearch::State::sweep(const StrandJob& job, const PairLimits& pair_limits,
                                                           PairSweeper& sweeper, const SweepControl& control) {
    const SweepTask& task = job.matrix->task();
    if (settings.checkpoint_file) {
        auto checkpoint = PairCheckpoint::open(*settings.checkpoint_file, problem_of(job.result), scheme, task, sweeper,
                                               pair_limits.grid_bytes, control.stop);
        if (!checkpoint.ok()) return checkpoint.status();
        if (const std::uint64_t done = checkpoint->cells_done(); done > 0) {
            skip_progress(done);
            const std::uint64_t tenths = static_cast<std::uint64_t>(
                1000.0 * static_cast<double>(done) /
                (static_cast<double>(task.query.size()) * static_cast<double>(task.target.size())));
            observer.note(settings.checkpoint_file->string() + " has " + std::to_string(tenths / 10) + "." +
                          std::to_string(tenths % 10) + " % of the matrix; continuing from there");
        }
        return checkpoint->sweep(sweeper, control);
    }
    auto grids = sweeper.sweep({&task, 1}, control);
    if (!grids.ok()) return grids.status();
    return std::move(grids->front());
}

Result<std::vector<StrandJob>> PairSearch::State::fill(std::uint64_t pair, const PairLimits& pair_limits,
                                                       PairSweeper& sweeper, const SweepControl& control) {
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

Result<std::vector<PairResult>> PairSearch::State::list_alignments(std::uint64_t pair, const PairLimits& pair_limits,
                                                                   PairSweeper& sweeper, const ThreadPool& threads,
                                                                   bool alone) {
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

Status PairSearch::State::report_list(std::vector<PairResult>& results,
                                      const std::function<Status(const PairResult&)>& report) const {
    for (PairResult& result : results) {
        if (result.minus) result.reversed = reverse_complement(input.queries[result.query].residues);
        WARPSEQ_TRY(report(result));
        result = {};
    }
    return {};
}

Status PairSearch::State::list_alone(std::uint64_t pair, const std::function<Status(const PairResult&)>& report) {
    const auto bytes = grid_bytes_alone(pair);
    if (!bytes.ok()) return bytes.status();
    PairLimits pair_limits = limits(std::min(*bytes, settings.memory_bytes));  // the host's, even if GPUs fill it
    pair_limits.trace_threads = pool.threads();
    const std::uint64_t done_before = cells_done;
    auto results = list_alignments(pair, pair_limits, *wide, pool, true);
    if (!results.ok()) return results.status();
    add_progress(done_before + cells(pair) * strands() - cells_done);
    ++counts.swept_alone;
    return report_list(*results, report);
}

Status PairSearch::State::run_alone(std::uint64_t pair, const std::function<Status(const PairResult&)>& report) {
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

PairSearch::PairSearch(const Session& session, const PairInput& input, const ScoringScheme& scheme,
                       const PairSearchSettings& settings, const SearchControl& control)
    : state_(new State(session, input, scheme, settings, control)) {}
PairSearch::~PairSearch() = default;

Result<bool> PairSearch::State::begin_range(const NextPairs& next) {
    const auto given = next();
    if (!given.ok()) return given.status();
    if (!*given) return false;
    range = **given;
    counts.pairs += range.count;
    for (std::uint64_t pair = range.first; pair < range.end(); ++pair) counts.cells += cells(pair) * strands();
    if (shows_progress) progress = observer.begin(kFillingLabel, counts.cells);
    return true;
}

Status PairSearch::State::run(const NextPairs& next, const std::function<Status(const PairResult&)>& report) {
    WARPSEQ_TRY(open());
    // The host lists the alignments of many short pairs.
    return on_gpus() && !settings.list ? run_on_gpus(next, report) : run_on_cpu(next, report);
}

Status PairSearch::run(const std::function<Status(const PairResult&)>& report) {
    State& state = *state_;
    bool is_given = false;
    const auto all = [&]() -> Result<std::optional<PairRange>> {
        if (std::exchange(is_given, true)) return std::optional<PairRange>();
        return std::optional<PairRange>({0, state.input.pair_count()});
    };
    state.shows_progress = true;
    const Status status = state.run(all, report);
    state.progress.reset();
    return status;
}

Status PairSearch::run(const NextPairs& next, const std::function<Status(const PairResult&)>& report) {
    return state_->run(next, report);
}

const PairSearchCounts& PairSearch::counts() const { return state_->counts; }

}  // namespace warpseq
