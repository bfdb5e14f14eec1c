// Numbers in skewed strips.
//
// Differences serve global and semi-global sweeps. They fit their lanes for the following reason.
// Let U be the highest u or v in row 0 and column 0. Then
//
//     z <= Z = max(highest score, U + open - extend)
//
// for all cells. The proof is by induction. A match adds at most the highest score. Now let H(i, j)
// come from a gap of k target residues that was opened at H(i, j-k). Then H(i, j-k) <= H(i-1,
// j-k-1) + Z. Also H(i-1, j-1) >= H(i-1, j-k-1) - open - k extend. So what the gap costs cancels
// out. If that gap entered at column 0, E(i, j) <= H(i, 0) - j extend. Also H(i-1, j-1) >= H(i-1,
// 0) - open - (j-1) extend. Gaps that go downwards are bounded in the same way. From z <= Z, and u
// and v >= -first, it follows that u, v <= Z + first, a <= z and b <= z. So with their biases all
// numbers are within 0 and Z + 2 first. This needs row 0 and column 0 to keep the rule of lines
// (steps_of() in kernels/pair/pair_sweep.h), as every row and column of a matrix does. The rule
// says that H falls by no more than a gap costs, and that gaps are between H - first and H -
// extend. If row 0 or column 0 does not keep the rule, numbers are absolute and have 32 bits.
//
// Absolute numbers serve local sweeps. A chunk is swept in bytes while the scores that enter are
// low, and again in 16 bits if they grow too high meanwhile. 16 bits hold H less a base that is
// chosen for each chunk. Over the chunk's columns no score grows by more than the highest score a
// column, and none falls by more than a gap over all of them costs. Where even 16 bits are too few,
// 32 bits hold H itself.
#include "kernels/pair/pair_skewed_strip_simd.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <utility>

namespace warpseq {

SkewedStripSweep::SkewedStripSweep(PairSweepWork& work, std::size_t number, PairSweepWorkspace& workspace,
                                   SweepWatch& watch)
    : table_(work.table),
      work_(work),
      number_(number),
      strip_(work.strips[number]),
      workspace_(workspace),
      watch_(watch),
      local_(work.scoring.local),
      differences_(work.numbers != PairNumbers::kAbsolute),
      lanes_(table_.lanes),
      first_column_(strip_.first_column),
      columns_(work.task.target.size() - first_column_),
      open_(work.scoring.scheme.gaps.open),
      extend_(work.scoring.scheme.gaps.extend),
      first_(work.scoring.scheme.gaps.first()) {
    lane_rows_ = (strip_.rows + lanes_ - 1) / lanes_;
    top_lane_ = (strip_.rows + lane_rows_ - 1) / lane_rows_ - 1;
    padding_ = (top_lane_ + 1) * lane_rows_ - strip_.rows;
    word_bytes_ = work.letters.has_table ? 0 : lane_rows_ <= 4 ? 4 : lane_rows_ <= 8 ? 8 : 16;
    lay_out();
    fill_letters();
    begin_state();
}

void SkewedStripSweep::lay_out() {
    constexpr std::size_t kCellBytes = sizeof(std::int32_t);
    const std::size_t state_bytes = state_cells() * kCellBytes;
    const std::size_t line_bytes = round_up((kChunkSteps + 1) * kCellBytes, AlignedBytes::kAlignmentBytes);
    const std::size_t letter_bytes = kMostLaneRows * lanes_;
    const std::size_t words_bytes = work_.letters.words_bytes(table_);
    const std::size_t crossing_cells = (2 * lane_rows_ + 1) * lanes_;
    const std::size_t crossings = (kChunkSteps + top_lane_) / work_.task.column_step + 2;
    std::byte* p = workspace_.bytes.reserve(2 * state_bytes + 6 * line_bytes + 2 * letter_bytes + words_bytes +
                                            crossings * crossing_cells * kCellBytes);
    const auto take = [&p](std::size_t bytes) { return std::exchange(p, p + bytes); };
    state_ = take(state_bytes);
    other_state_ = take(state_bytes);
    above_h_ = take(line_bytes);
    above_gap_ = take(line_bytes);
    below_h_ = take(line_bytes);
    below_gap_ = take(line_bytes);
    row_h_raw_ = reinterpret_cast<std::int32_t*>(take(line_bytes));
    row_gap_raw_ = reinterpret_cast<std::int32_t*>(take(line_bytes));
    row_letters_ = reinterpret_cast<std::uint8_t*>(take(letter_bytes));
    codes_ = reinterpret_cast<std::uint8_t*>(take(letter_bytes));
    words_ = reinterpret_cast<std::uint8_t*>(take(words_bytes));
    workspace_.crossings.resize(crossings);
    for (PairCrossing& crossing : workspace_.crossings) {
        crossing.h = take(lane_rows_ * lanes_ * kCellBytes);
        crossing.gap = take(lane_rows_ * lanes_ * kCellBytes);
        crossing.best = take(lanes_ * kCellBytes);
    }
    workspace_.crossing_h_raw.resize(work_.grid.column_blocks());
    workspace_.block_best_raw.assign(local_ ? work_.grid.column_blocks() : 0, 0);
}

void SkewedStripSweep::fill_letters() {
    const std::span<const ResidueCode> query = work_.task.query.subspan(strip_.first_row, strip_.rows);
    const auto code_at = [&](std::size_t lane, std::size_t r) {
        const std::int64_t row = first_row_of(lane) + static_cast<std::int64_t>(r) - 1;
        return row < 0 || lane > top_lane_ ? query[0] : query[static_cast<std::size_t>(row)];
    };
    if (word_bytes_ == 0) {
        for (std::size_t lane = 0; lane < lanes_; ++lane) {
            for (std::size_t r = 0; r < lane_rows_; ++r)
                row_letters_[r * lanes_ + lane] = work_.letters.query_numbers[code_at(lane, r)];
        }
        return;
    }
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
        for (std::size_t r = 0; r < word_bytes_; ++r)
            codes_[lane * word_bytes_ + r] = code_at(lane, std::min(r, lane_rows_ - 1));
    }
    work_.letters.fill_words(table_, codes_, word_bytes_, words_);
}

void SkewedStripSweep::begin_state() {
    // Absolute numbers begin in 32 bits and are made narrow before the first chunk.
    format_ = {work_.numbers == PairNumbers::kDifferences8    ? k8Bit
               : work_.numbers == PairNumbers::kDifferences16 ? k16Bit
                                                              : k32Bit,
               0};
    with_lane(format_.width, [&](auto any) {
        using Lane = decltype(any);
        const State<Lane> s = state<Lane>(state_);
        std::fill_n(s.h, state_cells(), Lane{0});
        for (std::size_t lane = 0; lane <= top_lane_; ++lane) {
            const std::int64_t row0 = first_row_of(lane);
            for (std::size_t r = 0; r < lane_rows_; ++r) {
                const std::int64_t row = row0 + static_cast<std::int64_t>(r);
                if (row < 1) continue;
                const BorderCell cell = left(static_cast<std::size_t>(row));
                const std::size_t at = r * lanes_ + lane;
                if (differences_) {
                    s.h[at] = static_cast<Lane>(cell.h - left(static_cast<std::size_t>(row) - 1).h + first_);
                    s.gap[at] = static_cast<Lane>(cell.gap - cell.h + first_);
                } else {
                    s.h[at] = static_cast<Lane>(cell.h);
                    s.gap[at] = static_cast<Lane>(cell.gap);
                }
            }
            // The cells that the lane below sees above and left of its first cell.
            s.carry[lane] = s.carry[2 * lanes_ + lane] = s.h[(lane_rows_ - 1) * lanes_ + lane];
            s.carry[lanes_ + lane] = s.gap[(lane_rows_ - 1) * lanes_ + lane];
        }
    });
    row_h_raw_[0] = left(0).h;
    below_h_raw_ = left(strip_.rows).h;
}

bool SkewedStripSweep::run() {
    const std::size_t steps = columns_ + top_lane_;
    for (std::size_t begin = 0; begin < steps; begin += kChunkSteps) {
        const std::size_t end = std::min(steps, begin + kChunkSteps);
        if (!watch_.goes_on()) return false;
        if (work_.wait_for_row_above(number_, first_column_ + std::min(end, columns_), false) == PairSweepWork::kGaveUp)
            return false;
        read_row(begin, end);
        sweep_chunk(begin, end);
        write_row(begin, end);
        if (end <= top_lane_) continue;
        const std::size_t columns = end - top_lane_;
        watch_.add_cells((columns - (begin > top_lane_ ? begin - top_lane_ : 0)) * strip_.rows);
        if (columns < columns_) work_.set_columns_done(number_, first_column_ + columns);
    }
    if (local_) {
        const std::lock_guard lock(watch_.mutex);
        const std::span<std::int32_t> maxima =
            work_.grid.maxima_raw().subspan(strip_.row_block * work_.grid.column_blocks());
        for (std::size_t b = 0; b < workspace_.block_best_raw.size(); ++b)
            maxima[b] = std::max(maxima[b], workspace_.block_best_raw[b]);
    }
    return true;
}

void SkewedStripSweep::read_row(std::size_t begin, std::size_t end) {
    const std::size_t there = std::min(end, columns_), count = there > begin ? there - begin : 0;
    const BorderCell* const row = work_.row.data() + first_column_ + begin + 1;
    for (std::size_t k = 0; k < count; ++k) {
        row_h_raw_[k + 1] = row[k].h;
        row_gap_raw_[k + 1] = row[k].gap;
    }
    // Padding cells go on as if the matrix had gaps of no cost there.
    for (std::size_t k = count; k < end - begin; ++k) {
        row_h_raw_[k + 1] = row_h_raw_[k];
        row_gap_raw_[k + 1] = row_h_raw_[k] - first_;
    }
}

void SkewedStripSweep::sweep_chunk(std::size_t begin, std::size_t end) {
    if (!differences_) {
        change_format(choose_format(end - begin, true));
        if (format_.width == k8Bit) std::memcpy(other_state_, state_, state_cells());
    }
    run_kernel(begin, end);
    if (!differences_ && format_.width == k8Bit && bytes_overflowed(begin, end)) {
        std::swap(state_, other_state_);
        change_format(choose_format(end - begin, false));
        run_kernel(begin, end);
    }
    keep_crossings(begin, end);
    if (!differences_) keep_best();
    row_h_raw_[0] = row_h_raw_[end - begin];
}

void SkewedStripSweep::settle_unused_lanes() {
    with_lane(format_.width, [&](auto any) {
        using Lane = decltype(any);
        const State<Lane> s = state<Lane>(state_);
        for (std::size_t r = 0; r < lane_rows_; ++r) {
            for (std::size_t lane = r < padding_ ? top_lane_ : top_lane_ + 1; lane < lanes_; ++lane) {
                s.h[r * lanes_ + lane] = s.h[r * lanes_];
                s.gap[r * lanes_ + lane] = s.gap[r * lanes_];
            }
        }
        for (std::size_t part = 0; part < 3; ++part) {
            Lane* const carry = s.carry + part * lanes_;
            for (std::size_t lane = part == 2 ? top_lane_ : top_lane_ + 1; lane < lanes_; ++lane)
                carry[lane] = s.h[(lane_rows_ - 1) * lanes_];
        }
        for (std::size_t lane = 0; lane < lanes_; ++lane) s.best[lane] = s.h[0];
    });
}

SkewedStripSweep::Range SkewedStripSweep::state_range() const {
    Range range{};
    with_lane(format_.width, [&](auto any) {
        using Lane = decltype(any);
        const Lane* const cells = state<Lane>(state_).h;
        Lane lowest = cells[0], highest = cells[0];
        for (std::size_t k = 1; k < state_cells(); ++k) {
            lowest = std::min(lowest, cells[k]);
            highest = std::max(highest, cells[k]);
        }
        range = {lowest + format_.base, highest + format_.base};
    });
    return range;
}

SkewedStripSweep::Format SkewedStripSweep::choose_format(std::size_t steps, bool may_be_bytes) {
    if (!local_) return {k32Bit, 0};
    Range range{row_h_raw_[0], row_h_raw_[0]};
    for (std::size_t k = 0; k <= steps; ++k) {
        range.lowest = std::min(range.lowest, std::int64_t{row_h_raw_[k]});
        range.highest = std::max(range.highest, std::int64_t{row_h_raw_[k]});
    }
    for (std::size_t k = 1; k <= steps; ++k) range.lowest = std::min(range.lowest, std::int64_t{row_gap_raw_[k]});
    // Gaps are below H wherever they matter.
    for (std::size_t k = 1; k <= steps; ++k) range.highest = std::max(range.highest, std::int64_t{row_gap_raw_[k]});

    const std::int64_t highest_score = std::max(0, work_.letters.highest_score_raw),
                       lowest_score = std::min(0, work_.letters.lowest_score_raw);
    // The room below zero is for a gap that is opened at 0 and extended, or for a mismatch. Bytes
    // also need room for a match above all that.
    const std::int64_t below_zero = std::max<std::int64_t>(first_ + extend_, extend_ - lowest_score);
    const Format bytes{k8Bit, -below_zero};
    const std::int64_t byte_limit = byte_limit_lane() + bytes.base;
    if (byte_limit <= highest_score || work_.score_bias != extend_) may_be_bytes = false;
    if (format_.width == k8Bit && may_be_bytes && range.highest <= byte_limit && range.lowest >= -first_) return bytes;

    settle_unused_lanes();
    const Range inner = state_range();
    range = {std::min(range.lowest, inner.lowest), std::max(range.highest, inner.highest)};
    // Wider numbers go back to bytes only where there is some room to grow.
    if (may_be_bytes && range.highest <= byte_limit / 2 && range.lowest >= -first_) return bytes;

    const std::int64_t columns = static_cast<std::int64_t>(steps) + 1;
    const std::int64_t highest = range.highest + columns * highest_score;
    std::int64_t lowest = range.lowest - open_ - columns * extend_ - below_zero - first_;
    if (range.lowest >= -first_) lowest = std::max(lowest, -below_zero);
    if (format_.width == k16Bit && format_.lowest_raw() <= lowest && highest <= format_.highest_raw()) return format_;
    const Format words{k16Bit, lowest - INT16_MIN};
    if (highest <= words.highest_raw()) return words;
    return {k32Bit, 0};
}

void SkewedStripSweep::change_format(Format to) {
    if (format_ == to) return;
    settle_unused_lanes();
    with_lane(format_.width, [&](auto any_from) {
        with_lane(to.width, [&](auto any_to) {
            using From = decltype(any_from);
            using To = decltype(any_to);
            const From* const from = reinterpret_cast<const From*>(state_);
            To* const out = reinterpret_cast<To*>(other_state_);
            const std::int64_t shift = format_.base - to.base;
            for (std::size_t k = 0; k < state_cells(); ++k) {
                const std::int64_t lane = from[k] + shift;
                assert(lane + to.base >= to.lowest_raw() && lane + to.base <= to.highest_raw());
                out[k] = static_cast<To>(lane);
            }
        });
    });
    std::swap(state_, other_state_);
    format_ = to;
}

void SkewedStripSweep::run_kernel(std::size_t begin, std::size_t end) {
    PairSteps steps{};
    steps.rows_per_lane = lane_rows_;
    steps.top_lane = top_lane_;
    steps.padding = padding_;
    steps.begin = begin;
    steps.end = end;
    work_.letters.point(steps, first_column_);
    steps.word_bytes = word_bytes_;
    steps.row_letters = row_letters_;
    steps.words = words_;
    steps.above_h = above_h_;
    steps.above_gap = above_gap_;
    steps.below_h = below_h_;
    steps.below_gap = below_gap_;
    steps.corner_h = above_h_;
    steps.gap_open = open_;
    steps.gap_extend = extend_;
    steps.score_bias = differences_ ? 2 * first_ : -work_.score_bias;
    steps.zero = static_cast<std::int32_t>(zero_lane());

    list_crossings(steps);
    steps.threshold = threshold_.data();
    if (local_ && format_.width == k8Bit) set_thresholds(begin);
    convert_row_above(steps);
    kernel()(steps);
}

void SkewedStripSweep::list_crossings(PairSteps& steps) {
    const std::size_t column_step = work_.task.column_step, checkpoints = work_.grid.column_blocks();
    // This is the lowest column of the matrix that a lane fills.
    const std::size_t earliest = first_column_ + (steps.begin > top_lane_ ? steps.begin - top_lane_ : 0);
    std::size_t checkpoint = earliest / column_step;
    for (; checkpoint < checkpoints; ++checkpoint) {
        PairCrossing& crossing = workspace_.crossings[steps.crossing_count];
        crossing.step = std::min((checkpoint + 1) * column_step - first_column_, columns_) - 1;
        if (crossing.step >= steps.end) break;
        ++steps.crossing_count;
    }
    steps.crossings = workspace_.crossings.data();
    crossing_count_ = steps.crossing_count;
    first_checkpoint_ = earliest / column_step;
}

void SkewedStripSweep::set_thresholds(std::size_t begin) {
    const std::size_t column_step = work_.task.column_step, checkpoints = work_.grid.column_blocks();
    const std::int64_t limit = byte_limit_lane();
    std::array<std::size_t, kMostPairLanes> block;
    for (std::size_t lane = 0; lane <= top_lane_; ++lane) {
        // This is the column that the lane fills next, or will begin with.
        const std::size_t behind = top_lane_ - lane, column = begin > behind ? begin - behind : 0;
        block[lane] = std::min((first_column_ + column) / column_step, checkpoints - 1);
        const std::int64_t known =
            std::max(workspace_.block_best_raw[block[lane]], lane_best_raw_[lane]) - format_.base;
        threshold_[lane] = static_cast<std::uint8_t>(std::min(known, limit));
    }
    for (std::size_t lane = 1; lane <= top_lane_; ++lane) {
        if (block[lane] == block[lane - 1]) threshold_[lane] = std::max(threshold_[lane], threshold_[lane - 1]);
    }
    for (std::size_t lane = top_lane_; lane > 0; --lane) {
        if (block[lane] == block[lane - 1]) threshold_[lane - 1] = std::max(threshold_[lane - 1], threshold_[lane]);
    }
}

void SkewedStripSweep::convert_row_above(PairSteps& steps) {
    const std::size_t count = steps.end - steps.begin;
    with_lane(format_.width, [&](auto any) {
        using Lane = decltype(any);
        const State<Lane> s = state<Lane>(state_);
        steps.h = s.h;
        steps.gap = s.gap;
        steps.carry = s.carry;
        steps.best = s.best;
        std::fill_n(s.best, lanes_, static_cast<Lane>(steps.zero));
        Lane *const h = reinterpret_cast<Lane*>(above_h_), *const gap = reinterpret_cast<Lane*>(above_gap_);
        // Stores of bytes could change any member as far as the compiler knows, so the loops read
        // none.
        const std::int32_t* const row_h = row_h_raw_;
        const std::int32_t* const row_gap = row_gap_raw_;
        const std::int32_t first = first_;
        if (differences_) {
            for (std::size_t k = 0; k < count; ++k) {
                h[k] = static_cast<Lane>(row_h[k + 1] - row_h[k] + first);
                gap[k] = static_cast<Lane>(row_gap[k + 1] - row_h[k + 1] + first);
            }
        } else {
            const auto base = static_cast<std::int32_t>(format_.base);
            for (std::size_t k = 0; k < count; ++k) {
                h[k] = static_cast<Lane>(row_h[k] - base);
                gap[k] = static_cast<Lane>(row_gap[k + 1] - base);
            }
        }
    });
}

PairSweepTable::Kernel SkewedStripSweep::kernel() const {
    return work_.numbers == PairNumbers::kDifferences8    ? table_.difference_8_bit
           : work_.numbers == PairNumbers::kDifferences16 ? table_.difference_16_bit
           : format_.width == k8Bit                       ? table_.absolute_8_bit
           : format_.width == k16Bit                      ? table_.absolute_16_bit
                                                          : table_.absolute_32_bit;
}

bool SkewedStripSweep::bytes_overflowed(std::size_t begin, std::size_t end) const {
    const auto limit = static_cast<std::uint8_t>(byte_limit_lane());
    const std::uint8_t* const best = state<std::uint8_t>(state_).best;
    bool over = false;
    for (std::size_t lane = 0; lane <= top_lane_; ++lane) over |= best[lane] > limit;
    for (std::size_t k = 0; k < crossing_count_; ++k) {
        const PairCrossing& crossing = workspace_.crossings[k];
        const std::uint8_t* const passed = static_cast<const std::uint8_t*>(crossing.best);
        for (std::size_t step = std::max(begin, crossing.step); step < std::min(end, crossing.step + top_lane_ + 1);
             ++step)
            over |= passed[top_lane_ - (step - crossing.step)] > limit;
    }
    return over;
}

void SkewedStripSweep::keep_crossings(std::size_t begin, std::size_t end) {
    const std::int64_t zero = zero_lane();
    for (std::size_t k = 0; k < crossing_count_; ++k) {
        const PairCrossing& crossing = workspace_.crossings[k];
        const std::size_t checkpoint = first_checkpoint_ + k;
        BorderCell* const cells = work_.grid.column_checkpoint(checkpoint).data() + strip_.first_row;
        std::int32_t h_above = workspace_.crossing_h_raw[checkpoint];
        if (crossing.step >= begin) h_above = row_h_raw_[crossing.step - begin + 1];
        with_lane(format_.width, [&](auto any) {
            using Lane = decltype(any);
            const Lane *const h = static_cast<const Lane*>(crossing.h), *const gap =
                                                                            static_cast<const Lane*>(crossing.gap);
            for (std::size_t step = std::max(begin, crossing.step); step < std::min(end, crossing.step + top_lane_ + 1);
                 ++step) {
                const std::size_t lane = top_lane_ - (step - crossing.step);
                const std::int64_t row0 = first_row_of(lane);
                for (std::size_t r = row0 < 1 ? padding_ : 0; r < lane_rows_; ++r) {
                    const std::size_t at = lane * lane_rows_ + r;
                    BorderCell& cell = cells[row0 + static_cast<std::int64_t>(r)];
                    if (differences_) {
                        cell.h = h_above += h[at] - first_;
                        cell.gap = cell.h + gap[at] - first_;
                    } else {
                        cell.h = static_cast<std::int32_t>(h[at] + format_.base);
                        cell.gap = static_cast<std::int32_t>(gap[at] + format_.base);
                    }
                }
                if (local_) {
                    const std::int64_t best = static_cast<const Lane*>(crossing.best)[lane];
                    std::int32_t& lane_best = lane_best_raw_[lane];
                    if (best > zero) lane_best = std::max(lane_best, static_cast<std::int32_t>(best + format_.base));
                    workspace_.block_best_raw[checkpoint] =
                        std::max(workspace_.block_best_raw[checkpoint], std::exchange(lane_best, 0));
                }
            }
        });
        workspace_.crossing_h_raw[checkpoint] = h_above;
    }
}

void SkewedStripSweep::keep_best() {
    if (!local_) return;
    const std::int64_t zero = zero_lane();
    with_lane(format_.width, [&](auto any) {
        using Lane = decltype(any);
        const Lane* const best = state<Lane>(state_).best;
        for (std::size_t lane = 0; lane <= top_lane_; ++lane) {
            if (best[lane] > zero)
                lane_best_raw_[lane] =
                    std::max(lane_best_raw_[lane], static_cast<std::int32_t>(best[lane] + format_.base));
        }
    });
}

void SkewedStripSweep::write_row(std::size_t begin, std::size_t end) {
    if (end <= top_lane_) return;
    const std::size_t first_step = std::max(begin, top_lane_);
    const std::size_t count = end - first_step, column = first_step - top_lane_;
    BorderCell* const row = work_.row.data() + first_column_ + column + 1;
    with_lane(format_.width, [&](auto any) {
        using Lane = decltype(any);
        const Lane* const h = reinterpret_cast<const Lane*>(below_h_) + (first_step - begin);
        const Lane* const gap = reinterpret_cast<const Lane*>(below_gap_) + (first_step - begin);
        if (differences_) {
            std::int32_t raw = below_h_raw_;
            const std::int32_t first = first_;
            for (std::size_t k = 0; k < count; ++k) {
                raw += h[k] - first;
                row[k] = {raw, raw + gap[k] - first};
            }
            below_h_raw_ = raw;
        } else {
            const auto base = static_cast<std::int32_t>(format_.base);
            for (std::size_t k = 0; k < count; ++k) row[k] = {h[k] + base, gap[k] + base};
        }
    });
    if (strip_.ends_block)
        std::copy_n(row, count, work_.grid.row_checkpoint(strip_.row_block).data() + first_column_ + column + 1);
}

}  // namespace warpseq
