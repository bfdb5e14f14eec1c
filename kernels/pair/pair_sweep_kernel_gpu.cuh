// The GPU's kernel for sweeps over matrices of pairs. The recurrence is that of
// kernels/pair/pair_sweep.h. This comment describes how the kernel lays out strips, cells and
// borders.
//
// Strips. A warp takes a strip of rows and sweeps all columns, one column per step. Lane t is
// `kSkew` columns behind lane t - 1. A lane holds consecutive rows in consecutive registers. A
// register has two cells, as unsigned 16-bit numbers. The low halves hold the lane's upper rows.
// The high halves hold its lower rows, one column behind. So the values below the low halves' last
// row go to the same lane's high halves in the next step. The values below the high halves' last
// row go by shuffle to the low halves of lane t + 1.
//
//                  columns ->
//     lane 0 low    . . . . . . . .        where the cells of one step lie
//            high  . . . . . . . .
//     lane 1 low  . . . . . . . .
//            high ...
//
// Cells. A cell computes
//     G = max(D + s, E)                    E = max(E - extend, H - first)
//     H = max(G, F, 0)                     F = max(F - extend, G - first)
// F is opened from G instead of from H. This changes no H, because opening a new gap behind F costs
// no less than extending F. It leaves one operation per row in the dependent chain that runs down
// the rows. The two subtractions of `first` run as 32-bit multiply-adds on the FMA pipe, both
// halves at once, because no number gets so small that it borrows from the other half. The rest is
// DPX. Two cells take 4.5 operations and a PRMT. PRMT takes each half's score byte, with sign, from
// two words that were loaded from shared memory. Shared memory holds a profile of the strip, with a
// row for each letter of the target. The bytes of different lanes lie in different banks, for any
// letters.
//
// The result is exact at any length. 16-bit numbers are relative to a base of the warp, which is
// moved when needed between chunks of 32 columns; kernels/pair/pair_sweep_plan_gpu.h has the
// argument. The wide form has one 32-bit cell in a register.
//
// Border row. Strips share a border row in global memory, with a word of 64 bits for each column. A
// word has H, the difference H - F, and a tag that tells which strip wrote the word. A strip
// overwrites the words that it has read. This needs no fence and no counter: 64-bit stores do not
// tear, so data and tag arrive together. The words of the next chunk are fetched while a chunk is
// filled. Warps take strips in order, by tickets. So the strip that a warp waits for is running or
// done, and blocks need not be resident together. Apart from this row and counters, warps share
// nothing, not even within a block.
//
// Bands. A matrix may be a band of columns of a wider matrix, whose other bands are on other GPUs.
// When a strip of the band ends, its cells of the last column are copied to host memory. The same
// strip of the band on the right begins after that. A band waits only for the band on its left, so
// the leftmost band that is not done never waits.
//
// Chunks in which every lane is inside the matrix and meets no column checkpoint use the short
// step. Other chunks use the careful step.
//
// If the last strip is not full, its rows are spread evenly over the halves of all lanes. The last
// halves may have one row less. So the strip's last row is at the bottom of lane 31, as in every
// strip. All strips run at the pace of the slowest one. So the short step of the last strip is
// compiled for each number of rows.
//
// The host may read checkpoints and maxima while the kernel runs, so it needs to know which of them
// are written. A strip reports that it is done after the strip above has reported, which it learns
// by a load with acquire semantics. So everything that earlier strips wrote is visible before its
// report.
#pragma once

#include <cstdint>

#include "kernels/pair/pair_sweep_plan_gpu.h"
#include "libcore/scoring/border_cell.h"

namespace warpseq::cuda {

struct PairDeviceTask {
    const std::uint8_t* query;       // m codes
    const std::uint8_t* target;      // n codes
    const BorderCell* top;           // n + 1
    BorderCell* left;                // m + 1
    unsigned long long* between;     // n words: the border between two strips; zero at the start
    BorderCell* row_checkpoints;     // n + 1 cells each
    BorderCell* column_checkpoints;  // m + 1 cells each
    std::int32_t* maxima;            // row blocks x column blocks
    std::int32_t* reached;           // the highest score found in the matrix so far; zero at the start
    std::uint32_t* done;             // strips whose checkpoints are written; zero at the start
    std::uint32_t rows, columns, strips;
    std::uint32_t row_step, column_step, row_blocks, column_blocks;
    std::uint32_t rows_beyond, columns_beyond;
    std::int32_t known_raw;  // a score that is reached; for pruning
    std::uint32_t prune;
    std::uint32_t strip;  // the strip that the warp fills
    // The members below are for a band of a wider matrix, whose neighbours are on other GPUs. They
    // are null if there is no neighbour. The cells are in host memory, together with a word for
    // each strip. The word is 0 at the start. When the strip's cells have been written, it becomes
    // 1 plus a score that is known to be reached.
    const BorderCell* given_left;  // the cells of `left`, from which each strip copies its part
    const std::uint32_t* left_ready;
    std::uint32_t* left_seen;  // strips whose words a warp has seen set; zero at the start
    BorderCell* right;         // for the next band: its `given_left`
    std::uint32_t* right_ready;
};

struct PairUnit {
    std::uint32_t task, strip;
};

struct PairKernelArguments {
    const PairDeviceTask* tasks;
    const PairUnit* units;
    std::uint32_t unit_count;
    std::uint32_t* ticket;                      // zero at the start
    const std::uint32_t* stop;                  // not zero: all warps leave
    unsigned long long* cells;                  // done so far
    volatile unsigned long long* host_cells;    // the same, where the host sees it
    volatile std::uint32_t* host_strips;        // `done`, where the host sees it; null unless a launch has one task
    const std::int8_t* scores;                  // letter * kResidueTableSize + code of the query
    std::uint8_t letter_of[kResidueTableSize];  // by residue code of the target
    std::uint32_t letters;
    std::uint32_t warms_up;  // not 0: warps begin with a warm-up, as matrices have many strips
    std::uint32_t tag_bits;  // PairBorderWord
    std::uint32_t one;  // 1, but not a constant: else the compiler makes multiply-adds additions, on the busier pipe
    std::int32_t first, extend, highest;
    PairRange range;
};

inline constexpr int kPairLetterRing = 192;  // 128 columns' letters, and the first 64 of them again

/// Warps of a block, one for each scheduler of a multiprocessor. They are independent of each
/// other.
inline constexpr int kPairBlockWarps = 4;

/// The shared memory of a warp behind its profile.
struct PairWarpMemory {
    uint2 exchange[kWarpLanes + 1];
    PairDeviceTask task;
    std::uint16_t letters[kPairLetterRing];
};

constexpr std::size_t pair_shared_bytes(const PairShape& shape, std::uint32_t letters) {
    return kPairBlockWarps * ((std::size_t{shape.strip_rows()} * letters + sizeof(PairWarpMemory) + 15) / 16 * 16);
}

__device__ __forceinline__ std::uint32_t permute_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
    std::uint32_t result;  // PRMT itself, because __byte_perm cannot spread a byte's sign (selectors of 8 and more)
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(selector));
    return result;
}

template <typename T>
__device__ __forceinline__ T load_relaxed(const T* address) {
    static_assert(sizeof(T) == 4);
    std::uint32_t value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return static_cast<T>(value);
}
/// A word of the border row. The high half holds H. The low half holds H - F (from 0 to `first`)
/// and a tag. All warps may wait for their first word at the same time, so there have to be at
/// least as many tags as warps. There are 2^tag_bits - 1 tags.
struct PairBorderWord {
    std::uint32_t low, high;

    __device__ __forceinline__ std::int32_t h() const { return static_cast<std::int32_t>(high); }
    __device__ __forceinline__ std::int32_t gap(std::uint32_t tag_bits) const {
        return h() - static_cast<std::int32_t>(low >> tag_bits);
    }
    __device__ __forceinline__ std::uint32_t tag(std::uint32_t tag_bits) const { return low & ((1u << tag_bits) - 1); }
    __device__ __forceinline__ static std::uint32_t tag_of(std::uint32_t strip, std::uint32_t tag_bits) {
        return strip % ((1u << tag_bits) - 1) + 1;
    }

    __device__ __forceinline__ void load(const unsigned long long* address) {
        unsigned long long word;
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(address) : "memory");
        low = static_cast<std::uint32_t>(word);
        high = static_cast<std::uint32_t>(word >> 32);
    }
    __device__ __forceinline__ static void store(unsigned long long* address, std::int32_t h, std::int32_t gap,
                                                 std::uint32_t tag, std::uint32_t tag_bits) {
        const unsigned long long word = static_cast<unsigned long long>(static_cast<std::uint32_t>(h)) << 32 |
                                        static_cast<std::uint32_t>(h - gap) << tag_bits | tag;
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(address), "l"(word) : "memory");
    }
};
__device__ __forceinline__ void store_cell(BorderCell* address, std::int32_t h, std::int32_t gap) {
    asm volatile("st.global.v2.s32 [%0], {%1, %2};" ::"l"(address), "r"(h), "r"(gap) : "memory");
}

__device__ __forceinline__ std::uint32_t load_acquire(const std::uint32_t* address) {
    std::uint32_t value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}
__device__ __forceinline__ void store_release(std::uint32_t* address, std::uint32_t value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}
__device__ __forceinline__ std::uint32_t load_acquire_system(const std::uint32_t* address) {
    std::uint32_t value;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
    return value;
}
__device__ __forceinline__ void store_release_system(std::uint32_t* address, std::uint32_t value) {
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}
/// Loads a cell that another GPU may have written.
__device__ __forceinline__ BorderCell load_cell_system(const BorderCell* address) {
    BorderCell cell;
    asm volatile("ld.relaxed.sys.global.v2.s32 {%0, %1}, [%2];"
                 : "=r"(cell.h), "=r"(cell.gap)
                 : "l"(address)
                 : "memory");
    return cell;
}
/// Copies cells. Called by all lanes of a warp.
__device__ __forceinline__ void copy_cells(BorderCell* to, const BorderCell* from, std::uint32_t count, int lane) {
    for (auto i = static_cast<std::uint32_t>(lane); i < count; i += kWarpLanes) {
        const BorderCell cell = load_cell_system(from + i);
        store_cell(to + i, cell.h, cell.gap);
    }
}

/// Scores in bytes of shared memory, loaded as words.
template <int kBytes>
struct ScoreBytes {
    std::uint32_t word[kBytes / 4];
    __device__ __forceinline__ void load(const std::uint8_t* from) {
        if constexpr (kBytes == 16) {
            const uint4 v = *reinterpret_cast<const uint4*>(from);
            word[0] = v.x, word[1] = v.y, word[2] = v.z, word[3] = v.w;
        } else if constexpr (kBytes == 8) {
            const uint2 v = *reinterpret_cast<const uint2*>(from);
            word[0] = v.x, word[1] = v.y;
        } else {
            static_assert(kBytes == 4);
            word[0] = *reinterpret_cast<const std::uint32_t*>(from);
        }
    }
};

/// The state of a warp that sweeps a strip. All of it lives in registers.
template <int R, bool kWide, bool kLocal>
struct PairStrip {
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
    std::uint32_t letter_now;                   // of the low half
    const std::uint16_t* letter_next;
    std::uint32_t fed;              // lane 0's input of the next step, unless wide
    std::uint32_t long_mask = ~0u;  // halves of this lane that are long

    __device__ __forceinline__ static std::uint32_t both(std::uint32_t value) {
        return kWide ? value : value * 0x10001u;
    }
    __device__ __forceinline__ std::uint32_t lowest_h() const {
        return kWide ? static_cast<std::uint32_t>(kLowestWide) : both(arguments.range.lowest_h);
    }
    __device__ __forceinline__ std::uint32_t lowest_gap() const {
        return kWide ? static_cast<std::uint32_t>(kLowestWide) : both(arguments.range.lowest_gap);
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
    __device__ __forceinline__ static std::uint32_t add_max(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        if constexpr (kWide)
            return __viaddmax_s32(a, b, c);
        else
            return __viaddmax_u16x2(a, b, c);
    }
    __device__ __forceinline__ static std::uint32_t max2(std::uint32_t a, std::uint32_t b) {
        if constexpr (kWide)
            return max(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
        else
            return __vmaxu2(a, b);
    }
    __device__ __forceinline__ static std::uint32_t max3(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        if constexpr (kWide)
            return __vimax3_s32(a, b, c);
        else
            return __vimax3_u16x2(a, b, c);
    }
    /// rows_before() returns the number of the strip's rows before a half of this lane, and
    /// rows_in() the number of rows in that half.
    __device__ __forceinline__ std::uint32_t rows_before(int half) const {
        const auto index = static_cast<std::uint32_t>(lane * kHalves + half);
        return index * (half_rows - 1) + min(index, long_halves);
    }
    __device__ __forceinline__ std::uint32_t rows_in(int half) const {
        return half_rows - (static_cast<std::uint32_t>(lane * kHalves + half) < long_halves ? 0 : 1);
    }

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

    /// Loads column 0.
    __device__ __forceinline__ void begin() {
        const auto left_of = [&](int half, std::uint32_t row) {
            return task.left[first_row + rows_before(half) + min(row, rows_in(half))];
        };
        if constexpr (!kWide) {
            std::int32_t highest = left_of(0, 0).h;
#pragma unroll 1
            for (std::uint32_t row = 0; row <= R; ++row)
                highest = max(highest, max(left_of(0, row).h, left_of(1, row).h));
            highest = __reduce_max_sync(~0u, highest);
            base = highest - static_cast<std::int32_t>((arguments.range.least_top + arguments.range.most_top) / 2);
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

    __device__ __forceinline__ void place_zero() {
        if constexpr (kLocal) zero = kWide ? 0 : both(relative(0, lowest_h()));
    }

    /// Moves the base, so that the window's highest H is in the middle of its range.
    __device__ __forceinline__ void move_base(std::int32_t highest) {
        const std::int32_t to =
            highest - static_cast<std::int32_t>((arguments.range.least_top + arguments.range.most_top) / 2);
        // A move by more than the range has the same effect as a move by the range: all numbers
        // become the lowest one.
        const std::int32_t by = max(-65535, min(65535, to - base));
        const std::uint32_t down = both(static_cast<std::uint32_t>(max(by, 0))),
                            up = both(static_cast<std::uint32_t>(max(-by, 0)));
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

    /// Returns the highest H that this lane has in its registers.
    __device__ __forceinline__ std::int32_t highest_in_registers() const {
        std::uint32_t highest = diagonal;
#pragma unroll
        for (int r = 0; r < R; ++r) {
            if (r >= static_cast<int>(half_rows)) break;  // the strip has no further rows
            highest = max2(highest, H[r]);
        }
        if constexpr (kWide) return static_cast<std::int32_t>(highest);
        return max(half_raw(highest, 0), half_raw(highest, 1));
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

    /// Writes the cells of one half, which has reached a column checkpoint, to the checkpoint. Adds
    /// the half's maximum since the last checkpoint to that of the block.
    __device__ __forceinline__ void cross_checkpoint(int half) {
#pragma unroll
        for (int r = 0; r < R; ++r) {
            if (static_cast<std::uint32_t>(r) < rows_in(half))
                store_cell(checkpoint_cells[half] + r, half_raw(H[r], half), half_raw(E[r], half));
        }
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
    /// Returns `column`, or kNoCheckpoint if that is the last column or beyond it. finish() writes
    /// the last column's checkpoint at the end, by all lanes at once.
    __device__ __forceinline__ std::uint32_t checkpoint_or_none(std::uint32_t column) const {
        return column < columns ? column : kNoCheckpoint;
    }

    /// Writes the checkpoint of the last column. Called after the last chunk. Masks have made each
    /// cell keep its value at the last column.
    __device__ __forceinline__ void finish() {
        const std::size_t index = task.column_blocks - 1;
        BorderCell* const cells = task.column_checkpoints + index * (std::size_t{task.rows} + 1) + first_row + 1;
        std::int32_t highest = 0;
#pragma unroll
        for (int half = 0; half < kHalves; ++half) {
            BorderCell* const mine = cells + rows_before(half);
#pragma unroll
            for (int r = 0; r < R; ++r) {
                if (static_cast<std::uint32_t>(r) < rows_in(half))
                    store_cell(mine + r, half_raw(H[r], half), half_raw(E[r], half));
            }
            highest = max(highest, best_raw[half]);
        }
        if constexpr (kLocal) {
            highest = __reduce_max_sync(~0u, highest);
            if (lane == 0)
                atomicMax(
                    task.maxima + static_cast<std::size_t>(first_row / task.row_step) * task.column_blocks + index,
                    highest);
        }
    }

    __device__ __forceinline__ void load_scores() {
        low_scores.load(profile + letter_now);
        if constexpr (!kWide) high_scores.load(profile + kWarpLanes * R + letter_before);
    }
    std::uint32_t letter_before;  // of the high half

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
            /// The number of columns before the half's next cell.
            const std::int32_t column = static_cast<std::int32_t>(chunk * kChunkColumns) - kSkew * lane - half;
            const std::uint32_t from = static_cast<std::uint32_t>(max(column, 0)) + 1;
            const std::uint32_t index = (from - 1) / task.column_step;
            next_checkpoint[half] = warm_up ? kNoCheckpoint : checkpoint_or_none((index + 1) * task.column_step);
            checkpoint_cells[half] = task.column_checkpoints +
                                     static_cast<std::size_t>(index) * (std::size_t{task.rows} + 1) + first_row +
                                     rows_before(half) + 1;
            if constexpr (kLocal) {
                checkpoint_maximum[half] =
                    task.maxima + static_cast<std::size_t>(first_row / task.row_step) * task.column_blocks + index;
            }
        }
    }

    static constexpr int kFull = 0, kAnyRows = -1;
    /// Does one step. With kMasked some lanes may be outside the matrix. With kCheckpoints a half
    /// may meet a column checkpoint. kStripRows is kFull for a full strip. For a strip that is not
    /// full it is its half_rows, or kAnyRows if half_rows is read at run time.
    template <bool kMasked, bool kCheckpoints, int kStripRows>
    __device__ __forceinline__ void step(std::uint32_t chunk, int k) {
        std::uint32_t above, f;
        if constexpr (kWide) {
            uint2 down = make_uint2(bottom_h, bottom_f);
            if (lane == kWarpLanes - 1) {
                const uint2 fed = exchange[k];
                exchange[k] = down;
                down = fed;
            }
            above = __shfl_sync(~0u, down.x, (lane + kWarpLanes - 1) % kWarpLanes);
            f = __shfl_sync(~0u, down.y, (lane + kWarpLanes - 1) % kWarpLanes);
        } else {
            std::uint32_t down = permute_bytes(bottom_h, bottom_f, 0x7632);
            if (lane == kWarpLanes - 1) {
                exchange[k].x = down;
                down = fed;
                fed = exchange[k + 1].x;
            }
            down = __shfl_sync(~0u, down, (lane + kWarpLanes - 1) % kWarpLanes);
            above = permute_bytes(down, bottom_h, 0x5410);
            f = permute_bytes(down, bottom_f, 0x5432);
        }
        const ScoreBytes<R> low = low_scores, high = high_scores;
        letter_before = letter_now;
        letter_now = letter_next[k];
        load_scores();

        std::uint32_t active = ~0u;
        [[maybe_unused]] std::int32_t column = 0;
        if constexpr (kMasked) {
            column = static_cast<std::int32_t>(chunk * kChunkColumns) + k - kSkew * lane;  // of the low half, from 0
            active = static_cast<std::uint32_t>(column) < columns ? (kWide ? ~0u : 0xffffu) : 0;
            if (!kWide && static_cast<std::uint32_t>(column - 1) < columns) active |= 0xffff0000u;
        }
        std::uint32_t d = diagonal;
        diagonal = !kMasked ? above : (above & active) | (diagonal & ~active);
        const std::uint32_t less_first = 0u - both(static_cast<std::uint32_t>(arguments.first));
        const std::uint32_t less_extend = kWide ? 0u - static_cast<std::uint32_t>(arguments.extend)
                                                : both((0u - static_cast<std::uint32_t>(arguments.extend)) & 0xffffu);
        std::uint32_t h = above, even = 0;
        [[maybe_unused]] std::uint32_t short_h = 0, short_f = 0;
        constexpr bool kPartial = kStripRows != kFull;
#pragma unroll
        for (int r = 0; r < (kStripRows > 0 ? kStripRows : R); ++r) {
            const bool last = kStripRows > 0 ? r + 1 == kStripRows : kPartial && r + 1 == static_cast<int>(half_rows);
            if (last) short_h = h, short_f = f;
            const std::uint32_t q = r % 4;
            std::uint32_t score;
            if constexpr (kWide)
                score = permute_bytes(low.word[r / 4], 0, q | (8 + q) * 0x1110);
            else
                score =
                    permute_bytes(low.word[r / 4], high.word[r / 4], q | (8 + q) << 4 | (4 + q) << 8 | (12 + q) << 12);
            const std::uint32_t g = add_max(d, score, E[r]);
            h = kLocal ? max3(g, f, zero) : max2(g, f);
            const std::uint32_t f_open = g * arguments.one + less_first, e_open = h * arguments.one + less_first;
            f = add_max(f, less_extend, f_open);
            d = H[r];
            if constexpr (!kMasked) {
                E[r] = add_max(E[r], less_extend, e_open);
                H[r] = h;
            } else {
                E[r] = (add_max(E[r], less_extend, e_open) & active) | (E[r] & ~active);
                H[r] = (h & active) | (H[r] & ~active);
            }
            if constexpr (kLocal) {
                const std::uint32_t counts = kMasked ? h & active : h;
                // Strips that are not full take maxima one by one. If they took two at a time, the
                // compiler would move the warp's state from registers to memory.
                if constexpr (kPartial)
                    best = max2(best, last ? counts & long_mask : counts);
                else if (r % 2 == 0)
                    even = counts;
                else
                    best = max3(best, even, counts);
            }
            if (last) break;
        }
        bottom_h = kPartial ? (h & long_mask) | (short_h & ~long_mask) : h;
        bottom_f = kPartial ? (f & long_mask) | (short_f & ~long_mask) : f;
        if constexpr (kCheckpoints) {
            const auto at = static_cast<std::uint32_t>(column + 1);
            if (at == next_checkpoint[0] || at - 1 == next_checkpoint[kHalves - 1]) {  // rarely, and then one lane
                if (at == next_checkpoint[0]) cross_checkpoint(0);
                if (kHalves == 2 && at - 1 == next_checkpoint[kHalves - 1]) cross_checkpoint(kHalves - 1);
            }
        }
    }

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
};

/// Returns the row checkpoint at a strip's last row, or null if there is none.
__device__ __forceinline__ BorderCell* row_checkpoint_below(const PairDeviceTask& task, std::uint32_t strip,
                                                            std::uint32_t strip_rows) {
    const std::uint64_t end = (std::uint64_t{strip} + 1) * strip_rows;
    if (end >= task.rows)
        return task.row_checkpoints + std::size_t{task.row_blocks - 1} * (std::size_t{task.columns} + 1);
    if (end % task.row_step != 0) return nullptr;
    return task.row_checkpoints + static_cast<std::size_t>(end / task.row_step - 1) * (std::size_t{task.columns} + 1);
}

/// Waits until the band on the left has written a strip's cells of column 0, and copies them.
/// Returns false if the sweep has been stopped.
__device__ __forceinline__ bool take_left(const PairDeviceTask& task, std::uint32_t strip, std::uint32_t first_row,
                                          std::uint32_t rows, const std::uint32_t* stop, int lane) {
    // Reading words in host memory is slow, so a warp reads them only if its strip is one of the
    // next few.
    constexpr std::uint32_t kStripsAhead = 8;
    std::uint32_t ready = 0;
    if (lane == 0) {
        while (load_relaxed(stop) == 0) {
            // The first cell is the last cell of the strip above, which may be written later than
            // this strip's cells.
            if (load_relaxed(task.left_seen) + kStripsAhead > strip &&
                (strip == 0 || load_acquire_system(task.left_ready + strip - 1) != 0)) {
                ready = load_acquire_system(task.left_ready + strip);
            }
            if (ready != 0) break;
            __nanosleep(1000);
        }
        if (ready != 0) {
            atomicMax(task.left_seen, strip + 1);
            if (ready > 1) atomicMax(task.reached, static_cast<std::int32_t>(ready - 1));
        }
    }
    if (__shfl_sync(~0u, ready, 0) == 0) return false;
    __syncwarp();
    // The warp of the strip above writes the same first cell.
    copy_cells(task.left + first_row, task.given_left + first_row, rows + 1, lane);
    __syncwarp();
    return true;
}

/// Copies a strip's cells of the last column checkpoint from device memory to host memory, for the
/// band on the right.
__device__ __forceinline__ void give_right(const PairDeviceTask& task, std::uint32_t strip_rows) {
    const std::uint32_t strip = task.strip;
    int lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));  // not an argument: the caller has no register for it
    const std::uint32_t first_row = strip * strip_rows, rows = min(strip_rows, task.rows - first_row);
    __syncwarp();
    const std::size_t first_cell = std::size_t{task.column_blocks - 1} * (std::size_t{task.rows} + 1);
    copy_cells(task.right + first_row + 1, task.column_checkpoints + first_cell + first_row + 1, rows, lane);
    __threadfence_system();
    __syncwarp();
    if (lane == 0) {
        const std::int32_t reached = task.prune != 0 ? load_relaxed(task.reached) : 0;
        store_release_system(task.right_ready + strip, 1 + static_cast<std::uint32_t>(reached));
    }
}

/// Reports to the host that a strip is done, after the strips above have reported. Returns false if
/// the sweep has been stopped.
__device__ __forceinline__ bool tell_done(const PairDeviceTask& task, const PairKernelArguments& arguments, int lane) {
    bool stopped = false;
    __syncwarp();
    if (lane == 0) {
        while (!stopped && load_acquire(task.done) != task.strip) {
            stopped = load_relaxed(arguments.stop) != 0;
            __nanosleep(200);
        }
        if (!stopped) {
            __threadfence_system();
            store_release(task.done, task.strip + 1);
            *arguments.host_strips = task.strip + 1;
        }
    }
    return __shfl_sync(~0u, stopped, 0) == 0;
}

/// Number of warps per multiprocessor for which the compiler has to leave registers.
template <int R, bool kWide>
inline constexpr int kPairWarps = R == 4 ? 20 : 16;

template <int R, bool kWide, bool kLocal>
__global__ void __launch_bounds__(kWarpLanes* kPairBlockWarps, kPairWarps<R, kWide> / kPairBlockWarps)
    pair_sweep_kernel(const __grid_constant__ PairKernelArguments arguments) {
    using Strip = PairStrip<R, kWide, kLocal>;
    extern __shared__ uint4 shared[];
    const std::uint32_t profile_bytes = arguments.letters * Strip::kRows;
    std::uint8_t* const profile = reinterpret_cast<std::uint8_t*>(shared) +
                                  threadIdx.x / kWarpLanes * ((profile_bytes + sizeof(PairWarpMemory) + 15) / 16 * 16);
    PairWarpMemory& memory = *reinterpret_cast<PairWarpMemory*>(profile + profile_bytes);
    PairDeviceTask& task = memory.task;
    uint2* const exchange = memory.exchange;
    std::uint16_t* const letters = memory.letters;
    const int lane = static_cast<int>(threadIdx.x % kWarpLanes);
    constexpr std::uint32_t kReportChunks = 1024, kStopChunks = 8;

    // The first pass is a warm-up of the instruction cache. Each warp runs 97 columns and drops the
    // results. Without the warm-up each strip would begin late, because it would wait for the first
    // columns of the strip above while that strip waits for instructions.
    for (bool warm_up = arguments.warms_up != 0;; warm_up = false) {
        std::uint32_t ticket = 0;
        if (lane == 0 && !warm_up) ticket = atomicAdd(arguments.ticket, 1);
        ticket = __shfl_sync(~0u, ticket, 0);
        if (ticket >= arguments.unit_count) return;
        const PairUnit unit = warm_up ? PairUnit{arguments.units[0].task, 0} : arguments.units[ticket];
        __syncwarp();  // all lanes are done with the last unit's task and profile
        static_assert(sizeof(PairDeviceTask) % 8 == 0 && sizeof(PairDeviceTask) / 8 <= kWarpLanes);
        if (lane < static_cast<int>(sizeof(PairDeviceTask) / 8)) {
            reinterpret_cast<uint2*>(&task)[lane] = reinterpret_cast<const uint2*>(arguments.tasks + unit.task)[lane];
        }
        __syncwarp();
        if (lane == 0) task.strip = unit.strip;
        __syncwarp();
        const std::uint32_t first_row = unit.strip * Strip::kRows;
        const std::uint32_t rows_here = min(Strip::kRows, task.rows - first_row);
        if (task.given_left != nullptr && !warm_up &&
            !take_left(task, unit.strip, first_row, rows_here, arguments.stop, lane))
            return;
        const bool full = rows_here == Strip::kRows, last = warm_up || unit.strip + 1 == task.strips;
        constexpr std::uint32_t kHalfCount = kWarpLanes * Strip::kHalves;
        const std::uint32_t half_rows = (rows_here + kHalfCount - 1) / kHalfCount;
        constexpr std::uint32_t kWarmUpColumns = 3 * kChunkColumns + 1;
        const std::uint32_t columns = warm_up ? min(task.columns, kWarmUpColumns) : task.columns,
                            column_step = task.column_step, chunks = (columns + kChunkColumns - 1) / kChunkColumns;
        BorderCell* const below = warm_up ? nullptr : row_checkpoint_below(task, unit.strip, Strip::kRows);
        const std::uint32_t tag_bits = arguments.tag_bits, tag_above = PairBorderWord::tag_of(unit.strip - 1, tag_bits),
                            tag = PairBorderWord::tag_of(unit.strip, tag_bits);

        Strip strip{.arguments = arguments,
                    .task = task,
                    .profile = profile + lane * R,
                    .exchange = exchange,
                    .letters = letters,
                    .lane = lane,
                    .first_row = first_row,
                    .half_rows = half_rows,
                    .long_halves = rows_here - kHalfCount * (half_rows - 1),
                    .columns = columns};
        strip.make_profile();
        strip.begin();
        // Writes the corners of checkpoints that begin here.
        if (lane == 0 && below != nullptr) store_cell(below, task.left[first_row + rows_here].h, 0);
        if (unit.strip == 0 && !warm_up) {
            for (std::uint32_t i = lane; i < task.column_blocks; i += kWarpLanes) {
                const std::uint64_t column = min(std::uint64_t{columns}, (std::uint64_t{i} + 1) * task.column_step);
                store_cell(task.column_checkpoints + std::size_t{i} * (std::size_t{task.rows} + 1), task.top[column].h,
                           0);
            }
        }

        const std::uint8_t* const target = task.target;
        unsigned long long* const between = task.between;
        const bool prune = kLocal && task.prune != 0 && !warm_up;
        const auto letter_at = [&](std::uint32_t column) -> std::uint32_t {
            return column < columns ? target[column] : 0;
        };
        const auto keep_letters = [&](std::uint32_t chunk, std::uint32_t code) {
            const std::uint32_t letter = arguments.letter_of[code] * Strip::kRows;
            const std::uint32_t at = (chunk * kChunkColumns + static_cast<std::uint32_t>(lane)) % 128;
            letters[at] = static_cast<std::uint16_t>(letter);
            if (at < kPairLetterRing - 128) letters[at + 128] = static_cast<std::uint16_t>(letter);
        };
        for (int i = lane; i < kPairLetterRing; i += kWarpLanes) letters[i] = 0;
        __syncwarp();
        keep_letters(0, letter_at(static_cast<std::uint32_t>(lane)));
        std::uint32_t next_letter = letter_at(kChunkColumns + static_cast<std::uint32_t>(lane));

        std::uint32_t stop = 0, polls = 0;
        std::int32_t reached = task.known_raw;
        PairBorderWord word{};  // the word from above; in the first strip it has the cell of row 0
        const auto fetch = [&](std::uint32_t at) {
            if (at >= columns) return;
            if (unit.strip > 0) {
                word.load(between + at);
            } else {
                const BorderCell cell = task.top[at + 1];
                word = {static_cast<std::uint32_t>(cell.gap), static_cast<std::uint32_t>(cell.h)};
            }
        };
        fetch(static_cast<std::uint32_t>(lane));
        std::uint32_t next_checkpoint = 0;  // the next column checkpoint that any lane meets
        std::uint32_t reported = 0;         // columns
        const auto warms_up_checkpoints = [&](std::uint32_t chunk) { return warm_up && chunk + 1 == chunks; };
        const auto report = [&](std::uint32_t to) {
            if (lane == 0) {
                const unsigned long long cells = static_cast<unsigned long long>(to - reported) * rows_here;
                *arguments.host_cells = atomicAdd(arguments.cells, cells) + cells;
            }
            reported = to;
        };

        for (std::uint32_t chunk = 0; chunk < chunks + Strip::kSkew; ++chunk) {
            // Waits for the words from above.
            const std::uint32_t column = chunk * kChunkColumns + static_cast<std::uint32_t>(lane);
            while (!__all_sync(~0u, unit.strip == 0 || column >= columns || word.tag(tag_bits) == tag_above)) {
                if (chunk == 0) __nanosleep(400);  // the wait for the first chunk is long
                fetch(column);
                if (++polls % 256 == 0 && __shfl_sync(~0u, load_relaxed(arguments.stop), 0) != 0) return;
            }
            if (chunk % kStopChunks == 1 && __shfl_sync(~0u, stop, 0) != 0) return;
            const std::int32_t fed_h = word.h(),
                               fed_gap = unit.strip == 0 ? static_cast<std::int32_t>(word.low) : word.gap(tag_bits);
            std::int32_t highest = strip.highest_in_registers();
            const bool feeds = column < columns;
            if (feeds) highest = max(highest, fed_h);
            if constexpr (!kWide || kLocal) highest = __reduce_max_sync(~0u, highest);
            if constexpr (!kWide) {
                const std::int32_t top = highest - strip.base;
                if (top < static_cast<std::int32_t>(arguments.range.least_top) ||
                    top > static_cast<std::int32_t>(arguments.range.most_top)) {
                    strip.move_base(highest);
                }
            }
            if constexpr (kWide) {
                exchange[lane] = feeds ? make_uint2(strip.relative(fed_h, 0), strip.relative(fed_gap, 0))
                                       : make_uint2(strip.lowest_h(), strip.lowest_gap());
            } else {
                const std::uint32_t h = feeds ? strip.relative(fed_h, strip.lowest_h()) : strip.lowest_h() & 0xffff;
                const std::uint32_t f =
                    feeds ? strip.relative(fed_gap, strip.lowest_gap()) : strip.lowest_gap() & 0xffff;
                exchange[lane].x = h | f << 16;
            }
            keep_letters(chunk + 1, next_letter);
            __syncwarp();
            const std::uint32_t begin = chunk * kChunkColumns;
            // Columns begin - kSpan + 1 .. begin + 32 are finished in this chunk.
            if (begin >= Strip::kSpan && next_checkpoint < begin - Strip::kSpan + 1) {
                next_checkpoint = (begin - Strip::kSpan + column_step) / column_step * column_step;
            } else if (next_checkpoint == 0) {
                next_checkpoint = column_step;
            }
            const bool has_checkpoint = next_checkpoint <= begin + kChunkColumns && next_checkpoint < columns;
            const bool inside = begin >= Strip::kSpan && begin + kChunkColumns <= columns && !has_checkpoint;
            strip.aim_letters(chunk);
            bool skip = false;
            if constexpr (kLocal) {
                if (inside && prune) {
                    const std::int64_t rows_left = std::int64_t{task.rows - first_row} + task.rows_beyond;
                    const std::int64_t columns_left =
                        std::int64_t{columns - begin} + Strip::kSpan + 1 + task.columns_beyond;
                    skip = highest + arguments.highest * min(rows_left, columns_left) < __shfl_sync(~0u, reached, 0);
                }
            }
            if (skip) {
                strip.skip_chunk();
            } else if (inside) {
                if (full)
                    strip.template fill_chunk<false, false, Strip::kFull, 2>(chunk);
                else
                    strip.fill_partial(chunk);
            } else if (!has_checkpoint && !warms_up_checkpoints(chunk)) {
                if (full)
                    strip.template fill_chunk<true, false, Strip::kFull, 1>(chunk);
                else
                    strip.template fill_chunk<true, false, Strip::kAnyRows, 1>(chunk);
            } else {
                strip.aim_checkpoints(chunk, warm_up);
                if (full)
                    strip.template fill_chunk<true, true, Strip::kFull, 1>(chunk);
                else
                    strip.template fill_chunk<true, true, Strip::kAnyRows, 1>(chunk);
            }
            __syncwarp();

            // Fetches the words from above for the next chunk. These loads are in flight while this
            // chunk's border is written.
            fetch(column + kChunkColumns);
            next_letter = letter_at(column + 2 * kChunkColumns);
            if (chunk % kStopChunks == 0) stop = load_relaxed(arguments.stop);

            // Writes the words for the strip below, for the chunk that lane 31 has passed.
            const std::uint32_t done = column - Strip::kSkew * kChunkColumns;
            if (chunk >= Strip::kSkew && done < columns) {
                const uint2 given = exchange[lane];
                const std::int32_t h = strip.half_raw(given.x, 0);
                // The gap of a checkpoint is at least that of a gap which opens here. F that was
                // opened from G may be lower if H is F or 0.
                const std::int32_t gap =
                    max(kWide ? strip.half_raw(given.y, 0) : strip.half_raw(given.x, 1), h - arguments.first);
                if (!last) PairBorderWord::store(between + done, h, gap, tag, tag_bits);
                if (below != nullptr) store_cell(below + done + 1, h, gap);
            }
            if constexpr (kLocal) {
                strip.keep_best();
                if (prune) {
                    const std::int32_t seen = __reduce_max_sync(~0u, strip.highest_raw);
                    if (lane == 0 && seen > reached) atomicMax(task.reached, seen);
                    reached = max(task.known_raw, load_relaxed(task.reached));
                }
            }
            if (chunk % kReportChunks == kReportChunks - 1) report(min((chunk + 1) * kChunkColumns, columns));
        }
        if (warm_up) continue;
        strip.finish();
        report(columns);
        if (task.right != nullptr) give_right(task, Strip::kRows);
        if (arguments.host_strips == nullptr) continue;
        if (!tell_done(task, arguments, lane)) return;
    }
}

/// Writes the cells of PairLine::beginning(), row 0 or column 0 of a whole matrix.
inline __global__ void pair_line_kernel(BorderCell* cells, std::uint64_t count, std::int32_t open, std::int32_t extend,
                                        std::int32_t first) {
    const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
    for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += threads) {
        const std::int32_t h = i == 0 ? 0 : -open - static_cast<std::int32_t>(i) * extend;
        cells[i] = {h, h - first};
    }
}

}  // namespace warpseq::cuda
