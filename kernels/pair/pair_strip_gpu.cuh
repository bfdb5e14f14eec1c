// The state of a warp that sweeps a strip of rows, and the steps that change it. The drawing of a
// strip is in kernels/pair/pair_sweep_kernel_gpu.cuh.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/pair/pair_cells_gpu.cuh"
#include "kernels/pair/pair_sweep_access_gpu.cuh"
#include "kernels/pair/pair_sweep_layout_gpu.h"

namespace warpseq::cuda {

/// The state of a warp that sweeps a strip. All of it lives in registers.
template <int R, bool kWide, bool kLocal>
struct PairStrip {
    using Cells = PairCells<kWide>;
    static constexpr bool kIsWide = kWide, kIsLocal = kLocal;
    static constexpr int kHalves = kWide ? 1 : 2;
    static constexpr int kSkew = kHalves;  // columns
    /// Number of columns by which the last cell of a step is behind the first one.
    static constexpr int kSpan = kSkew * (kWarpLanes - 1) + kHalves - 1;
    static constexpr std::uint32_t kRows = kWarpLanes * R * kHalves;
    static constexpr std::uint32_t kNoCheckpoint = 1u << 31;  // a column that no lane ever reaches
    static constexpr std::int32_t kLowestWide = INT32_MIN + (1 << 23);
    static_assert(kChunkColumns == kWarpLanes);

    const PairKernelArguments& arguments;
    const PairDeviceTask& task;
    std::uint8_t* const profile;   // this lane's bytes of letter 0
    uint2* const exchange;         // of a chunk, by column: lane 0's input, replaced by lane 31's output; one spare
    std::uint16_t* const letters;  // ring of profile offsets
    const int lane;
    const std::uint32_t first_row;
    // Rows of each half. The first `long_halves` halves of the strip have half_rows rows, the
    // others one row less.
    const std::uint32_t half_rows, long_halves;
    const std::uint32_t columns;

    std::uint32_t H[R], E[R];
    std::uint32_t diagonal, bottom_h, bottom_f;  // H above the first rows a column ago; H and F below the last rows
    std::uint32_t best = 0, zero = 0;            // for local alignment: the highest H, and the number for 0
    std::int32_t base = 0;                       // the raw score of number 0
    std::int32_t best_raw[kHalves] = {}, highest_raw = 0;
    std::uint32_t next_checkpoint[kHalves];     // columns before the next column checkpoint
    BorderCell* checkpoint_cells[kHalves];      // this half's cells on it
    std::int32_t* checkpoint_maximum[kHalves];  // of the block before it
    ScoreBytes<R> low_scores, high_scores;      // of the next step
    std::uint32_t letter_now, letter_before;    // of the low half and of the high half
    const std::uint16_t* letter_next;
    std::uint32_t fed;              // lane 0's input of the next step, unless wide
    std::uint32_t long_mask = ~0u;  // halves of this lane that are long

    // Numbers and raw scores.

    __device__ __forceinline__ std::uint32_t lowest_h() const {
        return kWide ? static_cast<std::uint32_t>(kLowestWide) : Cells::both(arguments.range.lowest_h);
    }
    __device__ __forceinline__ std::uint32_t lowest_gap() const {
        return kWide ? static_cast<std::uint32_t>(kLowestWide) : Cells::both(arguments.range.lowest_gap);
    }
    /// Returns the raw score in the middle of the range of numbers, for a base.
    __device__ __forceinline__ std::int32_t middle() const {
        return static_cast<std::int32_t>((arguments.range.least_top + arguments.range.most_top) / 2);
    }
    /// Returns the number that stands for a raw score in one half.
    __device__ __forceinline__ std::uint32_t relative(std::int32_t raw, std::uint32_t lowest) const {
        if constexpr (kWide) return static_cast<std::uint32_t>(max(raw, kLowestWide));
        // The difference may leave 32 bits where the raw number is a stand-in for minus infinity.
        const long long number = static_cast<long long>(raw) - base;
        return static_cast<std::uint32_t>(max(static_cast<long long>(lowest & 0xffff), min(number, 65535ll)));
    }
    __device__ __forceinline__ std::int32_t half_raw(std::uint32_t number, int half) const {
        if constexpr (kWide) return static_cast<std::int32_t>(number);
        return static_cast<std::int32_t>(half == 0 ? number & 0xffff : number >> 16) + base;
    }

    // Rows.

    /// rows_before() returns the number of the strip's rows before a half of this lane, and
    /// rows_in() the number of rows in that half.
    __device__ __forceinline__ std::uint32_t rows_before(int half) const {
        const auto index = static_cast<std::uint32_t>(lane * kHalves + half);
        return index * (half_rows - 1) + min(index, long_halves);
    }
    __device__ __forceinline__ std::uint32_t rows_in(int half) const {
        return half_rows - (static_cast<std::uint32_t>(lane * kHalves + half) < long_halves ? 0 : 1);
    }

    // The beginning of a strip.

    /// Fills the profile with the scores of the strip's rows against each letter.
    __device__ __forceinline__ void make_profile() {
#pragma unroll 1
        for (int half = 0; half < kHalves; ++half) {
#pragma unroll 1
            for (int r = 0; r < R; r += 4) {
                std::uint32_t code[4];
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    const auto row = static_cast<std::uint32_t>(r + i);
                    code[i] = row < rows_in(half) ? task.query[first_row + rows_before(half) + row] : kPaddingCode;
                }
                for (std::uint32_t letter = 0; letter < arguments.letters; ++letter) {
                    const std::int8_t* const scores = arguments.scores + letter * kResidueTableSize;
                    std::uint32_t word = 0;
#pragma unroll
                    for (int i = 0; i < 4; ++i)
                        word |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(scores[code[i]])) << (8 * i);
                    *reinterpret_cast<std::uint32_t*>(profile + letter * kRows + half * kWarpLanes * R + r) = word;
                }
            }
        }
    }

    /// Returns the cell of column 0 that is `row` rows below the end of the half before. Row 0 is
    /// that end.
    __device__ __forceinline__ BorderCell left_of(int half, std::uint32_t row) const {
        return task.left[first_row + rows_before(half) + min(row, rows_in(half))];
    }
    /// Loads column 0.
    __device__ __forceinline__ void begin() {
        if constexpr (!kWide) {
            std::int32_t highest = left_of(0, 0).h;
#pragma unroll 1
            for (std::uint32_t row = 0; row <= R; ++row)
                highest = max(highest, max(left_of(0, row).h, left_of(1, row).h));
            highest = __reduce_max_sync(~0u, highest);
            base = highest - middle();
        }
        place_zero();
        diagonal = 0;
#pragma unroll
        for (int r = 0; r < R; ++r) H[r] = E[r] = 0;
        if constexpr (!kWide)
            long_mask = (rows_in(0) == half_rows ? 0xffffu : 0) | (rows_in(1) == half_rows ? 0xffff0000u : 0);
        else
            long_mask = rows_in(0) == half_rows ? ~0u : 0;
#pragma unroll
        for (int half = 0; half < kHalves; ++half) {
            diagonal |= relative(left_of(half, 0).h, lowest_h()) << (16 * half);
#pragma unroll
            for (int r = 0; r < R; ++r) {
                const BorderCell cell = left_of(half, static_cast<std::uint32_t>(r) + 1);
                H[r] |= relative(cell.h, lowest_h()) << (16 * half);
                E[r] |= relative(cell.gap, lowest_gap()) << (16 * half);
            }
        }
        bottom_h = lowest_h();
        bottom_f = lowest_gap();
    }

    // The base of the numbers.

    __device__ __forceinline__ void place_zero() {
        if constexpr (kLocal) zero = kWide ? 0 : Cells::both(relative(0, lowest_h()));
    }

    /// Moves the base, so that the window's highest H is in the middle of its range.
    __device__ __forceinline__ void move_base(std::int32_t highest) {
        const std::int32_t to = highest - middle();
        // A move by more than the range has the same effect as a move by the range: all numbers
        // become the lowest one.
        const std::int32_t by = max(-65535, min(65535, to - base));
        const std::uint32_t down = Cells::both(static_cast<std::uint32_t>(max(by, 0))),
                            up = Cells::both(static_cast<std::uint32_t>(max(-by, 0)));
        const auto move = [&](std::uint32_t number, std::uint32_t lowest) {
            return __vadd2(__vmaxu2(__vsub2(__vmaxu2(number, down), down), lowest), up);
        };
        base = to;
#pragma unroll
        for (int r = 0; r < R; ++r) {
            H[r] = move(H[r], lowest_h());
            E[r] = move(E[r], lowest_gap());
        }
        diagonal = move(diagonal, lowest_h());
        bottom_h = move(bottom_h, lowest_h());
        bottom_f = move(bottom_f, lowest_gap());
        place_zero();
    }

    /// Whether the window's highest H has left the range that the base suits.
    __device__ __forceinline__ bool is_out_of_range(std::int32_t highest) const {
        const std::int32_t top = highest - base;
        return top < static_cast<std::int32_t>(arguments.range.least_top) ||
               top > static_cast<std::int32_t>(arguments.range.most_top);
    }

    /// Returns the highest H that this lane has in its registers.
    __device__ __forceinline__ std::int32_t highest_in_registers() const {
        std::uint32_t highest = diagonal;
#pragma unroll
        for (int r = 0; r < R; ++r) {
            if (r >= static_cast<int>(half_rows)) break;  // the strip has no further rows
            highest = Cells::max2(highest, H[r]);
        }
        if constexpr (kWide) return static_cast<std::int32_t>(highest);
        return max(half_raw(highest, 0), half_raw(highest, 1));
    }

    // Maxima and column checkpoints.

    /// Returns the raw score of `best` in one half. Returns 0 if no cell has been counted, because
    /// numbers of cells are above 0.
    __device__ __forceinline__ std::int32_t best_of(int half) const {
        const std::uint32_t number = kWide ? best : half == 0 ? best & 0xffffu : best >> 16;
        return number == 0 ? 0 : static_cast<std::int32_t>(number) + base;
    }
    /// Turns the best numbers, which are relative to the base, into raw scores, and stores these as
    /// the maxima so far.
    __device__ __forceinline__ void keep_best() {
#pragma unroll
        for (int half = 0; half < kHalves; ++half) {
            best_raw[half] = max(best_raw[half], best_of(half));
            highest_raw = max(highest_raw, best_raw[half]);
        }
        best = 0;
    }

    /// Returns `column`, or kNoCheckpoint if that is the last column or beyond it. finish() writes
    /// the last column's checkpoint at the end, by all lanes at once.
    __device__ __forceinline__ std::uint32_t checkpoint_or_none(std::uint32_t column) const {
        return column < columns ? column : kNoCheckpoint;
    }
    /// Returns the place of the maximum of the strip's block in a column of blocks.
    __device__ __forceinline__ std::int32_t* block_maximum(std::size_t column_block) const {
        return task.maxima + static_cast<std::size_t>(first_row / task.row_step) * task.column_blocks + column_block;
    }
    /// Writes H and E of one half to its part of a column checkpoint.
    __device__ __forceinline__ void store_half(BorderCell* cells, int half) const {
#pragma unroll
        for (int r = 0; r < R; ++r) {
            if (static_cast<std::uint32_t>(r) < rows_in(half))
                store_cell(cells + r, half_raw(H[r], half), half_raw(E[r], half));
        }
    }

    /// Writes the cells of one half, which has reached a column checkpoint, to the checkpoint. Adds
    /// the half's maximum since the last checkpoint to that of the block.
    __device__ __forceinline__ void cross_checkpoint(int half) {
        store_half(checkpoint_cells[half], half);
        checkpoint_cells[half] += std::size_t{task.rows} + 1;
        if constexpr (kLocal) {
            const std::int32_t raw = max(best_raw[half], best_of(half));
            atomicMax(checkpoint_maximum[half]++, raw);
            highest_raw = max(highest_raw, raw);
            best_raw[half] = 0;
            if constexpr (kWide)
                best = 0;
            else
                best &= half == 0 ? 0xffff0000u : 0xffffu;
        }
        next_checkpoint[half] = checkpoint_or_none(next_checkpoint[half] + task.column_step);
    }

    /// Writes the checkpoint of the last column. Called after the last chunk. Masks have made each
    /// cell keep its value at the last column.
    __device__ __forceinline__ void finish() {
        const std::size_t index = task.column_blocks - 1;
        BorderCell* const cells = task.column_checkpoints + index * (std::size_t{task.rows} + 1) + first_row + 1;
        std::int32_t highest = 0;
#pragma unroll
        for (int half = 0; half < kHalves; ++half) {
            store_half(cells + rows_before(half), half);
            highest = max(highest, best_raw[half]);
        }
        if constexpr (kLocal) {
            highest = __reduce_max_sync(~0u, highest);
            if (lane == 0) atomicMax(block_maximum(index), highest);
        }
    }

    // A chunk of columns.

    __device__ __forceinline__ void load_scores() {
        low_scores.load(profile + letter_now);
        if constexpr (!kWide) high_scores.load(profile + kWarpLanes * R + letter_before);
    }

    /// Puts the values that a chunk gets from above into `exchange`: H and F of one column from
    /// each lane, unless `feeds` is false because there is no such column.
    __device__ __forceinline__ void feed(bool feeds, std::int32_t fed_h, std::int32_t fed_gap) {
        if constexpr (kWide) {
            exchange[lane] =
                feeds ? make_uint2(relative(fed_h, 0), relative(fed_gap, 0)) : make_uint2(lowest_h(), lowest_gap());
        } else {
            const std::uint32_t h = feeds ? relative(fed_h, lowest_h()) : lowest_h() & 0xffff;
            const std::uint32_t f = feeds ? relative(fed_gap, lowest_gap()) : lowest_gap() & 0xffff;
            exchange[lane].x = h | f << 16;
        }
    }
    /// Prepares the first step of a chunk: letters and their scores, and the values that come from
    /// above.
    __device__ __forceinline__ void aim_letters(std::uint32_t chunk) {
        const std::uint32_t at = (chunk * kChunkColumns - static_cast<std::uint32_t>(kSkew * lane)) % 128;
        letter_next = letters + at + 1;
        letter_now = letters[at];
        letter_before = letters[(at + 127) % 128];
        load_scores();
        if (lane == kWarpLanes - 1) fed = exchange[0].x;
    }
    /// Prepares the first careful step of a chunk: finds the column checkpoint that each half meets
    /// next.
    __device__ __forceinline__ void aim_checkpoints(std::uint32_t chunk, bool warm_up) {
#pragma unroll
        for (int half = 0; half < kHalves; ++half) {
            // The number of columns before the half's next cell.
            const std::int32_t column = static_cast<std::int32_t>(chunk * kChunkColumns) - kSkew * lane - half;
            const std::uint32_t from = static_cast<std::uint32_t>(max(column, 0)) + 1;
            const std::uint32_t index = (from - 1) / task.column_step;
            next_checkpoint[half] = warm_up ? kNoCheckpoint : checkpoint_or_none((index + 1) * task.column_step);
            checkpoint_cells[half] = task.column_checkpoints +
                                     static_cast<std::size_t>(index) * (std::size_t{task.rows} + 1) + first_row +
                                     rows_before(half) + 1;
            if constexpr (kLocal) checkpoint_maximum[half] = block_maximum(index);
        }
    }

    /// Skips a chunk of a local alignment by setting all its cells to 0. No alignment through it
    /// can reach the best known score.
    __device__ __forceinline__ void skip_chunk() {
        __syncwarp();  // aim_letters() has read from `exchange`
#pragma unroll
        for (int r = 0; r < R; ++r) {
            H[r] = zero;
            E[r] = lowest_gap();
        }
        diagonal = bottom_h = zero;
        bottom_f = lowest_gap();
        exchange[lane] =
            kWide ? make_uint2(zero, lowest_gap()) : make_uint2(permute_bytes(zero, lowest_gap(), 0x5410), 0);
    }

    static constexpr int kFull = 0, kAnyRows = -1;
    /// Fills a chunk, step by step (step()).
    template <bool kMasked, bool kCheckpoints, int kStripRows, int kUnroll>
    __device__ __forceinline__ void fill_chunk(std::uint32_t chunk) {
#pragma unroll kUnroll
        for (int k = 0; k < static_cast<int>(kChunkColumns); ++k) step<kMasked, kCheckpoints, kStripRows>(chunk, k);
    }
    /// Fills a chunk of a strip that is not full, with the short step for its number of rows.
    template <int kStripRows = R>
    __device__ __forceinline__ void fill_partial(std::uint32_t chunk) {
        if (half_rows == kStripRows)
            fill_chunk<false, false, kStripRows, 2>(chunk);
        else if constexpr (kStripRows > 1)
            fill_partial<kStripRows - 1>(chunk);
    }

    /// Fills a chunk in which every lane is inside the matrix and meets no column checkpoint.
    __device__ __forceinline__ void fill_inside(std::uint32_t chunk, bool full) {
        if (full)
            fill_chunk<false, false, kFull, 2>(chunk);
        else
            fill_partial(chunk);
    }
    /// Fills a chunk in which lanes may be outside the matrix, but meet no column checkpoint.
    __device__ __forceinline__ void fill_careful(std::uint32_t chunk, bool full) {
        if (full)
            fill_chunk<true, false, kFull, 1>(chunk);
        else
            fill_chunk<true, false, kAnyRows, 1>(chunk);
    }
    /// Fills any chunk, and writes the column checkpoints that lanes meet. A warm-up writes none.
    __device__ __forceinline__ void fill_with_checkpoints(std::uint32_t chunk, bool full, bool warm_up) {
        aim_checkpoints(chunk, warm_up);
        if (full)
            fill_chunk<true, true, kFull, 1>(chunk);
        else
            fill_chunk<true, true, kAnyRows, 1>(chunk);
    }

    // A step.

    /// H and F above the first rows of a lane, in this column.
    struct Above {
        std::uint32_t h, f;
    };
    /// Passes the values below each lane's last rows to the rows under them: of the low half to the
    /// high half of the same lane, of the high half to the next lane, of lane 31 to `exchange`,
    /// from where lane 0 gets the values of the strip above.
    __device__ __forceinline__ Above pass_down(int k) {
        constexpr int kLast = kWarpLanes - 1;
        if constexpr (kWide) {
            uint2 down = make_uint2(bottom_h, bottom_f);
            if (lane == kLast) {
                const uint2 input = exchange[k];
                exchange[k] = down;
                down = input;
            }
            const std::uint32_t h = __shfl_sync(~0u, down.x, (lane + kLast) % kWarpLanes);
            return {h, __shfl_sync(~0u, down.y, (lane + kLast) % kWarpLanes)};
        }
        std::uint32_t down = permute_bytes(bottom_h, bottom_f, 0x7632);
        if (lane == kLast) {
            exchange[k].x = down;
            down = fed;
            fed = exchange[k + 1].x;
        }
        down = __shfl_sync(~0u, down, (lane + kLast) % kWarpLanes);
        return {permute_bytes(down, bottom_h, 0x5410), permute_bytes(down, bottom_f, 0x5432)};
    }

    /// Returns a mask of the cells that are inside the matrix. `column` is the low half's, from 0.
    __device__ __forceinline__ std::uint32_t active_cells(std::int32_t column) const {
        std::uint32_t active = static_cast<std::uint32_t>(column) < columns ? (kWide ? ~0u : 0xffffu) : 0;
        if (!kWide && static_cast<std::uint32_t>(column - 1) < columns) active |= 0xffff0000u;
        return active;
    }

    /// Writes to a column checkpoint where a half has reached one. That is rare, and then it is one
    /// lane. `at` is the number of columns that the low half has done.
    __device__ __forceinline__ void meet_checkpoints(std::uint32_t at) {
        if (at == next_checkpoint[0] || at - 1 == next_checkpoint[kHalves - 1]) {
            if (at == next_checkpoint[0]) cross_checkpoint(0);
            if (kHalves == 2 && at - 1 == next_checkpoint[kHalves - 1]) cross_checkpoint(kHalves - 1);
        }
    }

    /// Does one step. With kMasked some lanes may be outside the matrix. With kCheckpoints a half
    /// may meet a column checkpoint. kStripRows is kFull for a full strip. For a strip that is not
    /// full it is its half_rows, or kAnyRows if half_rows is read at run time.
    template <bool kMasked, bool kCheckpoints, int kStripRows>
    __device__ __forceinline__ void step(std::uint32_t chunk, int k) {
        auto [above, f] = pass_down(k);
        const ScoreBytes<R> low = low_scores, high = high_scores;
        letter_before = letter_now;
        letter_now = letter_next[k];
        load_scores();

        std::uint32_t active = ~0u;
        [[maybe_unused]] std::int32_t column = 0;
        if constexpr (kMasked) {
            column = static_cast<std::int32_t>(chunk * kChunkColumns) + k - kSkew * lane;
            active = active_cells(column);
        }
        const auto masked = [&](std::uint32_t value, std::uint32_t old) {
            return !kMasked ? value : (value & active) | (old & ~active);
        };
        std::uint32_t d = diagonal;
        diagonal = masked(above, diagonal);
        const std::uint32_t less_first = 0u - Cells::both(static_cast<std::uint32_t>(arguments.first));
        const std::uint32_t less_extend =
            kWide ? 0u - static_cast<std::uint32_t>(arguments.extend)
                  : Cells::both((0u - static_cast<std::uint32_t>(arguments.extend)) & 0xffffu);
        std::uint32_t h = above, even = 0;
        [[maybe_unused]] std::uint32_t short_h = 0, short_f = 0;
        constexpr bool kPartial = kStripRows != kFull;
#pragma unroll
        for (int r = 0; r < (kStripRows > 0 ? kStripRows : R); ++r) {
            const bool last = kStripRows > 0 ? r + 1 == kStripRows : kPartial && r + 1 == static_cast<int>(half_rows);
            if (last) short_h = h, short_f = f;
            const std::uint32_t g = Cells::add_max(d, row_scores<kWide>(low, high, r), E[r]);
            h = kLocal ? Cells::max3(g, f, zero) : Cells::max2(g, f);
            const std::uint32_t f_open = g * arguments.one + less_first, e_open = h * arguments.one + less_first;
            f = Cells::add_max(f, less_extend, f_open);
            d = H[r];
            E[r] = masked(Cells::add_max(E[r], less_extend, e_open), E[r]);
            H[r] = masked(h, H[r]);
            if constexpr (kLocal) {
                const std::uint32_t counts = kMasked ? h & active : h;
                // Strips that are not full take maxima one by one. If they took two at a time, the
                // compiler would move the warp's state from registers to memory.
                if constexpr (kPartial)
                    best = Cells::max2(best, last ? counts & long_mask : counts);
                else if (r % 2 == 0)
                    even = counts;
                else
                    best = Cells::max3(best, even, counts);
            }
            if (last) break;
        }
        bottom_h = kPartial ? (h & long_mask) | (short_h & ~long_mask) : h;
        bottom_f = kPartial ? (f & long_mask) | (short_f & ~long_mask) : f;
        if constexpr (kCheckpoints) meet_checkpoints(static_cast<std::uint32_t>(column + 1));
    }
};

}  // namespace warpseq::cuda
