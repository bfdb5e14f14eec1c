#include "kernels/pair/pair_tall_strip_simd.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <span>
#include <utility>

namespace warpseq {
namespace {

/// Bounds of a tall strip. With fewer rows per lane its lanes have too few rows. With more rows two
/// columns of numbers leave the first cache.
constexpr std::size_t kLeastTallLaneRows = 64, kMostTallRows = 12288;

/// Returns the byte of score 0. It leaves room below for a gap that is opened at 0 and extended,
/// and for a mismatch.
std::int32_t zero_of(const PairSweepWork& work) {
    const GapCosts& gaps = work.scoring.scheme.gaps;
    return std::max(gaps.first() + gaps.extend, -std::min(0, work.letters.lowest_score_raw));
}

/// Returns the score up to which a match has room in bytes.
std::int32_t limit_of(const PairSweepWork& work) {
    return UINT8_MAX - std::max(0, work.letters.highest_score_raw) - zero_of(work);
}

}  // namespace

std::size_t tall_strip_rows(const PairSweepWork& work, unsigned threads) {
    if (!work.scoring.local || work.scoring.scheme.gaps.first() > INT8_MAX) return 0;
    if (limit_of(work) <= std::max(0, work.letters.highest_score_raw)) return 0;
    const std::size_t m = work.task.query.size(), least = kLeastTallLaneRows * work.table.lanes,
                      strips = round_up((m + kMostTallRows - 1) / kMostTallRows, threads),
                      rows = (m + strips - 1) / strips;
    return rows < least ? 0 : rows;
}

TallStripSweep::TallStripSweep(PairSweepWork& work, const StripRun& run, PairSweepWorkspace& workspace,
                               SweepWatch& watch)
    : work_(work),
      run_(run),
      workspace_(workspace),
      watch_(watch),
      top_strip_(work.strips[run.first]),
      last_strip_(work.strips[run.last()]),
      lanes_(work.table.lanes),
      rows_(last_strip_.first_row + last_strip_.rows - top_strip_.first_row),
      columns_(work.task.target.size()),
      first_(work.scoring.scheme.gaps.first()),
      zero_(zero_of(work)),
      limit_raw_(limit_of(work)),
      left_(rows_ + 1) {
    // The scores of a column are filled 64 at a time.
    lane_rows_ = round_up((rows_ + lanes_ - 1) / lanes_, 64 / lanes_);
    cells_ = lane_rows_ * lanes_;
    padding_ = cells_ - rows_;
    work.task.left.copy(top_strip_.first_row, left_);
    corner_raw_ = left_[0].h;
}

template <typename Visit>
void TallStripSweep::each_row(const Visit& visit) const {
    for (std::size_t lane = lanes_; lane-- > 0;) {
        const std::size_t row0 = (lanes_ - 1 - lane) * lane_rows_ + 1;
        for (std::size_t r = 0; r < lane_rows_; ++r)
            visit(row0 + r > padding_ ? row0 + r - padding_ : 0, r * lanes_ + lane);
    }
}

TallStripSweep::End TallStripSweep::run() {
    if (!can_begin()) return End::kLeftOver;
    lay_out();
    for (std::size_t column_block = 0; next_column_ < columns_; ++column_block) {
        const End end = sweep_block(column_block);
        if (end != End::kDone) return end;
    }
    return End::kDone;
}

bool TallStripSweep::can_begin() const {
    return rows_ >= kLeastTallLaneRows * lanes_ && left_[0].h >= 0 && left_[0].h <= limit_raw_ &&
           std::all_of(left_.begin() + 1, left_.end(), [this](const BorderCell& cell) { return fits(cell); });
}

void TallStripSweep::lay_out() {
    const std::size_t letters = work_.letters.target_letters().size();
    std::byte* p = workspace_.bytes.reserve((5 + letters) * cells_ + 4 * kChunkSteps);
    const auto take = [&p](std::size_t bytes) { return reinterpret_cast<std::uint8_t*>(std::exchange(p, p + bytes)); };
    h_ = take(cells_);
    gap_ = take(cells_);
    before_ = take(2 * cells_);
    std::uint8_t* const codes = take(cells_);
    std::uint8_t* const profiles = take(letters * cells_);
    corner_h_ = take(kChunkSteps);
    above_gap_ = take(kChunkSteps);
    below_h_ = take(kChunkSteps);
    below_gap_ = take(kChunkSteps);
    each_row([&](std::size_t row, std::size_t at) {
        h_[at] = byte(row == 0 ? 0 : left_[row].h);
        gap_[at] = byte(row == 0 ? -first_ : left_[row].gap);
        codes[at] = work_.task.query[top_strip_.first_row + (row == 0 ? 0 : row - 1)];
    });
    fill_profiles(codes, profiles);

    const GapCosts& gaps = work_.scoring.scheme.gaps;
    kernel_columns_.rows_per_lane = lane_rows_;
    kernel_columns_.padding = padding_;
    kernel_columns_.profiles = profile_of_.data();
    kernel_columns_.h = h_;
    kernel_columns_.gap = gap_;
    kernel_columns_.corner_h = corner_h_;
    kernel_columns_.above_gap = above_gap_;
    kernel_columns_.below_h = below_h_;
    kernel_columns_.below_gap = below_gap_;
    kernel_columns_.gap_open = static_cast<std::uint8_t>(gaps.open);
    kernel_columns_.gap_extend = static_cast<std::uint8_t>(gaps.extend);
    kernel_columns_.zero = byte(0);
}

void TallStripSweep::fill_profiles(const std::uint8_t* codes, std::uint8_t* profiles) {
    const std::span<const ResidueCode> letters = work_.letters.target_letters();
    work_.letters.fill_profiles(work_.table, codes, cells_, work_.score_bias, profiles);
    for (std::size_t a = 0; a < letters.size(); ++a) {
        std::uint8_t* const profile = profiles + a * cells_;
        for (std::size_t r = 0; r < padding_; ++r) profile[r * lanes_ + lanes_ - 1] = 0;
        profile_of_[letters[a]] = profile;
    }
}

TallStripSweep::End TallStripSweep::sweep_block(std::size_t column_block) {
    const std::size_t end = next_column_ + std::min<std::size_t>(columns_ - next_column_, work_.task.column_step);
    kernel_columns_.best = raise_maximum(column_block, byte(0));
    while (next_column_ < end) {
        if (!watch_.goes_on()) return End::kStopped;
        const std::size_t count = std::min(end - next_column_, kChunkSteps);
        const std::uint64_t there = work_.wait_for_row_above(run_.first, next_column_ + count, true);
        if (there == PairSweepWork::kGaveUp) return End::kStopped;
        if (there < next_column_ + count || !sweep_chunk(count, column_block)) return leave();
        if (next_column_ < columns_) work_.set_columns_done(run_.last(), next_column_);
        watch_.add_cells(static_cast<std::uint64_t>(rows_) * count);
    }
    raise_maximum(column_block, kernel_columns_.best);
    BorderCell* const checkpoint = work_.grid.column_checkpoint(column_block).data() + top_strip_.first_row;
    each_row([&](std::size_t row, std::size_t at) {
        if (row > 0) checkpoint[row] = {raw(h_[at]), raw(gap_[at])};
    });
    return End::kDone;
}

bool TallStripSweep::sweep_chunk(std::size_t count, std::size_t column_block) {
    BorderCell* const row = work_.row.data() + next_column_ + 1;
    if (!std::all_of(row, row + count, [this](const BorderCell& cell) { return fits(cell); })) return false;
    kernel_columns_.count = count;
    kernel_columns_.target = work_.task.target.data() + next_column_;
    for (std::size_t k = 0; k < count; ++k) {
        corner_h_[k] = byte(k == 0 ? corner_raw_ : row[k - 1].h);
        above_gap_[k] = byte(row[k].gap);
    }
    std::memcpy(before_, h_, 2 * cells_);
    const std::uint8_t best_before = kernel_columns_.best;
    work_.table.striped_8_bit(kernel_columns_);
    if (kernel_columns_.best > byte(limit_raw_)) {
        std::memcpy(h_, before_, 2 * cells_);
        raise_maximum(column_block, best_before);
        return false;
    }
    corner_raw_ = row[count - 1].h;
    for (std::size_t k = 0; k < count; ++k) row[k] = {raw(below_h_[k]), raw(below_gap_[k])};
    if (last_strip_.ends_block)
        std::copy_n(row, count, work_.grid.row_checkpoint(last_strip_.row_block).data() + next_column_ + 1);
    next_column_ += count;
    return true;
}

std::uint8_t TallStripSweep::raise_maximum(std::size_t column_block, std::uint8_t best) {
    const std::lock_guard lock(watch_.mutex);
    std::int32_t& known = work_.grid.maxima_raw()[top_strip_.row_block * work_.grid.column_blocks() + column_block];
    known = std::max(known, raw(best));
    return byte(std::min(known, limit_raw_));
}

TallStripSweep::End TallStripSweep::leave() {
    std::vector<BorderCell> column(rows_ + 1);
    column[0] = {corner_raw_, corner_raw_ - first_};
    each_row([&](std::size_t row, std::size_t at) {
        if (row > 0) column[row] = {raw(h_[at]), raw(gap_[at])};
    });
    for (std::size_t k = 0; k < run_.count; ++k) {
        SweepStrip& strip = work_.strips[run_.first + k];
        const BorderCell* const cells = column.data() + (strip.first_row - top_strip_.first_row);
        strip.left.assign(cells, cells + strip.rows + 1);
        strip.first_column = next_column_;
    }
    return End::kLeftOver;
}

}  // namespace warpseq
