// Groups of pairs that are aligned at the same time. On the host each thread aligns one pair; GPUs
// align as many as one sweep takes.
#include <algorithm>
#include <chrono>
#include <future>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "engines/pair/pair_search_state.h"
#include "libcore/base/clock.h"

namespace warpseq {

namespace {

// Most pairs in a group, whose paths are kept until they are reported. One GPU sweep holds as many
// matrices.
constexpr std::uint64_t kGroupPairsCpu = 4096, kGroupPairsGpu = 32768;
// Bytes of a group's sequences, which are copied to a GPU in one piece.
constexpr std::uint64_t kGroupInputBytesGpu = std::uint64_t{48} << 20;
// Pairs that a group on GPUs has, at least, before memory ends it.
constexpr std::uint64_t kLeastGroupPairsGpu = 16;
// Share of the host's memory for results that are kept until they are reported: one part in this
// many.
constexpr std::uint64_t kResultShare = 4;

}  // namespace

Status PairSearch::State::run_group_on_cpu(std::uint64_t first, std::uint64_t end,
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

Status PairSearch::State::sweep_group(std::uint64_t first, std::uint64_t most_pairs, Group& group) {
    PairLimits each = limits(group_grid_bytes / kLeastGroupPairsGpu);
    each.least_sweeper_cells = std::numeric_limits<std::uint64_t>::max();  // the CPU traces back
    each.cpu_grid_bytes = settings.memory_bytes / pool.threads();
    group.first = first;
    std::uint64_t end = first, input_bytes = 0, work = 0, results = 0;
    for (; end < range.end() && end - first < most_pairs && !is_alone(end); ++end) {
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

Status PairSearch::State::finish_group(Group& group, const std::function<Status(const PairResult&)>& report) {
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

Status PairSearch::State::run_on_gpus(const NextPairs& next, const std::function<Status(const PairResult&)>& report) {
    // The group that is being finished. A future's destructor waits for its work, before the group
    // is destroyed.
    std::unique_ptr<Group> finishing;
    std::future<Status> finished;
    const auto wait = [&]() -> Status { return finished.valid() ? finished.get() : Status(); };
    std::uint64_t most_pairs = kGroupPairsGpu;
    while (true) {
        const auto is_more = begin_range(next);
        if (!is_more.ok()) return is_more.status();
        if (!*is_more) break;
        for (std::uint64_t pair = range.first; pair < range.end();) {
            if (is_alone(pair)) {
                WARPSEQ_TRY(wait());
                finishing.reset();
                WARPSEQ_TRY(run_alone(pair++, report));
                continue;
            }
            auto group = std::make_unique<Group>();
            const auto start = Clock::now();
            const Status swept = sweep_group(pair, most_pairs, *group);
            counts.sweep_seconds += seconds_since(start);
            WARPSEQ_TRY(wait());
            if (swept.code() == StatusCode::kUnavailable || swept.code() == StatusCode::kOutOfMemory) {
                // Most likely there is no memory for as many pairs beside those that are traced
                // back. So fewer pairs are swept, and in the end one alone.
                const std::uint64_t pairs = group->end - pair;
                group.reset();
                finishing.reset();
                most_pairs = std::max<std::uint64_t>(1, pairs / 2);
                if (pairs <= 1) WARPSEQ_TRY(run_alone(pair++, report));
                continue;
            }
            WARPSEQ_TRY(swept);
            pair = group->end;
            finishing = std::move(group);
            // With both policies libstdc++ defers the work if it cannot start a thread. The work is
            // then done here, because the process that gives out ranges may wait for its results.
            finished = std::async(std::launch::async | std::launch::deferred, [&, at = finishing.get()] {
                return guarded([&] { return finish_group(*at, report); });
            });
            if (finished.wait_for(std::chrono::seconds(0)) == std::future_status::deferred) WARPSEQ_TRY(wait());
        }
    }
    // For the last group the progress bar shows how many pairs are traced back.
    if (finished.valid()) begin_trace(finishing->end - finishing->first);
    const Status status = wait();
    end_trace();
    return status;
}

Status PairSearch::State::run_on_cpu(const NextPairs& next, const std::function<Status(const PairResult&)>& report) {
    while (true) {
        const auto is_more = begin_range(next);
        if (!is_more.ok()) return is_more.status();
        if (!*is_more) return {};
        for (std::uint64_t pair = range.first, end; pair < range.end(); pair = end) {
            if (is_alone(pair)) {
                WARPSEQ_TRY(run_alone(pair, report));
                end = pair + 1;
                continue;
            }
            std::uint64_t results = result_bytes(pair);
            for (end = pair + 1; end < range.end() && end - pair < kGroupPairsCpu && !is_alone(end); ++end) {
                // Each thread has at least one pair.
                results += result_bytes(end);
                if (results > settings.memory_bytes / kResultShare && end - pair >= pool.threads()) break;
            }
            WARPSEQ_TRY(run_group_on_cpu(pair, end, report));
        }
    }
}

}  // namespace warpseq
