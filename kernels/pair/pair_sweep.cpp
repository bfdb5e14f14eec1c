// The code that all sweepers of pairs share: the bounds of their scores, the size of a grid, and
// the choice of a CPU back end.
#include "kernels/pair/pair_sweep.h"

#include <algorithm>
#include <limits>
#include <string>

#include "kernels/pair/pair_sweep_reference.h"
#include "kernels/pair/pair_sweep_simd.h"

namespace warpseq {

std::uint64_t grid_bytes(std::uint64_t rows, std::uint64_t columns, std::uint64_t row_step, std::uint64_t column_step) {
    const std::uint64_t row_checkpoints = (rows + row_step - 1) / row_step,
                        column_checkpoints = (columns + column_step - 1) / column_step;
    return (row_checkpoints * (columns + 1) + column_checkpoints * (rows + 1)) * sizeof(BorderCell);
}

std::uint64_t cell_count(std::uint64_t rows, std::uint64_t columns) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    return rows > 0 && columns > kMost / rows ? kMost : rows * columns;
}

std::uint64_t PairGrid::memory_bytes() const { return grid_bytes(rows_, columns_, row_step_, column_step_); }

// Keeps running bounds of the next cell, less extend (or plus highest + extend) for each residue so
// far.
LineSteps steps_of(const PairLine& line, const ScoringScheme& scheme) {
    const std::int64_t open = scheme.gaps.open, extend = scheme.gaps.extend, first = scheme.gaps.first();
    LineSteps steps;
    if (!line.is_given()) {
        if (line.size() > 1)
            steps.highest = line.is_free() ? 0 : line.size() > 2 || line.offset() > 0 ? -extend : -first;
        return steps;
    }
    const std::int64_t rise = std::max(0, scheme.matrix.highest_raw()) + extend;
    const std::span<const BorderCell> cells = line.cells();
    std::int64_t before = cells[0].h, lowest = before - open, highest = before + open;
    for (const BorderCell& cell : cells.subspan(1)) {
        const std::int64_t h = cell.h, gap = cell.gap - h;
        lowest -= extend;
        highest += rise;
        steps.regular &= h >= lowest && h <= highest && gap >= -first && gap <= -extend;
        lowest = std::max(lowest, h - open);
        highest = std::min(highest, h + open);
        steps.highest = std::max(steps.highest, h - before);
        before = h;
    }
    return steps;
}

// No alignment scores more than the highest matrix score for each residue of the shorter sequence.
// No H is below the alignment that puts all residues into two gaps, and local ones are not below 0.
Status check_pair_bounds(std::uint64_t rows, std::uint64_t columns, const PairScoring& scoring) {
    constexpr std::uint64_t kMostResidues = std::uint64_t{1} << 40;  // keeps the products below within 64 bits
    constexpr auto kHighest = static_cast<std::uint64_t>(kHighestPairScoreRaw);
    const auto shown = [](std::uint64_t number) { return std::to_string(number); };
    const std::string lengths = "sequences of " + shown(rows) + " and " + shown(columns) + " residues";
    if (std::max(rows, columns) > kMostResidues) {
        return Status::invalid_input(lengths + " are too long; each may have " + shown(kMostResidues) + " at most");
    }
    const auto highest_raw = static_cast<std::uint64_t>(std::max(0, scoring.scheme.matrix.highest_raw()));
    if (std::min(rows, columns) * highest_raw > kHighest) {
        return Status::invalid_input("the score of " + lengths + " could be " +
                                     shown(std::min(rows, columns) * highest_raw) + " with a highest matrix score of " +
                                     shown(highest_raw) + ", and scores are counted up to " + shown(kHighest) +
                                     "; take a matrix of smaller numbers, or align parts of the sequences");
    }
    if (scoring.local) return {};
    const auto open = static_cast<std::uint64_t>(scoring.scheme.gaps.open);
    const auto extend = static_cast<std::uint64_t>(scoring.scheme.gaps.extend);
    const std::uint64_t gaps_raw = 2 * open + (rows + columns) * extend;
    if (gaps_raw > kHighest) {
        return Status::invalid_input("gaps in " + lengths + " could cost " + shown(gaps_raw) + " at gap costs " +
                                     shown(open) + "/" + shown(extend) + ", and scores are counted down to -" +
                                     shown(kHighest) + "; lower the gap costs, or align parts of the sequences");
    }
    return {};
}

std::unique_ptr<PairSweeper> make_cpu_pair_sweeper(CpuBackend backend, const PairScoring& scoring,
                                                   const ThreadPool& pool) {
    if (auto sweeper = make_vector_pair_sweeper(backend, scoring, pool)) return sweeper;
    return make_reference_pair_sweeper(scoring);
}

}  // namespace warpseq
