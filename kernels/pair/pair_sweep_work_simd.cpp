#include "kernels/pair/pair_sweep_work_simd.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

namespace warpseq {

PairSweepWork::PairSweepWork(const PairSweepTable& kernels, const PairScoring& how, const SweepTask& what,
                             HostPairGrid& results, unsigned threads)
    : table(kernels), scoring(how), task(what), grid(results) {
    assert(task.query.size() >= 1 && task.target.size() >= 1 && task.top.size() == task.target.size() + 1 &&
           task.left.size() == task.query.size() + 1);
    assert(task.top[0].h == task.left[0].h && task.row_step >= 1 && task.column_step >= 1);
    letters.find(task.query, task.target, scoring.scheme.matrix);
    numbers = choose_numbers();
    const GapCosts& gaps = scoring.scheme.gaps;
    score_bias = 0;
    if (numbers == PairNumbers::kDifferences8) {
        score_bias = 2 * gaps.first();
    } else if (scoring.local && letters.highest_score_raw + gaps.extend <= INT8_MAX) {
        score_bias = gaps.extend;
    }
    letters.fill(task.target, scoring.scheme.matrix, table, score_bias);
    row.resize(task.top.size());
    task.top.copy(0, row);
    cut_strips(threads);
    columns_done = std::make_unique<std::atomic<std::uint64_t>[]>(strips.size());
}

PairNumbers PairSweepWork::choose_numbers() const {
    if (scoring.local) return PairNumbers::kAbsolute;
    const GapCosts& gaps = scoring.scheme.gaps;
    const LineSteps top = steps_of(task.top, scoring.scheme), left = steps_of(task.left, scoring.scheme);
    if (!top.regular || !left.regular) return PairNumbers::kAbsolute;
    const std::int64_t twice_first = 2 * gaps.first();
    const std::int64_t highest = std::max<std::int64_t>(letters.highest_score_raw,
                                                        std::max(top.highest, left.highest) + gaps.open - gaps.extend);
    if (highest + twice_first <= UINT8_MAX && letters.lowest_score_raw + twice_first >= gaps.open)
        return PairNumbers::kDifferences8;
    return highest + twice_first <= INT16_MAX ? PairNumbers::kDifferences16 : PairNumbers::kAbsolute;
}

void PairSweepWork::cut_strips(unsigned threads) {
    // Strips are as high as can be, and their number is a multiple of the threads.
    const std::size_t m = task.query.size(), highest = kMostLaneRows * table.lanes;
    const std::size_t count = round_up((m + highest - 1) / highest, threads);
    const std::size_t rows = std::min(highest, std::max(table.lanes, (m + count - 1) / count));
    for (std::size_t block = 0, begin = 0; begin < m; ++block) {
        const std::size_t end = begin + std::min<std::size_t>(m - begin, task.row_step);
        const std::size_t parts = (end - begin + rows - 1) / rows;
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t from = begin + (end - begin) * part / parts,
                              to = begin + (end - begin) * (part + 1) / parts;
            strips.push_back({from, to - from, block, part + 1 == parts});
        }
        begin = end;
    }
}

std::optional<StripRun> PairSweepWork::take() {
    const std::lock_guard lock(mutex);
    if (!left_over.empty()) {
        const std::size_t strip = left_over.back();
        left_over.pop_back();
        return StripRun{strip, 1};
    }
    if (next == strips.size()) return std::nullopt;
    const std::size_t first = next++;
    std::size_t rows = strips[first].rows;
    while (next < strips.size() && strips[next].row_block == strips[first].row_block &&
           rows + strips[next].rows / 2 <= tall_rows)
        rows += strips[next++].rows;
    return StripRun{first, next - first};
}

void PairSweepWork::put_back(const StripRun& run) {
    const std::lock_guard lock(mutex);
    tall_rows = 0;
    left_over.reserve(left_over.size() + run.count);
    // The strips above have written no fewer columns than this. It is set before the strips can be
    // taken, because later it could overwrite a higher number of theirs.
    set_columns_done(run.last(), strips[run.last()].first_column | kTallEnded);
    for (std::size_t k = 0; k < run.count; ++k) left_over.push_back(run.first + k);
    std::sort(left_over.begin(), left_over.end(), std::greater<>());
}

void PairSweepWork::set_columns_done(std::size_t number, std::uint64_t columns) {
    columns_done[number].store(columns, std::memory_order_release);
    columns_done[number].notify_all();
}

std::uint64_t PairSweepWork::wait_for_row_above(std::size_t number, std::uint64_t columns, bool tall) const {
    if (number == 0) return columns;
    const std::atomic<std::uint64_t>& done = columns_done[number - 1];
    for (std::uint64_t seen;; done.wait(seen, std::memory_order_acquire)) {
        seen = done.load(std::memory_order_acquire);
        if (seen == kGaveUp) return seen;
        const std::uint64_t there = seen & ~kTallEnded;
        if (there >= columns || (tall && seen != there)) return there;
    }
}

void SweepWatch::stop(Status why) {
    const std::lock_guard lock(mutex);
    if (status.ok()) status = std::move(why);
    stopped = true;
}

bool SweepWatch::goes_on() {
    if (control.stop.stop_requested() && !stopped) stop(Status::interrupted());
    return !stopped.load(std::memory_order_relaxed);
}

void SweepWatch::add_cells(std::uint64_t count) {
    cells.fetch_add(count, std::memory_order_relaxed);
    if (!control.progress) return;
    const std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock.owns_lock() || Clock::now() - reported < std::chrono::milliseconds(250)) return;
    reported = Clock::now();
    report_cells();
}

void SweepWatch::report_cells() {
    if (const std::uint64_t news = cells.exchange(0); control.progress && news > 0) control.progress(news);
}

}  // namespace warpseq
