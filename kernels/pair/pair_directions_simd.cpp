// Fills directions with vectors. Strips have as many lanes as a vector has bytes, with four rows a
// lane. They are swept like those of kernels/pair/pair_skewed_strip_simd.cpp with absolute numbers
// less a base. The numbers have 16 bits where the block's scores fit.
#include "kernels/pair/pair_directions_simd.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/backends/backend_table.h"
#include "kernels/pair/pair_letter_scores_simd.h"
#include "kernels/pair/pair_sweep_table_simd.h"
#include "kernels/simd/aligned_bytes.h"

namespace warpseq {
namespace {

class VectorDirectionFiller final : public PairDirectionFiller {
   public:
    VectorDirectionFiller(const PairSweepTable& table, const PairScoring& scoring)
        : table_(table), scoring_(scoring), lanes_(table.lanes), strip_rows_(kDirectionLaneRows * table.lanes) {}

    PairDirections fill(const TraceTask& task) override;

   private:
    /// Returns the base of lanes: the sum of a lane and the base is the score. 32 bits hold scores
    /// themselves.
    std::int64_t base_of_words(const TraceTask& task, bool& fits) const;
    template <typename Lane>
    void fill_as(const TraceTask& task, PairSweepTable::Kernel kernel, std::int32_t base);

    const PairSweepTable& table_;
    PairScoring scoring_;
    const std::size_t lanes_, strip_rows_;
    PairLetterScores letters_;
    AlignedBytes directions_, scratch_;
    std::size_t strip_bytes_ = 0;
};

std::int64_t VectorDirectionFiller::base_of_words(const TraceTask& task, bool& fits) const {
    // From where paths enter the block, scores grow by no more than the highest score a row. They
    // fall by no more than what one gap over all columns costs. There are also a gap's values and
    // mismatches.
    const GapCosts& gaps = scoring_.scheme.gaps;
    std::int64_t lowest = task.top[0].h, highest = lowest;
    for (const auto line : {task.top.subspan(1), task.left.subspan(1)}) {
        for (const BorderCell& cell : line) {
            lowest = std::min<std::int64_t>(lowest, std::min(cell.h, cell.gap));
            highest = std::max<std::int64_t>(highest, std::max(cell.h, cell.gap));
        }
    }
    const std::int64_t highest_score = std::max(0, letters_.highest_score_raw),
                       lowest_score = std::min(0, letters_.lowest_score_raw);
    const auto shorter = static_cast<std::int64_t>(std::min(task.query.size(), task.target.size()));
    highest += shorter * highest_score;
    lowest += lowest_score - gaps.open - static_cast<std::int64_t>(task.target.size()) * gaps.extend - 2 * gaps.first();
    --lowest;  // nothing but a clamped 0 equals the lowest lane
    fits = highest - lowest <= UINT16_MAX;
    return lowest - INT16_MIN;
}

template <typename Lane>
void VectorDirectionFiller::fill_as(const TraceTask& task, PairSweepTable::Kernel kernel, std::int32_t base) {
    const std::size_t m = task.query.size(), n = task.target.size();
    const std::size_t steps = n + lanes_ - 1, cells = strip_rows_;
    const std::size_t line_bytes =
        (steps + 1) * sizeof(Lane) / AlignedBytes::kAlignmentBytes * AlignedBytes::kAlignmentBytes +
        AlignedBytes::kAlignmentBytes;
    const std::size_t words_bytes = letters_.words_bytes(table_);
    std::byte* p = scratch_.reserve(4 * line_bytes + (2 * cells + 4 * lanes_) * sizeof(Lane) + 2 * cells + words_bytes);
    const auto take = [&p](std::size_t bytes) { return std::exchange(p, p + bytes); };
    // The border row above a strip. The strip replaces it by its own last row. h[k] and gap[k] are
    // those of column k.
    Lane *h = reinterpret_cast<Lane*>(take(line_bytes)), *gap = reinterpret_cast<Lane*>(take(line_bytes));
    Lane *next_h = reinterpret_cast<Lane*>(take(line_bytes)), *next_gap = reinterpret_cast<Lane*>(take(line_bytes));
    Lane* const state = reinterpret_cast<Lane*>(take((2 * cells + 4 * lanes_) * sizeof(Lane)));
    auto* const row_letters = reinterpret_cast<std::uint8_t*>(take(cells));
    auto* const codes = reinterpret_cast<std::uint8_t*>(take(cells));
    auto* const words = reinterpret_cast<std::uint8_t*>(take(words_bytes));
    const auto lane_of = [base](std::int32_t raw) { return static_cast<Lane>(raw - base); };
    for (std::size_t j = 0; j <= n; ++j) {
        h[j] = lane_of(task.top[j].h);
        gap[j] = lane_of(task.top[j].gap);
    }
    std::fill(h + n + 1, h + steps + 1, h[n]);
    std::fill(gap + n + 1, gap + steps + 1, gap[n]);

    PairSteps steps_of_strip{};
    steps_of_strip.rows_per_lane = kDirectionLaneRows;
    steps_of_strip.top_lane = lanes_ - 1;
    letters_.point(steps_of_strip);
    steps_of_strip.word_bytes = letters_.has_table ? 0 : kDirectionLaneRows;
    steps_of_strip.row_letters = row_letters;
    steps_of_strip.words = words;
    steps_of_strip.h = state;
    steps_of_strip.gap = state + cells;
    steps_of_strip.carry = state + 2 * cells;
    steps_of_strip.best = state + 2 * cells + 3 * lanes_;
    steps_of_strip.gap_open = scoring_.scheme.gaps.open;
    steps_of_strip.gap_extend = scoring_.scheme.gaps.extend;
    const std::int64_t lowest_lane = std::numeric_limits<Lane>::min();
    steps_of_strip.zero =
        static_cast<std::int32_t>(scoring_.local ? std::max(lowest_lane, -std::int64_t{base}) : lowest_lane);
    for (std::size_t strip = 0; strip * strip_rows_ < m; ++strip) {
        const std::size_t first_row = strip * strip_rows_, rows = std::min(strip_rows_, m - first_row);
        h[0] = lane_of(task.left[first_row].h);
        for (std::size_t row = 0; row < strip_rows_; ++row) {
            const std::size_t from_top = row / kDirectionLaneRows, r = row % kDirectionLaneRows,
                              lane = lanes_ - 1 - from_top;
            const std::size_t there = std::min(row, rows - 1);  // rows beyond the last one repeat it and are not read
            const ResidueCode code = task.query[first_row + there];
            const BorderCell& cell = task.left[first_row + there + 1];
            if (letters_.has_table) {
                row_letters[r * lanes_ + lane] = letters_.query_numbers[code];
            } else {
                codes[lane * kDirectionLaneRows + r] = code;
            }
            state[r * lanes_ + lane] = lane_of(cell.h);
            state[cells + r * lanes_ + lane] = lane_of(cell.gap);
        }
        std::copy_n(state + (kDirectionLaneRows - 1) * lanes_, lanes_, state + 2 * cells);
        std::fill_n(state + 2 * cells + lanes_, 3 * lanes_, state[0]);
        if (!letters_.has_table) letters_.fill_words(table_, codes, kDirectionLaneRows, words);
        // Lanes below the last row have nothing to do.
        const std::size_t last_lane = lanes_ - 1 - (rows - 1) / kDirectionLaneRows;
        steps_of_strip.end = n + lanes_ - 1 - last_lane;
        steps_of_strip.corner_h = h;
        steps_of_strip.above_h = h + 1;
        steps_of_strip.above_gap = gap + 1;
        steps_of_strip.below_h = next_h;
        steps_of_strip.below_gap = next_gap;
        steps_of_strip.directions = reinterpret_cast<std::uint8_t*>(directions_.reserve(0)) + strip * strip_bytes_;
        kernel(steps_of_strip);
        if (rows == strip_rows_) {
            std::copy_n(next_h + lanes_ - 1, n, h + 1);
            std::copy_n(next_gap + lanes_ - 1, n, gap + 1);
        }
    }
}

PairDirections VectorDirectionFiller::fill(const TraceTask& task) {
    letters_.find(task.query, task.target, scoring_.scheme.matrix);
    letters_.fill(task.target, scoring_.scheme.matrix, table_, 0);
    const std::size_t strips = (task.query.size() + strip_rows_ - 1) / strip_rows_;
    strip_bytes_ = (task.target.size() + lanes_ - 1) * strip_rows_;
    auto* const bytes = reinterpret_cast<std::uint8_t*>(directions_.reserve(strips * strip_bytes_));
    bool fits = false;
    const std::int64_t base = base_of_words(task, fits);
    if (fits) {
        fill_as<std::int16_t>(task, table_.directions_16_bit, static_cast<std::int32_t>(base));
    } else {
        fill_as<std::int32_t>(task, table_.directions_32_bit, 0);
    }
    // Row q of a strip is row q % 4 of the lane q / 4 below the top one. That lane is q / 4 steps
    // later.
    PairDirections directions;
    directions.bytes = bytes + lanes_ - 1;
    directions.strip_rows_log2 = static_cast<unsigned>(std::countr_zero(strip_rows_));
    directions.band_rows_log2 = static_cast<unsigned>(std::countr_zero(kDirectionLaneRows));
    directions.strip_bytes = strip_bytes_;
    directions.band_bytes = strip_rows_ - 1;
    directions.row_bytes = lanes_;
    directions.column_bytes = strip_rows_;
    return directions;
}

}  // namespace

std::unique_ptr<PairDirectionFiller> make_vector_pair_direction_filler(CpuBackend backend, const PairScoring& scoring) {
    const BackendTable* const table = runnable_backend_table(backend);
    return table == nullptr ? nullptr : std::make_unique<VectorDirectionFiller>(table->pair_sweep, scoring);
}

}  // namespace warpseq
