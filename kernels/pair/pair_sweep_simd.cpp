// Sweeps over pairs on the CPU. Strips of rows, one thread each, follow one another through the
// columns.
//
// Strips. The rows between two row checkpoints are cut into strips of at most 16 rows a lane.
// Strips share one border row, a cell per column with 32-bit scores. Each strip reads it a chunk of
// columns ahead and writes its own last row over it. A strip begins with the first columns as soon
// as the strip above has finished them. So threads follow one another, each a chunk behind the one
// before. The pool hands strips out in ascending order, so the first strip at work never waits.
//
// Within a strip, numbers are narrow (kernels/pair/pair_sweep_kernels_simd.h).
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
//
// Tall strips. A local sweep begins with strips of thousands of rows in bytes throughout, if there
// is one for each thread. Scores of sequences that are not related stay in bytes, and parts of the
// kernel's work come only once a column. Tall strips follow one another as other strips do. Where a
// score leaves the bytes, the strip ends with the column before that chunk. What is right of it is
// swept in strips of the usual height, which begin at that column. All tall strips behind it that
// wait for more of its last row end in the same way.
#include "kernels/pair/pair_sweep_simd.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <chrono>
#include <cstring>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "kernels/backends/backend_table.h"
#include "kernels/pair/host_pair_grid.h"
#include "kernels/pair/pair_letters_simd.h"
#include "kernels/pair/pair_sweep_table_simd.h"
#include "kernels/simd/aligned_bytes.h"
#include "kernels/simd/target.h"

namespace warpseq {
namespace {

using Clock = std::chrono::steady_clock;

Status no_memory() { return Status::out_of_memory("not enough memory for rows and columns of a pair's matrix"); }

constexpr std::size_t kChunkSteps = 256;

/// Bounds of a tall strip. With fewer rows per lane its lanes have too few rows. With more rows two
/// columns of numbers leave the first cache.
constexpr std::size_t kLeastTallLaneRows = 64, kMostTallRows = 12288;

/// The kind of numbers within strips.
enum class Numbers { kDifferences8, kDifferences16, kAbsolute };

/// The width of a lane's number.
enum Width : unsigned { k8Bit, k16Bit, k32Bit };

/// A strip of the rows first_row + 1 .. first_row + rows of the matrix.
struct Strip {
    std::size_t first_row, rows, row_block;
    bool ends_block;
    // The end of a tall strip that has ended: its last column, and the cells of rows first_row ..
    // first_row + rows there.
    std::size_t first_column = 0;
    std::vector<BorderCell> left{};
};

/// The strips first .. first + count - 1, which are swept as one.
struct Work {
    std::size_t first, count;
};

/// The state of a task that all threads share.
struct TaskPlan {
    const SweepTask* task;
    HostPairGrid* grid;
    Numbers numbers;
    PairLetters letters;
    std::int32_t score_bias;      // added to scores in bytes
    std::vector<BorderCell> row;  // the border row; cell 0 is not used
    std::vector<Strip> strips;
    std::unique_ptr<std::atomic<std::uint64_t>[]> columns_done;  // for each strip, how many of its cells are in `row`

    // Work is taken in ascending order, so that the thread with the first strip that is not done
    // never waits.
    std::mutex mutex;                      // for the members below
    std::size_t tall_rows = 0;             // about the most rows of a tall strip; 0: there are none any more
    std::size_t next = 0;                  // the first strip that is not taken
    std::vector<std::size_t> left_over{};  // strips of tall ones that have ended, in descending order

    std::optional<Work> take();
    /// Puts back the strips of a tall one that has ended. Tells the threads that wait for its last
    /// row, and leaves the strips to be taken.
    void put_back(const Work& work);
};
/// Special values of columns_done. kGaveUp means that the sweep was stopped. kTallEnded, besides
/// the columns, means that a tall strip has ended.
constexpr std::uint64_t kGaveUp = std::numeric_limits<std::uint64_t>::max(), kTallEnded = std::uint64_t{1} << 63;

void set_columns_done(TaskPlan& plan, std::size_t number, std::uint64_t columns) {
    plan.columns_done[number].store(columns, std::memory_order_release);
    plan.columns_done[number].notify_all();
}

/// The scratch memory of a thread.
struct Workspace {
    AlignedBytes bytes;
    std::vector<std::int32_t> block_best_raw;
    std::vector<PairCrossing> crossings;
    std::vector<std::int32_t> crossing_h_raw;  // of column checkpoints in flight: H at the last row that was converted
};

/// The state of one call of sweep() that all threads share.
struct Watch {
    const SweepControl& control;
    std::atomic<bool> stopped{false};
    std::atomic<std::uint64_t> cells{0};
    std::mutex mutex;  // for the members below and for callbacks
    Clock::time_point reported = Clock::now();
    Status status;

    explicit Watch(const SweepControl& c) : control(c) {}

    void stop(Status why) {
        const std::lock_guard lock(mutex);
        if (status.ok()) status = std::move(why);
        stopped = true;
    }
    /// Returns false if the sweep has to end now.
    bool goes_on() {
        if (control.stop.stop_requested() && !stopped) stop(Status::interrupted());
        return !stopped.load(std::memory_order_relaxed);
    }
    void add_cells(std::uint64_t count) {
        cells.fetch_add(count, std::memory_order_relaxed);
        if (!control.progress) return;
        const std::unique_lock lock(mutex, std::try_to_lock);
        if (!lock.owns_lock() || Clock::now() - reported < std::chrono::milliseconds(250)) return;
        reported = Clock::now();
        if (const std::uint64_t news = cells.exchange(0); news > 0) control.progress(news);
    }
};

std::size_t round_up(std::size_t x, std::size_t unit) { return (x + unit - 1) / unit * unit; }

class VectorPairSweeper final : public PairSweeper {
   public:
    VectorPairSweeper(const PairSweepTable& table, const PairScoring& scoring, const ThreadPool& pool)
        : table_(table), scoring_(scoring), pool_(pool), workspaces_(pool.threads()) {}

    std::uint64_t row_granule(std::uint64_t, std::uint64_t) const override { return 1; }
    Result<std::vector<std::unique_ptr<PairGrid>>> sweep(std::span<const SweepTask> tasks,
                                                         const SweepControl& control) override;

   private:
    friend class StripSweep;

    /// Does what sweep() does, but throws std::bad_alloc.
    Result<std::vector<std::unique_ptr<PairGrid>>> sweep_all(std::span<const SweepTask> tasks,
                                                             const SweepControl& control);

    enum class TallEnd { kDone, kStopped, kLeftOver };
    /// Sweeps a tall strip. With kLeftOver the strips have the column up to which they were swept.
    /// Throws std::bad_alloc.
    TallEnd sweep_tall(TaskPlan& plan, const Work& work, Workspace& workspace, Watch& watch) const;
    /// Does the work of a task until there is no more. Throws nothing.
    void work_on(TaskPlan& plan, Workspace& workspace, Watch& watch, bool only_task) const;
    std::size_t tall_rows(const TaskPlan& plan, unsigned threads) const;
    // The zero of tall strips, whose bytes hold scores plus that zero, and the score up to which a
    // match has room.
    std::int32_t tall_zero(const TaskPlan& plan) const;
    std::int32_t tall_limit_raw(const TaskPlan& plan) const;
    void plan(const SweepTask& task, HostPairGrid& grid, unsigned threads, TaskPlan& plan) const;
    Numbers numbers_of(const TaskPlan& plan) const;

    const PairSweepTable& table_;
    PairScoring scoring_;
    const ThreadPool& pool_;
    std::vector<Workspace> workspaces_;
};

/// The sweep of one strip by one thread.
class StripSweep {
   public:
    /// Prepares the sweep of strip `number`. Throws std::bad_alloc.
    StripSweep(const VectorPairSweeper& sweeper, TaskPlan& plan, std::size_t number, Workspace& workspace,
               Watch& watch);
    /// Sweeps the strip. Returns false if the sweep was stopped. columns_done of the strip then
    /// says so at the end.
    bool run();

   private:
    /// The format of lanes. A raw score is lane + base, for h and gap alike.
    struct Format {
        Width width;
        std::int64_t base;
        bool operator==(const Format&) const = default;
        std::int64_t lowest_raw() const {
            return base + (width == k8Bit ? 0 : width == k16Bit ? INT16_MIN : std::int64_t{INT32_MIN});
        }
        std::int64_t highest_raw() const {
            return base + (width == k8Bit ? UINT8_MAX : width == k16Bit ? INT16_MAX : std::int64_t{INT32_MAX});
        }
    };
    struct Range {
        std::int64_t lowest, highest;
    };
    /// The arrays of the lanes' state. They stand one after the other, so that they are saved and
    /// restored in one piece.
    template <typename Lane>
    struct State {
        Lane *h, *gap, *carry, *best;
    };

    template <typename Function>
    static void with_lane(Width width, const Function& function) {
        switch (width) {
            case k8Bit: return function(std::uint8_t{});
            case k16Bit: return function(std::int16_t{});
            case k32Bit: return function(std::int32_t{});
        }
    }
    template <typename Lane>
    State<Lane> state(std::byte* memory) const {
        Lane* const p = reinterpret_cast<Lane*>(memory);
        const std::size_t cells = lane_rows_ * lanes_;
        return {p, p + cells, p + 2 * cells, p + 2 * cells + 3 * lanes_};
    }
    std::size_t state_cells() const { return (2 * lane_rows_ + 4) * lanes_; }

    void lay_out();
    void fill_letters();
    void begin_state();
    BorderCell left(std::size_t row) const {
        return strip_.left.empty() ? plan_.task->left[strip_.first_row + row] : strip_.left[row];
    }
    /// Returns the strip's row, from 1, that is row 0 of a lane. It is 0 or less where padding
    /// begins the top lane.
    std::int64_t first_row_of(std::size_t lane) const {
        return static_cast<std::int64_t>((top_lane_ - lane) * lane_rows_) - static_cast<std::int64_t>(padding_) + 1;
    }
    /// Returns the zero level in lanes. H of a local sweep is at least that.
    std::int64_t zero_lane() const {
        if (differences_) return 0;
        const Format format = format_;
        return local_ ? std::max(std::int64_t{0}, format.lowest_raw()) - format.base : std::int64_t{INT32_MIN};
    }

    /// Returns the highest H that a byte may hold, so that a match does not leave it. It allows for
    /// the raised rows of lanes.
    std::int64_t byte_limit_lane() const {
        return UINT8_MAX - std::max(0, plan_.letters.highest_score_raw) -
               static_cast<std::int64_t>(lane_rows_) * extend_;
    }
    void read_row(std::size_t begin, std::size_t end);
    void sweep_chunk(std::size_t begin, std::size_t end);
    void settle_unused_lanes();
    Range state_range() const;
    Format choose_format(std::size_t steps, bool may_be_bytes);
    void change_format(Format to);
    void run_kernel(std::size_t begin, std::size_t end);
    bool bytes_overflowed(std::size_t begin, std::size_t end) const;
    void keep_crossings(std::size_t begin, std::size_t end);
    void keep_best();
    void write_row(std::size_t begin, std::size_t end);

    const PairSweepTable& table_;
    TaskPlan& plan_;
    const std::size_t number_;
    const Strip& strip_;
    Workspace& workspace_;
    Watch& watch_;
    const bool local_, differences_;
    const std::size_t lanes_, first_column_, columns_;  // columns are counted from first_column_, unless said
    const std::int32_t open_, extend_, first_;
    std::size_t lane_rows_, top_lane_, padding_, word_bytes_;
    Format format_{};

    std::byte *state_, *other_state_;
    std::byte *above_h_, *above_gap_, *below_h_, *below_gap_;
    std::uint8_t *row_letters_, *words_, *codes_;
    std::int32_t *row_h_raw_, *row_gap_raw_;  // the row above the chunk; index 0 is the column before it
    std::array<std::int32_t, kMostPairLanes> lane_best_raw_{};
    alignas(64) std::array<std::uint8_t, kMostPairLanes> threshold_{};
    std::int32_t below_h_raw_;                       // of the cell that was last written below
    std::size_t first_checkpoint_, crossing_count_;  // column checkpoints that the last kernel call crossed
};

StripSweep::StripSweep(const VectorPairSweeper& sweeper, TaskPlan& plan, std::size_t number, Workspace& workspace,
                       Watch& watch)
    : table_(sweeper.table_),
      plan_(plan),
      number_(number),
      strip_(plan.strips[number]),
      workspace_(workspace),
      watch_(watch),
      local_(sweeper.scoring_.local),
      differences_(plan.numbers != Numbers::kAbsolute),
      lanes_(table_.lanes),
      first_column_(strip_.first_column),
      columns_(plan.task->target.size() - first_column_),
      open_(sweeper.scoring_.scheme.gaps.open),
      extend_(sweeper.scoring_.scheme.gaps.extend),
      first_(sweeper.scoring_.scheme.gaps.first()) {
    lane_rows_ = (strip_.rows + lanes_ - 1) / lanes_;
    top_lane_ = (strip_.rows + lane_rows_ - 1) / lane_rows_ - 1;
    padding_ = (top_lane_ + 1) * lane_rows_ - strip_.rows;
    word_bytes_ = plan.letters.has_table ? 0 : lane_rows_ <= 4 ? 4 : lane_rows_ <= 8 ? 8 : 16;
    lay_out();
    fill_letters();
    begin_state();
}

void StripSweep::lay_out() {
    constexpr std::size_t kCellBytes = sizeof(std::int32_t);
    const std::size_t state_bytes = state_cells() * kCellBytes;
    const std::size_t line_bytes = round_up((kChunkSteps + 1) * kCellBytes, AlignedBytes::kAlignmentBytes);
    const std::size_t letter_bytes = kMostLaneRows * lanes_;
    const std::size_t words_bytes = plan_.letters.words_bytes(table_);
    const std::size_t crossing_cells = (2 * lane_rows_ + 1) * lanes_;
    const std::size_t crossings = (kChunkSteps + top_lane_) / plan_.task->column_step + 2;
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
    workspace_.crossing_h_raw.resize(plan_.grid->column_blocks());
    workspace_.block_best_raw.assign(local_ ? plan_.grid->column_blocks() : 0, 0);
}

void StripSweep::fill_letters() {
    const std::span<const ResidueCode> query = plan_.task->query.subspan(strip_.first_row, strip_.rows);
    const auto code_at = [&](std::size_t lane, std::size_t r) {
        const std::int64_t row = first_row_of(lane) + static_cast<std::int64_t>(r) - 1;
        return row < 0 || lane > top_lane_ ? query[0] : query[static_cast<std::size_t>(row)];
    };
    if (word_bytes_ == 0) {
        for (std::size_t lane = 0; lane < lanes_; ++lane) {
            for (std::size_t r = 0; r < lane_rows_; ++r)
                row_letters_[r * lanes_ + lane] = plan_.letters.query_numbers[code_at(lane, r)];
        }
        return;
    }
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
        for (std::size_t r = 0; r < word_bytes_; ++r)
            codes_[lane * word_bytes_ + r] = code_at(lane, std::min(r, lane_rows_ - 1));
    }
    plan_.letters.fill_words(table_, codes_, word_bytes_, words_);
}

void StripSweep::begin_state() {
    // Absolute numbers begin in 32 bits and are made narrow before the first chunk.
    format_ = {plan_.numbers == Numbers::kDifferences8    ? k8Bit
               : plan_.numbers == Numbers::kDifferences16 ? k16Bit
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

/// Waits for cells of the row above strip `number`, which has the whole matrix' columns. Returns
/// how many are there at least, or kGaveUp. They are fewer than asked for only if `tall` is set and
/// the strip above has ended as a tall one.
std::uint64_t wait_for_row_above(const TaskPlan& plan, std::size_t number, std::uint64_t columns, bool tall) {
    if (number == 0) return columns;
    const std::atomic<std::uint64_t>& done = plan.columns_done[number - 1];
    for (std::uint64_t seen;; done.wait(seen, std::memory_order_acquire)) {
        seen = done.load(std::memory_order_acquire);
        if (seen == kGaveUp) return seen;
        const std::uint64_t there = seen & ~kTallEnded;
        if (there >= columns || (tall && seen != there)) return there;
    }
}

bool StripSweep::run() {
    const std::size_t steps = columns_ + top_lane_;
    for (std::size_t begin = 0; begin < steps; begin += kChunkSteps) {
        const std::size_t end = std::min(steps, begin + kChunkSteps);
        if (!watch_.goes_on()) return false;
        if (wait_for_row_above(plan_, number_, first_column_ + std::min(end, columns_), false) == kGaveUp) return false;
        read_row(begin, end);
        sweep_chunk(begin, end);
        write_row(begin, end);
        if (end <= top_lane_) continue;
        const std::size_t columns = end - top_lane_;
        watch_.add_cells((columns - (begin > top_lane_ ? begin - top_lane_ : 0)) * strip_.rows);
        if (columns < columns_) set_columns_done(plan_, number_, first_column_ + columns);
    }
    if (local_) {
        const std::lock_guard lock(watch_.mutex);
        const std::span<std::int32_t> maxima =
            plan_.grid->maxima_raw().subspan(strip_.row_block * plan_.grid->column_blocks());
        for (std::size_t b = 0; b < workspace_.block_best_raw.size(); ++b)
            maxima[b] = std::max(maxima[b], workspace_.block_best_raw[b]);
    }
    return true;
}

void StripSweep::read_row(std::size_t begin, std::size_t end) {
    const std::size_t there = std::min(end, columns_), count = there > begin ? there - begin : 0;
    const BorderCell* const row = plan_.row.data() + first_column_ + begin + 1;
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

void StripSweep::sweep_chunk(std::size_t begin, std::size_t end) {
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

void StripSweep::settle_unused_lanes() {
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

StripSweep::Range StripSweep::state_range() const {
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

StripSweep::Format StripSweep::choose_format(std::size_t steps, bool may_be_bytes) {
    if (!local_) return {k32Bit, 0};
    Range range{row_h_raw_[0], row_h_raw_[0]};
    for (std::size_t k = 0; k <= steps; ++k) {
        range.lowest = std::min(range.lowest, std::int64_t{row_h_raw_[k]});
        range.highest = std::max(range.highest, std::int64_t{row_h_raw_[k]});
    }
    for (std::size_t k = 1; k <= steps; ++k) range.lowest = std::min(range.lowest, std::int64_t{row_gap_raw_[k]});
    // Gaps are below H wherever they matter.
    for (std::size_t k = 1; k <= steps; ++k) range.highest = std::max(range.highest, std::int64_t{row_gap_raw_[k]});

    const std::int64_t highest_score = std::max(0, plan_.letters.highest_score_raw),
                       lowest_score = std::min(0, plan_.letters.lowest_score_raw);
    // The room below zero is for a gap that is opened at 0 and extended, or for a mismatch. Bytes
    // also need room for a match above all that.
    const std::int64_t below_zero = std::max<std::int64_t>(first_ + extend_, extend_ - lowest_score);
    const Format bytes{k8Bit, -below_zero};
    const std::int64_t byte_limit = byte_limit_lane() + bytes.base;
    if (byte_limit <= highest_score || plan_.score_bias != extend_) may_be_bytes = false;
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

void StripSweep::change_format(Format to) {
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

void StripSweep::run_kernel(std::size_t begin, std::size_t end) {
    const std::size_t steps = end - begin;
    PairSteps task{};
    task.rows_per_lane = lane_rows_;
    task.top_lane = top_lane_;
    task.padding = padding_;
    task.begin = begin;
    task.end = end;
    plan_.letters.point(task, first_column_);
    task.word_bytes = word_bytes_;
    task.row_letters = row_letters_;
    task.words = words_;
    task.above_h = above_h_;
    task.above_gap = above_gap_;
    task.below_h = below_h_;
    task.below_gap = below_gap_;
    task.corner_h = above_h_;
    task.gap_open = open_;
    task.gap_extend = extend_;
    task.score_bias = differences_ ? 2 * first_ : -plan_.score_bias;
    task.zero = static_cast<std::int32_t>(zero_lane());

    // Collects the column checkpoints that a lane passes in these steps.
    const std::size_t column_step = plan_.task->column_step, checkpoints = plan_.grid->column_blocks();
    // This is the lowest column of the matrix that a lane fills.
    const std::size_t earliest = first_column_ + (begin > top_lane_ ? begin - top_lane_ : 0);
    std::size_t checkpoint = earliest / column_step;
    for (; checkpoint < checkpoints; ++checkpoint) {
        PairCrossing& crossing = workspace_.crossings[task.crossing_count];
        crossing.step = std::min((checkpoint + 1) * column_step - first_column_, columns_) - 1;
        if (crossing.step >= end) break;
        ++task.crossing_count;
    }
    task.crossings = workspace_.crossings.data();
    task.threshold = threshold_.data();
    if (local_ && format_.width == k8Bit) {
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

    with_lane(format_.width, [&](auto any) {
        using Lane = decltype(any);
        const State<Lane> s = state<Lane>(state_);
        task.h = s.h;
        task.gap = s.gap;
        task.carry = s.carry;
        task.best = s.best;
        std::fill_n(s.best, lanes_, static_cast<Lane>(task.zero));
        Lane *const h = reinterpret_cast<Lane*>(above_h_), *const gap = reinterpret_cast<Lane*>(above_gap_);
        const std::int32_t* const row_h = row_h_raw_;
        const std::int32_t* const row_gap = row_gap_raw_;
        if (differences_) {
            for (std::size_t k = 0; k < steps; ++k) {
                h[k] = static_cast<Lane>(row_h[k + 1] - row_h[k] + first_);
                gap[k] = static_cast<Lane>(row_gap[k + 1] - row_h[k + 1] + first_);
            }
        } else {
            const auto base = static_cast<std::int32_t>(format_.base);
            for (std::size_t k = 0; k < steps; ++k) {
                h[k] = static_cast<Lane>(row_h[k] - base);
                gap[k] = static_cast<Lane>(row_gap[k + 1] - base);
            }
        }
    });

    const PairSweepTable::Kernel kernel = plan_.numbers == Numbers::kDifferences8    ? table_.difference_8_bit
                                          : plan_.numbers == Numbers::kDifferences16 ? table_.difference_16_bit
                                          : format_.width == k8Bit                   ? table_.absolute_8_bit
                                          : format_.width == k16Bit                  ? table_.absolute_16_bit
                                                                                     : table_.absolute_32_bit;
    crossing_count_ = task.crossing_count;
    first_checkpoint_ = earliest / column_step;
    kernel(task);
}

bool StripSweep::bytes_overflowed(std::size_t begin, std::size_t end) const {
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

void StripSweep::keep_crossings(std::size_t begin, std::size_t end) {
    const std::int64_t zero = zero_lane();
    for (std::size_t k = 0; k < crossing_count_; ++k) {
        const PairCrossing& crossing = workspace_.crossings[k];
        const std::size_t checkpoint = first_checkpoint_ + k;
        BorderCell* const cells = plan_.grid->column_checkpoint(checkpoint).data() + strip_.first_row;
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

void StripSweep::keep_best() {
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

void StripSweep::write_row(std::size_t begin, std::size_t end) {
    if (end <= top_lane_) return;
    const std::size_t first_step = std::max(begin, top_lane_);
    const std::size_t count = end - first_step, column = first_step - top_lane_;
    BorderCell* const row = plan_.row.data() + first_column_ + column + 1;
    with_lane(format_.width, [&](auto any) {
        using Lane = decltype(any);
        const Lane* const h = reinterpret_cast<const Lane*>(below_h_) + (first_step - begin);
        const Lane* const gap = reinterpret_cast<const Lane*>(below_gap_) + (first_step - begin);
        if (differences_) {
            std::int32_t raw = below_h_raw_;
            for (std::size_t k = 0; k < count; ++k) {
                raw += h[k] - first_;
                row[k] = {raw, raw + gap[k] - first_};
            }
            below_h_raw_ = raw;
        } else {
            const auto base = static_cast<std::int32_t>(format_.base);
            for (std::size_t k = 0; k < count; ++k) row[k] = {h[k] + base, gap[k] + base};
        }
    });
    if (strip_.ends_block)
        std::copy_n(row, count, plan_.grid->row_checkpoint(strip_.row_block).data() + first_column_ + column + 1);
}

std::optional<Work> TaskPlan::take() {
    const std::lock_guard lock(mutex);
    if (!left_over.empty()) {
        const std::size_t strip = left_over.back();
        left_over.pop_back();
        return Work{strip, 1};
    }
    if (next == strips.size()) return std::nullopt;
    const std::size_t first = next++;
    std::size_t rows = strips[first].rows;
    while (next < strips.size() && strips[next].row_block == strips[first].row_block &&
           rows + strips[next].rows / 2 <= tall_rows)
        rows += strips[next++].rows;
    return Work{first, next - first};
}

void TaskPlan::put_back(const Work& work) {
    const std::lock_guard lock(mutex);
    tall_rows = 0;
    left_over.reserve(left_over.size() + work.count);
    // The strips above have written no fewer columns than this. It is set before the strips can be
    // taken, because later it could overwrite a higher number of theirs.
    const std::size_t last = work.first + work.count - 1;
    set_columns_done(*this, last, strips[last].first_column | kTallEnded);
    for (std::size_t k = 0; k < work.count; ++k) left_over.push_back(work.first + k);
    std::sort(left_over.begin(), left_over.end(), std::greater<>());
}

/// Returns the rows of a tall strip. Returns 0 where numbers do not fit bytes, or where there would
/// not be enough tall strips for all threads.
std::size_t VectorPairSweeper::tall_rows(const TaskPlan& plan, unsigned threads) const {
    const GapCosts& gaps = scoring_.scheme.gaps;
    if (!scoring_.local || gaps.first() > INT8_MAX) return 0;
    const std::int32_t highest_score = std::max(0, plan.letters.highest_score_raw);
    if (tall_limit_raw(plan) <= highest_score) return 0;
    const std::size_t m = plan.task->query.size(), least = kLeastTallLaneRows * table_.lanes,
                      strips = round_up((m + kMostTallRows - 1) / kMostTallRows, threads),
                      rows = (m + strips - 1) / strips;
    return rows < least ? 0 : rows;
}

std::int32_t VectorPairSweeper::tall_zero(const TaskPlan& plan) const {
    const GapCosts& gaps = scoring_.scheme.gaps;
    return std::max(gaps.first() + gaps.extend, -std::min(0, plan.letters.lowest_score_raw));
}

std::int32_t VectorPairSweeper::tall_limit_raw(const TaskPlan& plan) const {
    return UINT8_MAX - std::max(0, plan.letters.highest_score_raw) - tall_zero(plan);
}

VectorPairSweeper::TallEnd VectorPairSweeper::sweep_tall(TaskPlan& plan, const Work& work, Workspace& workspace,
                                                         Watch& watch) const {
    const SweepTask& task = *plan.task;
    const GapCosts& gaps = scoring_.scheme.gaps;
    const std::size_t lanes = table_.lanes, n = task.target.size();
    const Strip &top_strip = plan.strips[work.first], &last_strip = plan.strips[work.first + work.count - 1];
    const std::size_t m = last_strip.first_row + last_strip.rows - top_strip.first_row;
    const std::size_t last_number = work.first + work.count - 1;
    const std::int32_t first = gaps.first(), zero = tall_zero(plan), limit_raw = tall_limit_raw(plan);
    const auto fits = [&](const BorderCell& cell) {
        return cell.h >= 0 && cell.h <= limit_raw && cell.gap >= -first && cell.gap <= limit_raw;
    };
    std::vector<BorderCell> left(m + 1);
    task.left.copy(top_strip.first_row, left);

    // fill_scores() takes 64 codes at a time.
    const std::size_t lane_rows = round_up((m + lanes - 1) / lanes, 64 / lanes), cells = lane_rows * lanes;
    const std::size_t padding = cells - m;
    // The strips are also left over where a row block's last strips are too few, or where the left
    // column is high.
    if (m < kLeastTallLaneRows * lanes || left[0].h < 0 || left[0].h > limit_raw ||
        !std::all_of(left.begin() + 1, left.end(), fits))
        return TallEnd::kLeftOver;
    const std::span<const ResidueCode> letters = plan.letters.target_letters();
    std::byte* p = workspace.bytes.reserve((5 + letters.size()) * cells + 4 * kChunkSteps);
    const auto take = [&p](std::size_t bytes) { return reinterpret_cast<std::uint8_t*>(std::exchange(p, p + bytes)); };
    PairColumns columns{};
    columns.rows_per_lane = lane_rows;
    columns.padding = padding;
    std::uint8_t* const h = columns.h = take(cells);
    std::uint8_t* const gap = columns.gap = take(cells);
    std::uint8_t* const before = take(2 * cells);  // h and gap at the chunk's begin
    std::uint8_t* const codes = take(cells);
    std::uint8_t* const profiles = take(letters.size() * cells);
    std::uint8_t *const corner_h = take(kChunkSteps), *const above_gap = take(kChunkSteps);
    std::uint8_t *const below_h = take(kChunkSteps), *const below_gap = take(kChunkSteps);
    const auto byte = [zero](std::int32_t raw) { return static_cast<std::uint8_t>(raw + zero); };
    // Calls visit() with each row of the strip, from 1, and where it is. Rows of padding come
    // first, as row 0.
    const auto each_row = [&](const auto& visit) {
        for (std::size_t lane = lanes; lane-- > 0;) {
            const std::size_t row0 = (lanes - 1 - lane) * lane_rows + 1;
            for (std::size_t r = 0; r < lane_rows; ++r)
                visit(row0 + r > padding ? row0 + r - padding : 0, r * lanes + lane);
        }
    };
    each_row([&](std::size_t row, std::size_t at) {
        h[at] = byte(row == 0 ? 0 : left[row].h);
        gap[at] = byte(row == 0 ? -first : left[row].gap);
        codes[at] = task.query[top_strip.first_row + (row == 0 ? 0 : row - 1)];
    });
    plan.letters.fill_profiles(table_, codes, cells, plan.score_bias, profiles);
    std::array<const std::uint8_t*, kResidueTableSize> profile_of{};
    for (std::size_t a = 0; a < letters.size(); ++a) {
        std::uint8_t* const profile = profiles + a * cells;
        for (std::size_t r = 0; r < padding; ++r) profile[r * lanes + lanes - 1] = 0;
        profile_of[letters[a]] = profile;
    }
    columns.profiles = profile_of.data();
    columns.corner_h = corner_h;
    columns.above_gap = above_gap;
    columns.below_h = below_h;
    columns.below_gap = below_gap;
    columns.gap_open = static_cast<std::uint8_t>(gaps.open);
    columns.gap_extend = static_cast<std::uint8_t>(gaps.extend);
    columns.zero = byte(0);

    const std::size_t block_row = top_strip.row_block * plan.grid->column_blocks();
    BorderCell* const row_checkpoint =
        last_strip.ends_block ? plan.grid->row_checkpoint(last_strip.row_block).data() : nullptr;
    const auto known_best = [&](std::size_t column_block, std::uint8_t best) {
        const std::lock_guard lock(watch.mutex);
        std::int32_t& known = plan.grid->maxima_raw()[block_row + column_block];
        known = std::max(known, best - zero);
        return byte(std::min(known, limit_raw));
    };
    // Leaves the columns from `begin` on to other strips, with the cells of that column.
    std::int32_t corner_raw = left[0].h;  // of the row above, in column `begin`
    const auto leave = [&](std::size_t begin) {
        std::vector<BorderCell> column(m + 1);
        column[0] = {corner_raw, corner_raw - first};
        each_row([&](std::size_t row, std::size_t at) {
            if (row > 0) column[row] = {h[at] - zero, gap[at] - zero};
        });
        for (std::size_t k = 0; k < work.count; ++k) {
            Strip& strip = plan.strips[work.first + k];
            const BorderCell* const cells_of_strip = column.data() + (strip.first_row - top_strip.first_row);
            strip.left.assign(cells_of_strip, cells_of_strip + strip.rows + 1);
            strip.first_column = begin;
        }
        return TallEnd::kLeftOver;
    };
    for (std::size_t begin = 0, column_block = 0; begin < n; ++column_block) {
        const std::size_t block_end = begin + std::min<std::size_t>(n - begin, task.column_step);
        columns.best = known_best(column_block, byte(0));
        while (begin < block_end) {
            if (!watch.goes_on()) return TallEnd::kStopped;
            const std::size_t count = std::min(block_end - begin, kChunkSteps);
            const std::uint64_t there = wait_for_row_above(plan, work.first, begin + count, true);
            if (there == kGaveUp) return TallEnd::kStopped;
            BorderCell* const row = plan.row.data() + begin + 1;
            if (there < begin + count || !std::all_of(row, row + count, fits)) return leave(begin);
            columns.count = count;
            columns.target = task.target.data() + begin;
            for (std::size_t k = 0; k < count; ++k) {
                corner_h[k] = byte(k == 0 ? corner_raw : row[k - 1].h);
                above_gap[k] = byte(row[k].gap);
            }
            std::memcpy(before, h, 2 * cells);
            const std::uint8_t best_before = columns.best;
            table_.striped_8_bit(columns);
            if (columns.best > byte(limit_raw)) {
                std::memcpy(h, before, 2 * cells);
                known_best(column_block, best_before);
                return leave(begin);
            }
            corner_raw = row[count - 1].h;
            for (std::size_t k = 0; k < count; ++k) row[k] = {below_h[k] - zero, below_gap[k] - zero};
            if (row_checkpoint != nullptr) std::copy_n(row, count, row_checkpoint + begin + 1);
            begin += count;
            if (begin < n) set_columns_done(plan, last_number, begin);
            watch.add_cells(static_cast<std::uint64_t>(m) * count);
        }
        known_best(column_block, columns.best);
        BorderCell* const checkpoint_cells = plan.grid->column_checkpoint(column_block).data() + top_strip.first_row;
        each_row([&](std::size_t row, std::size_t at) {
            if (row > 0) checkpoint_cells[row] = {h[at] - zero, gap[at] - zero};
        });
    }
    return TallEnd::kDone;
}

void VectorPairSweeper::work_on(TaskPlan& plan, Workspace& workspace, Watch& watch, bool only_task) const {
    while (const std::optional<Work> work = plan.take()) {
        const std::size_t last = work->first + work->count - 1;
        bool done = false;
        try {
            TallEnd end = TallEnd::kStopped;
            if (work->count > 1) end = sweep_tall(plan, *work, workspace, watch);
            if (end == TallEnd::kLeftOver) {
                plan.put_back(*work);
                continue;
            }
            done =
                work->count > 1 ? end == TallEnd::kDone : StripSweep(*this, plan, work->first, workspace, watch).run();
            const Strip& strip = plan.strips[last];
            if (done && strip.ends_block && only_task && watch.control.rows_done) {
                const std::lock_guard lock(watch.mutex);
                Status status = watch.control.rows_done(*plan.grid, strip.row_block + 1);
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
        set_columns_done(plan, last, done ? plan.task->target.size() : kGaveUp);
    }
}

Numbers VectorPairSweeper::numbers_of(const TaskPlan& plan) const {
    if (scoring_.local) return Numbers::kAbsolute;
    const GapCosts& gaps = scoring_.scheme.gaps;
    const LineSteps top = steps_of(plan.task->top, scoring_.scheme), left = steps_of(plan.task->left, scoring_.scheme);
    if (!top.regular || !left.regular) return Numbers::kAbsolute;
    const std::int64_t twice_first = 2 * gaps.first();
    const std::int64_t highest = std::max<std::int64_t>(plan.letters.highest_score_raw,
                                                        std::max(top.highest, left.highest) + gaps.open - gaps.extend);
    if (highest + twice_first <= UINT8_MAX && plan.letters.lowest_score_raw + twice_first >= gaps.open)
        return Numbers::kDifferences8;
    return highest + twice_first <= INT16_MAX ? Numbers::kDifferences16 : Numbers::kAbsolute;
}

void VectorPairSweeper::plan(const SweepTask& task, HostPairGrid& grid, unsigned threads, TaskPlan& plan) const {
    const std::size_t m = task.query.size();
    assert(m >= 1 && task.target.size() >= 1 && task.top.size() == task.target.size() + 1 && task.left.size() == m + 1);
    assert(task.top[0].h == task.left[0].h && task.row_step >= 1 && task.column_step >= 1);
    plan.task = &task;
    plan.grid = &grid;
    plan.letters.find(task.query, task.target, scoring_.scheme.matrix);
    plan.numbers = numbers_of(plan);
    const int first = scoring_.scheme.gaps.first();
    const int extend = scoring_.scheme.gaps.extend;
    plan.score_bias = plan.numbers == Numbers::kDifferences8                                  ? 2 * first
                      : scoring_.local && plan.letters.highest_score_raw + extend <= INT8_MAX ? extend
                                                                                              : 0;
    plan.letters.fill(task.target, scoring_.scheme.matrix, table_, plan.score_bias);
    plan.row.resize(task.top.size());
    task.top.copy(0, plan.row);

    // Strips are as high as can be, and their number is a multiple of the threads.
    const std::size_t highest = kMostLaneRows * table_.lanes;
    const std::size_t strips = round_up((m + highest - 1) / highest, threads);
    const std::size_t rows = std::min(highest, std::max(table_.lanes, (m + strips - 1) / strips));
    for (std::size_t block = 0, begin = 0; begin < m; ++block) {
        const std::size_t end = begin + std::min<std::size_t>(m - begin, task.row_step);
        const std::size_t parts = (end - begin + rows - 1) / rows;
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t from = begin + (end - begin) * part / parts,
                              to = begin + (end - begin) * (part + 1) / parts;
            plan.strips.push_back({from, to - from, block, part + 1 == parts});
        }
        begin = end;
    }
    plan.columns_done = std::make_unique<std::atomic<std::uint64_t>[]>(plan.strips.size());
    plan.tall_rows = tall_rows(plan, threads);
}

Result<std::vector<std::unique_ptr<PairGrid>>> VectorPairSweeper::sweep(std::span<const SweepTask> tasks,
                                                                        const SweepControl& control) {
    auto grids = guarded([&] { return sweep_all(tasks, control); });
    if (grids.status().code() == StatusCode::kOutOfMemory) return no_memory();
    return grids;
}

Result<std::vector<std::unique_ptr<PairGrid>>> VectorPairSweeper::sweep_all(std::span<const SweepTask> tasks,
                                                                            const SweepControl& control) {
    constexpr std::uint64_t kCellsForThreads = std::uint64_t{1}
                                               << 20;  // fewer are done before another thread has woken up
    Watch watch(control);
    std::vector<std::unique_ptr<HostPairGrid>> grids;
    for (const SweepTask& task : tasks) grids.push_back(std::make_unique<HostPairGrid>(task, scoring_.local));
    if (tasks.size() == 1) {
        const bool alone = tasks[0].query.size() * tasks[0].target.size() < kCellsForThreads;
        const unsigned threads = alone ? 1 : pool_.threads();
        TaskPlan plan_of_task;
        plan(tasks[0], *grids[0], threads, plan_of_task);
        if (threads == 1) {
            work_on(plan_of_task, workspaces_[0], watch, true);
        } else {
            WARPSEQ_TRY(pool_.parallel_for(threads, [&](std::uint64_t, unsigned thread) {
                work_on(plan_of_task, workspaces_[thread], watch, true);
            }));
        }
    } else {
        WARPSEQ_TRY(pool_.parallel_for(tasks.size(), [&](std::uint64_t k, unsigned thread) {
            if (!watch.goes_on()) return;
            TaskPlan plan_of_task;
            plan(tasks[k], *grids[k], 1, plan_of_task);
            work_on(plan_of_task, workspaces_[thread], watch, false);
        }));
    }
    if (!watch.status.ok()) return watch.status;
    if (const std::uint64_t news = watch.cells.exchange(0); control.progress && news > 0) control.progress(news);
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
