// Tall strips of a local sweep on the CPU. A local sweep begins with strips of thousands of rows in
// bytes throughout, if there is one for each thread. Scores of sequences that are not related stay
// in bytes, and parts of the kernel's work come only once a column.
//
// Tall strips follow one another as other strips do. Where a score leaves the bytes, the strip ends
// with the column before that chunk. What is right of it is swept in strips of the usual height,
// which begin at that column. All tall strips behind it that wait for more of its last row end in
// the same way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/pair/pair_sweep_work_simd.h"

namespace warpseq {

/// Returns the rows of a tall strip. Returns 0 where numbers do not fit bytes, or where there would
/// not be enough tall strips for all threads.
std::size_t tall_strip_rows(const PairSweepWork& work, unsigned threads);

/// The sweep of one tall strip. Objects serve for one sweep.
class TallStripSweep {
   public:
    /// The end of a sweep: the strip is done, the sweep was stopped, or the columns from the
    /// strips' first_column on are left over.
    enum class End { kDone, kStopped, kLeftOver };

    /// Takes the strips of `run` as one. Throws std::bad_alloc.
    TallStripSweep(PairSweepWork& work, const StripRun& run, PairSweepWorkspace& workspace, SweepWatch& watch);
    /// Sweeps the strip. Sets columns_done of its last strip up to the last chunk, and leaves the
    /// end to the caller. Throws std::bad_alloc.
    End run();

   private:
    // Numbers in bytes: a byte is the raw score plus zero_.
    std::uint8_t byte(std::int32_t raw) const { return static_cast<std::uint8_t>(raw + zero_); }
    std::int32_t raw(std::uint8_t byte) const { return byte - zero_; }
    /// Whether the values of a border cell fit bytes, and a match has room above them.
    bool fits(const BorderCell& cell) const {
        return cell.h >= 0 && cell.h <= limit_raw_ && cell.gap >= -first_ && cell.gap <= limit_raw_;
    }
    /// Calls `visit` with each row of the strip, from 1, and its index in the arrays of cells. Rows
    /// of padding come first, as row 0.
    template <typename Visit>
    void each_row(const Visit& visit) const;

    /// Whether the strip has rows enough, and the column left of it fits bytes.
    bool can_begin() const;
    void lay_out();
    void fill_profiles(const std::uint8_t* codes, std::uint8_t* profiles);
    /// Sweeps the columns of one column block, and keeps its column checkpoint.
    End sweep_block(std::size_t column_block);
    /// Sweeps the next `count` columns. Returns false, and changes nothing, if a score leaves the
    /// bytes.
    bool sweep_chunk(std::size_t count, std::size_t column_block);
    /// Raises the maximum of the block to `best`. Returns the highest maximum that is known, as far
    /// as bytes hold it.
    std::uint8_t raise_maximum(std::size_t column_block, std::uint8_t best);
    /// Leaves the columns from next_column_ on to other strips, with the cells of that column.
    End leave();

    PairSweepWork& work_;
    const StripRun run_;
    PairSweepWorkspace& workspace_;
    SweepWatch& watch_;
    const SweepStrip &top_strip_, &last_strip_;
    const std::size_t lanes_, rows_, columns_;
    const std::int32_t first_, zero_, limit_raw_;
    std::size_t lane_rows_, padding_, cells_;  // cells: lane_rows_ * lanes_
    std::vector<BorderCell> left_;             // the column left of the strip, from the cell above it

    PairColumns kernel_columns_{};
    std::array<const std::uint8_t*, kResidueTableSize> profile_of_{};
    // The cells of the column before next_column_, and those at the chunk's begin.
    std::uint8_t *h_ = nullptr, *gap_ = nullptr, *before_ = nullptr;
    // The border row of a chunk.
    std::uint8_t *corner_h_ = nullptr, *above_gap_ = nullptr, *below_h_ = nullptr, *below_gap_ = nullptr;
    std::size_t next_column_ = 0;
    std::int32_t corner_raw_ = 0;  // H of the row above, in column next_column_
};

}  // namespace warpseq
