// The work of a sweep over one pair's matrix on the CPU: its strips of rows, and the state that the
// threads share.
//
// The rows between two row checkpoints are cut into strips of at most 16 rows a lane. Strips share
// one border row, a cell per column with 32-bit scores. Each strip reads it a chunk of columns
// ahead and writes its own last row over it. A strip begins with the first columns as soon as the
// strip above has finished them. So threads follow one another, each a chunk behind the one before.
// Strips are handed out in ascending order, so the first strip at work never waits.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "kernels/pair/host_pair_grid.h"
#include "kernels/pair/pair_letter_scores_simd.h"
#include "kernels/pair/pair_sweep.h"
#include "kernels/pair/pair_sweep_table_simd.h"
#include "kernels/simd/aligned_bytes.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Columns, or steps of a skewed strip, between two looks at the strip above.
inline constexpr std::size_t kChunkSteps = 256;

constexpr std::size_t round_up(std::size_t x, std::size_t unit) { return (x + unit - 1) / unit * unit; }

/// The kind of numbers within strips (kernels/pair/pair_skewed_strip_simd.cpp).
enum class PairNumbers { kDifferences8, kDifferences16, kAbsolute };

/// A strip of the rows first_row + 1 .. first_row + rows of the matrix.
struct SweepStrip {
    std::size_t first_row, rows, row_block;
    bool ends_block;
    // The end of a tall strip that has ended: its last column, and the cells of rows first_row ..
    // first_row + rows there.
    std::size_t first_column = 0;
    std::vector<BorderCell> left{};
};

/// The strips first .. first + count - 1, which are swept as one.
struct StripRun {
    std::size_t first, count;

    std::size_t last() const { return first + count - 1; }
};

/// The state of a task that all threads share.
struct PairSweepWork {
    /// Special values of columns_done. kGaveUp means that the sweep was stopped. kTallEnded,
    /// besides the columns, means that a tall strip has ended.
    static constexpr std::uint64_t kGaveUp = std::numeric_limits<std::uint64_t>::max(),
                                   kTallEnded = std::uint64_t{1} << 63;

    /// Prepares the sweep of a task by `threads` threads. No strips are tall yet. References have
    /// to outlive it. Throws std::bad_alloc.
    PairSweepWork(const PairSweepTable& table, const PairScoring& scoring, const SweepTask& task, HostPairGrid& grid,
                  unsigned threads);

    const PairSweepTable& table;
    const PairScoring& scoring;
    const SweepTask& task;
    HostPairGrid& grid;
    PairLetterScores letters;
    PairNumbers numbers;
    std::int32_t score_bias;      // added to scores in bytes
    std::vector<BorderCell> row;  // the border row; cell 0 is not used
    std::vector<SweepStrip> strips;
    std::unique_ptr<std::atomic<std::uint64_t>[]> columns_done;  // for each strip, how many of its cells are in `row`

    std::mutex mutex;                      // for the members below
    std::size_t tall_rows = 0;             // about the most rows of a tall strip; 0: there are none any more
    std::size_t next = 0;                  // the first strip that is not taken
    std::vector<std::size_t> left_over{};  // strips of tall ones that have ended, in descending order

    /// Takes the next strips, in ascending order. So the thread with the first strip that is not
    /// done never waits. Returns nothing if all are taken.
    std::optional<StripRun> take();
    /// Puts back the strips of a tall one that has ended. Tells the threads that wait for its last
    /// row, and leaves the strips to be taken.
    void put_back(const StripRun& run);
    /// Says how many cells of a strip's last row are there, or one of the special values.
    void set_columns_done(std::size_t number, std::uint64_t columns);
    /// Waits for cells of the row above strip `number`, which has the whole matrix' columns.
    /// Returns how many are there at least, or kGaveUp. They are fewer than asked for only if
    /// `tall` is set and the strip above has ended as a tall one.
    std::uint64_t wait_for_row_above(std::size_t number, std::uint64_t columns, bool tall) const;

   private:
    PairNumbers choose_numbers() const;
    void cut_strips(unsigned threads);
};

/// The scratch memory of a thread.
struct PairSweepWorkspace {
    AlignedBytes bytes;
    std::vector<std::int32_t> block_best_raw;
    std::vector<PairCrossing> crossings;
    std::vector<std::int32_t> crossing_h_raw;  // of column checkpoints in flight: H at the last row that was converted
};

/// The state of one call of PairSweeper::sweep() that all threads share.
struct SweepWatch {
    using Clock = std::chrono::steady_clock;

    const SweepControl& control;
    std::atomic<bool> stopped{false};
    std::atomic<std::uint64_t> cells{0};
    std::mutex mutex;  // for the members below, for callbacks and for the maxima of grids
    Clock::time_point reported = Clock::now();
    Status status;

    explicit SweepWatch(const SweepControl& c) : control(c) {}

    /// Ends the sweep. The first status is the result.
    void stop(Status why);
    /// Returns false if the sweep has to end now.
    bool goes_on();
    /// Counts cells, and reports them from time to time.
    void add_cells(std::uint64_t count);
    /// Reports the cells that are not reported yet.
    void report_cells();
};

}  // namespace warpseq
