// The sweep of one strip of a pair's matrix by one thread, in the skewed way of
// kernels/pair/pair_skewed_kernels_simd.h. Numbers within the strip are narrow, and the border rows
// have 32-bit scores.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/pair/pair_sweep_work_simd.h"

namespace warpseq {

/// The sweep of one strip. Objects serve for one sweep.
class SkewedStripSweep {
   public:
    /// Prepares the sweep of strip `number`. Throws std::bad_alloc.
    SkewedStripSweep(PairSweepWork& work, std::size_t number, PairSweepWorkspace& workspace, SweepWatch& watch);
    /// Sweeps the strip. Returns false if the sweep was stopped. Sets columns_done of the strip up
    /// to its last chunk, and leaves the end to the caller.
    bool run();

   private:
    /// The width of a lane's number.
    enum Width : unsigned { k8Bit, k16Bit, k32Bit };
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

    /// Calls `function` with a number of the width's type. It is inlined, so that the compiler sees
    /// what a function captures and can keep it in registers.
    template <typename Function>
    [[gnu::always_inline]] static inline void with_lane(Width width, const Function& function) {
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
    /// Sets the lanes' state to the column left of the strip.
    void begin_state();
    BorderCell left(std::size_t row) const {
        return strip_.left.empty() ? work_.task.left[strip_.first_row + row] : strip_.left[row];
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
        return UINT8_MAX - std::max(0, work_.letters.highest_score_raw) -
               static_cast<std::int64_t>(lane_rows_) * extend_;
    }
    // Each of these does a part of the work for the steps begin .. end - 1.
    void sweep_chunk(std::size_t begin, std::size_t end);
    void read_row(std::size_t begin, std::size_t end);
    void run_kernel(std::size_t begin, std::size_t end);
    bool bytes_overflowed(std::size_t begin, std::size_t end) const;
    void keep_crossings(std::size_t begin, std::size_t end);
    void keep_best();
    void write_row(std::size_t begin, std::size_t end);

    // The parts of run_kernel().
    /// Lists the column checkpoints that a lane passes in these steps.
    void list_crossings(PairSteps& steps);
    /// Sets the threshold of each lane, for numbers in bytes.
    void set_thresholds(std::size_t begin);
    /// Converts the row above to lanes, and points the kernel to the lanes' state.
    void convert_row_above(PairSteps& steps);
    PairSweepTable::Kernel kernel() const;

    // Formats of absolute numbers.
    /// Sets lanes that hold no row to values that do not widen the range of lanes.
    void settle_unused_lanes();
    Range state_range() const;
    Format choose_format(std::size_t steps, bool may_be_bytes);
    void change_format(Format to);

    const PairSweepTable& table_;
    PairSweepWork& work_;
    const std::size_t number_;
    const SweepStrip& strip_;
    PairSweepWorkspace& workspace_;
    SweepWatch& watch_;
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

}  // namespace warpseq
