// The GPU's Smith-Waterman kernel. The recurrence is that of
// kernels/smith_waterman/smith_waterman.h. This comment describes how the kernel lays out cells,
// threads and targets.
//
// Cells. A 32-bit register holds two cells as 16-bit integers 0..2047. Each is also the bit pattern
// of a half-precision number, n * 2^-24. Below 2,048 these are exact, ordered like the integers,
// and add exactly. So plain additions (diagonal + score, H - open) run as HADD2 on the FMA pipe.
// Maxima and the clamp at 0 run as VIMNMX3 and VIADDMNMX with .RELU on the integer pipe. Two cells
// take 3.5 integer-pipe instructions. Negative numbers are in sign and magnitude. Taken as integers
// they are far below 0, so the clamp removes them. Clamping E and F at 0 changes no H. A score of
// 2,048 or more leaves a bit pattern of at least 2,048 in the maximum, since half-precision sums
// are monotonic. So saturation is noticed, and the caller computes the score again in wider
// numbers.
//
// Groups. A group has G threads with R rows each, and takes C columns (target residues) a step.
// Thread t is a step behind thread t - 1, which hands it the H and F below its last row by shuffle.
// Rows run down a thread's registers. Within a step the C columns of a row follow each other, so C
// chains of F are in flight.
//
// Targets are chained. When thread 0 has fed the last word of one unit (a warp's targets), it feeds
// the first of the next. Each thread flushes its maximum and clears its registers when the border
// between units passes it. No step is lost to filling or draining.
//
// Passes follow each other within one launch. A block serves one pass. Blocks take numbers in the
// order in which they start, and passes in the order of these numbers. So a block waits only for
// blocks that run already. In each pass a warp reads a unit's border row, which the pass before has
// written, and overwrites it. It may begin a unit while the pass before is still in it: the pass
// before tells how far it is. The passes of a very long target thus follow each other at a distance
// of some hundred columns, as a wavefront, instead of one after the other.
//
// Scores come from shared memory. For each letter a thread makes R / 4 loads of 16 bytes
// (kTwoQueries) or R / 8 (kTwoTargets). The threads of a quarter warp always read different banks,
// for any letters, because the entries of thread t stand at places t modulo 8.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/gpu/device_targets.cuh"
#include "kernels/gpu/half_pairs.cuh"
#include "kernels/smith_waterman/smith_waterman_plan_gpu.h"
#include "libcore/sequence/tile.h"

namespace warpseq::cuda {

struct SegmentArguments {
    std::int32_t query[2];  // that reports here, by half; -1: nothing to report
    std::uint32_t keep;     // halves (0xffff each) whose segment continues the one before it
};

/// How far the passes are. A kernel with border rows has it in device memory, all zero at the
/// start. The units [0, fine_units) are the longest ones.
struct PassProgress {
    unsigned* passes_done;  // by unit; read and written for units that are not fine
    unsigned* words_left;   // [pass * fine_units + unit], plus 1; 0 before the pass tells for the first time
    std::uint32_t fine_units;
    std::uint32_t publish_words;  // how often a pass tells, a power of two; not 0
};

struct KernelArguments {
    const std::uint32_t* words;
    const DeviceTile* tiles;  // tile_count of them, followed by a spare whose border entries are not read
    std::uint32_t tile_count;
    const uint4* profiles;             // of all passes, one behind the other
    const SegmentArguments* segments;  // [pass * kMostGroupThreads + thread]
    std::uint32_t blocks_per_pass;
    std::uint32_t gap_first;   // as negative half-precision bit patterns, twice
    std::uint32_t gap_extend;  // negated, as 16-bit integers, twice
    uint2* borders;            // H and F below the last row, an entry per column; each pass overwrites them
    unsigned* block_ticket;    // zero at the start; without border rows it is not used
    unsigned* unit_tickets;    // by pass; zero at the start
    PassProgress progress;     // only with border rows
    std::uint16_t* scores;     // [query * lane_count + lane], zero at the start
    std::uint64_t lane_count;
};

__device__ __forceinline__ unsigned load_acquire(const unsigned* from) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}
__device__ __forceinline__ void store_release(unsigned* to, unsigned value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

/// Raises a score to `value` if it is lower. Other threads may raise it at the same time.
__device__ __forceinline__ void raise(std::uint16_t* score, std::uint16_t value) {
    auto* const at = reinterpret_cast<unsigned short*>(score);
    unsigned short seen = *at;
    while (seen < value) {
        const unsigned short before = atomicCAS(at, seen, static_cast<unsigned short>(value));
        if (before == seen) return;
        seen = before;
    }
}

/// Adds {score of target 0, score of target 1} to `sum` for one of two rows. Each of the other
/// arguments holds the scores of one target in both rows. The operand's half selects the row, and a
/// factor of {1, 0} or {0, 1} selects the target. So no permutation is needed on the integer pipe.
template <bool kHighRow>
__device__ __forceinline__ std::uint32_t add_two_targets(std::uint32_t sum, std::uint32_t scores0,
                                                         std::uint32_t scores1) {
    const __half2 both[2] = {*reinterpret_cast<__half2*>(&scores0), *reinterpret_cast<__half2*>(&scores1)};
    const __half2 first = kHighRow ? __high2half2(both[0]) : __low2half2(both[0]);
    const __half2 second = kHighRow ? __high2half2(both[1]) : __low2half2(both[1]);
    const __half2 with_first = __hfma2(first, __floats2half2_rn(1.f, 0.f), *reinterpret_cast<__half2*>(&sum));
    const __half2 with_both = __hfma2(second, __floats2half2_rn(0.f, 1.f), with_first);
    return *reinterpret_cast<const std::uint32_t*>(&with_both);
}

/// Copies 8 bytes from global to shared memory asynchronously, without going through a register.
__device__ __forceinline__ void copy_8_bytes_async(void* shared, const void* global) {
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(global) : "memory");
}

/// Waits until this thread's copies have arrived and the other threads of the warp see them.
__device__ __forceinline__ void wait_for_async_copies() {
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
}

inline constexpr int kBlockThreads = 128;
inline constexpr int kWordColumns = static_cast<int>(kResiduesPerWord);

/// Returns the bytes of shared memory, behind the profile, in which a block stages border rows. For
/// each group they hold the columns of two words.
constexpr std::size_t staging_bytes(int group_threads) {
    return std::size_t{kBlockThreads} / static_cast<std::size_t>(group_threads) * 2 * kWordColumns * sizeof(uint2);
}

/// Number of blocks per multiprocessor for which the compiler has to leave registers. The numbers
/// were measured (docs/lab-notes.md).
template <Pairing kPairing, int R, bool kBorders>
inline constexpr int kMinBlocks = R <= 16                                                        ? 5
                                  : kPairing == Pairing::kTwoQueries&& R <= (kBorders ? 24 : 32) ? 4
                                                                                                 : 3;

template <Pairing kPairing, int G, int R, int C, bool kLinear, bool kBorders>
__global__ void __launch_bounds__(kBlockThreads, kMinBlocks<kPairing, R, kBorders>)
    smith_waterman_kernel(const __grid_constant__ KernelArguments arguments) {
    static_assert(6 % C == 0 && 32 % G == 0 && R % 8 == 0);
    static_assert(!kBorders || G >= kWordColumns, "a thread for each border entry of a word");
    extern __shared__ uint4 profile[];
    constexpr bool kTwoQueries = kPairing == Pairing::kTwoQueries;
    constexpr int kSlots = G < 8 ? 8 : G;  // threads with a place of their own in a 128-byte line
    constexpr int kRowsPerLoad = kTwoQueries ? 4 : 8;
    constexpr int kLetterStride = kSlots * (R / kRowsPerLoad);  // uint4 a letter
    constexpr int kTargets = kTwoQueries ? 1 : 2;               // of a thread
    constexpr int kGroups = 32 / G;
    constexpr int kUnitTargets = kTargets * kGroups;                              // of a warp
    constexpr int kBorderPitch = (kLinear ? kGroups * kTargets : 32) / kTargets;  // border entries a column
    constexpr std::uint32_t kStepsPerWord = 6 / C;
    constexpr std::uint32_t kTileLanesHere = kLinear ? 1 : kTileLanes;
    // A unit has at least this many words (the rest is padding), so that no more than two units are
    // in a group at a time.
    constexpr std::uint32_t kLeastWords = (G * C + 5) / 6 + 1;
    constexpr std::uint32_t kNever = 0x10000000u;

    __shared__ SegmentArguments segments[G];
    __shared__ unsigned block_number;
    unsigned pass = 0;
    if constexpr (kBorders) {
        if (threadIdx.x == 0) block_number = atomicAdd(arguments.block_ticket, 1);
        __syncthreads();
        pass = block_number / arguments.blocks_per_pass;
    }
    for (int i = threadIdx.x; i < kResidueTableSize * kLetterStride; i += kBlockThreads)
        profile[i] = arguments.profiles[pass * (kResidueTableSize * kLetterStride) + i];
    if (threadIdx.x < G) segments[threadIdx.x] = arguments.segments[pass * kMostGroupThreads + threadIdx.x];
    __syncthreads();

    const int lane = threadIdx.x % 32, t = lane % G, group = lane / G;
    const uint4* const thread_profile = profile + lane % kSlots;
    const std::uint32_t keep = segments[t].keep;
    const std::uint32_t targets = arguments.tile_count * kTileLanesHere;
    const std::uint32_t units = (targets + kUnitTargets - 1) / kUnitTargets;

    const auto take_unit = [&] {
        unsigned unit = 0;
        if (lane == 0) unit = atomicAdd(arguments.unit_tickets + pass, 1);
        return __shfl_sync(~0u, unit, 0);
    };
    // The words of the unit's longest target are the same for the whole warp. Tiles come longest
    // first.
    const auto unit_words = [&](std::uint32_t unit) {
        const std::uint32_t first = unit * kUnitTargets / kTileLanesHere;
        return max(arguments.tiles[first].word_rows, kLeastWords);
    };
    const auto target_of = [&](std::uint32_t unit, int which) { return unit * kUnitTargets + group + which * kGroups; };
    const auto border_of = [&](std::uint32_t unit) {
        const std::uint32_t target = unit * kUnitTargets;
        const std::uint32_t tile = min(target / kTileLanesHere, arguments.tile_count);
        return arguments.borders + arguments.tiles[tile].first_border + (target % kTileLanesHere) / kTargets + group;
    };

    // The feed is the source of the next words. Only thread 0 of a group uses its words, but all
    // threads load the same ones.
    const std::uint32_t* source[kTargets];
    std::uint32_t source_words[kTargets];
    const auto aim = [&](std::uint32_t unit) {
#pragma unroll
        for (int k = 0; k < kTargets; ++k) {
            const std::uint32_t target = target_of(unit, k), tile = target / kTileLanesHere;
            source_words[k] = 0;
            source[k] = arguments.words;
            if (tile < arguments.tile_count) {
                source_words[k] = arguments.tiles[tile].word_rows;
                source[k] += arguments.tiles[tile].first_word + target % kTileLanesHere;
            }
        }
    };

    std::uint32_t next_unit = take_unit();  // entered when `left` is 0
    if (next_unit >= units) return;
    std::uint32_t next_words = unit_words(next_unit);
    std::uint32_t fed_unit = next_unit, fed_words = next_words, fed = 0;
    std::uint32_t unit = ~0u / kUnitTargets;  // the unit this thread is in; none so far
    std::uint32_t left = t;                   // steps until this thread leaves it
    std::uint32_t drained = 0;                // words of padding after the last unit, plus 1
    aim(fed_unit);

    std::uint32_t H[R], E[R], bottom_H[C], bottom_F[C], letter[C];
#pragma unroll
    for (int r = 0; r < R; ++r) H[r] = E[r] = 0;
#pragma unroll
    for (int c = 0; c < C; ++c) {
        bottom_H[c] = bottom_F[c] = 0;
        letter[c] = kPaddingCode * kLetterStride * (kTwoQueries ? 1u : 0x10001u);
    }
    std::uint32_t best = 0, passed_best = 0;
    std::uint32_t corner = 0;  // H above the first row in the column before the step

    // Border rows. Thread G - 1 writes where `border` points, a column at a time. What lies above
    // thread 0's first row is fetched a word ahead into shared memory by asynchronous copies.
    // Ordinary loads would share a scoreboard with the score loads, and each step would wait for
    // device memory.
    uint2* border = nullptr;
    const uint2* feed_border = nullptr;
    uint2* staged[2];
    if constexpr (kBorders) {
        border = border_of(units);
        feed_border = border_of(fed_unit);
        uint2* const staging = reinterpret_cast<uint2*>(profile + kResidueTableSize * kLetterStride);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            staged[half] = staging + ((threadIdx.x / 32 * 2 + half) * kGroups + group) * kWordColumns;
        }
    }
    // Border rows are read only where the pass before has written them. In the first pass no
    // segment continues, and behind the last unit no score is reported. So the content of `staged`
    // has no effect in these two cases.
    bool stages = pass > 0;
    std::uint32_t words_written = 0;  // of the feed's unit, by the pass before, as far as known
    const auto wait_for_pass_before = [&] {
        const PassProgress& progress = arguments.progress;
        while (words_written <= fed) {
            if (fed_unit < progress.fine_units) {
                const unsigned left_and_1 =
                    load_acquire(progress.words_left + std::size_t{pass - 1} * progress.fine_units + fed_unit);
                if (left_and_1 > 0) words_written = fed_words + 1 - left_and_1;
            } else if (load_acquire(progress.passes_done + fed_unit) >= pass) {
                words_written = kNever;
            }
            if (words_written <= fed) __nanosleep(200);
        }
    };
    const auto stage_borders = [&](uint2* to) {
        if (stages) {
            wait_for_pass_before();
            if (t < kWordColumns) copy_8_bytes_async(to + t, feed_border + t * kBorderPitch);
        }
        feed_border += kWordColumns * kBorderPitch;
    };
    // Tells the next pass that thread G - 1 has left a unit or is in the middle of one.
    std::uint32_t left_unit = ~0u;  // the unit that this thread has left in this word
    const auto publish = [&](std::uint32_t of_unit, std::uint32_t words_left) {
        const PassProgress& progress = arguments.progress;
        if (of_unit < progress.fine_units) {
            store_release(progress.words_left + std::size_t{pass} * progress.fine_units + of_unit, words_left + 1);
        } else if (words_left == 0) {
            store_release(progress.passes_done + of_unit, pass + 1);
        }
    };
    if constexpr (kBorders) {
        stage_borders(staged[0]);
        wait_for_async_copies();
    }

    std::uint32_t word[kTargets], next_word[kTargets];
#pragma unroll
    for (int k = 0; k < kTargets; ++k) word[k] = source_words[k] > 0 ? *source[k] : kPaddingWord;

    for (;;) {
        ++fed;
        if (fed == fed_words) {
            fed_unit = next_unit;
            fed = 0;
            if constexpr (kBorders) {
                feed_border = border_of(min(fed_unit, units));
                words_written = 0;
            }
            if (fed_unit < units) {
                aim(fed_unit);
                fed_words = next_words;
            } else {
                drained = 1;
                fed_words = kNever;
                stages = false;
#pragma unroll
                for (int k = 0; k < kTargets; ++k) source_words[k] = 0;
            }
        } else {
#pragma unroll
            for (int k = 0; k < kTargets; ++k) source[k] += kTileLanesHere;
        }
#pragma unroll
        for (int k = 0; k < kTargets; ++k) next_word[k] = fed < source_words[k] ? *source[k] : kPaddingWord;
        if constexpr (kBorders) stage_borders(staged[1]);

#pragma unroll 1
        for (int step = 0; step < static_cast<int>(kStepsPerWord); ++step) {
            const std::uint32_t handed_best = __shfl_up_sync(~0u, passed_best, 1, G);
            if (left == 0) {  // this thread's first step in its next unit
                passed_best = __vmaxs2(best, handed_best & keep & (t == 0 ? 0u : ~0u));
#pragma unroll
                for (int k = 0; k < 2; ++k) {
                    const std::int32_t query = segments[t].query[kTwoQueries ? k : 0];
                    const std::uint32_t target = target_of(unit, kTwoQueries ? 0 : k);
                    const std::uint32_t tile = target / kTileLanesHere, in_tile = target % kTileLanesHere;
                    if (query >= 0 && tile < arguments.tile_count && in_tile < arguments.tiles[tile].lanes) {
                        std::uint16_t* const score = arguments.scores +
                                                     static_cast<std::uint64_t>(query) * arguments.lane_count +
                                                     arguments.tiles[tile].first_lane + in_tile;
                        const auto value = static_cast<std::uint16_t>(passed_best >> (16 * k));
                        // Other passes may report the same query.
                        if constexpr (kBorders) {
                            raise(score, value);
                        } else {
                            *score = value;
                        }
                    }
                }
                left_unit = unit;
                unit = next_unit;
                left = next_words * kStepsPerWord;
                best = corner = 0;
#pragma unroll
                for (int r = 0; r < R; ++r) H[r] = E[r] = 0;
                if constexpr (kBorders) border = border_of(min(unit, units));
            }
            --left;

            std::uint32_t above[C], F[C];
#pragma unroll
            for (int c = 0; c < C; ++c) {
                const auto letter_at = [&](int k) {
                    return (word[k] >> (kBitsPerResidue * c) & kResidueMask) * kLetterStride;
                };
                const std::uint32_t own = kTwoQueries ? letter_at(0) : letter_at(0) | letter_at(kTargets - 1) << 16;
                const std::uint32_t handed = __shfl_up_sync(~0u, letter[c], 1, G);
                above[c] = __shfl_up_sync(~0u, bottom_H[c], 1, G);
                F[c] = __shfl_up_sync(~0u, bottom_F[c], 1, G);
                letter[c] = t == 0 ? own : handed;
                if constexpr (kBorders) {
                    const uint2 top = staged[0][step * C + c];
                    above[c] = t == 0 ? top.x : above[c];
                    F[c] = t == 0 ? top.y : F[c];
                }
                above[c] &= keep;
                F[c] &= keep;
            }
#pragma unroll
            for (int k = 0; k < kTargets; ++k) word[k] >>= kBitsPerResidue * C;

            // A load of 16 bytes holds four rows of a pair of queries, or eight rows of one query
            // for one target.
            uint4 score[2][C][kTargets];  // of these rows and of the next
            const auto load_scores = [&](int load, uint4(&to)[C][kTargets]) {
#pragma unroll
                for (int c = 0; c < C; ++c) {
                    to[c][0] = thread_profile[(kTwoQueries ? letter[c] : letter[c] & 0xffff) + load * kSlots];
                    if (!kTwoQueries) to[c][kTargets - 1] = thread_profile[(letter[c] >> 16) + load * kSlots];
                }
            };
            const auto word_of = [](const uint4& v, int i) { return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w; };
            const auto add_score = [&](std::uint32_t sum, const uint4(&from)[kTargets], int k) {
                if constexpr (kTwoQueries) {
                    return half_add(sum, word_of(from[0], k));
                } else {
                    const std::uint32_t scores0 = word_of(from[0], k / 2), scores1 = word_of(from[kTargets - 1], k / 2);
                    return k % 2 == 0 ? add_two_targets<false>(sum, scores0, scores1)
                                      : add_two_targets<true>(sum, scores0, scores1);
                }
            };
            load_scores(0, score[0]);

            std::uint32_t diagonal[C];
#pragma unroll
            for (int c = 1; c < C; ++c) diagonal[c] = above[c - 1];
            // The first column's diagonal sum is formed a row ahead, before H of the row above is
            // overwritten.
            std::uint32_t first_sum = add_score(corner, score[0][0], 0);
            corner = above[C - 1];
            std::uint32_t odd = 0;
#pragma unroll
            for (int r = 0; r < R; ++r) {
                const int k = r % kRowsPerLoad, now = r / kRowsPerLoad % 2;
                if (k == 0 && r + kRowsPerLoad < R) load_scores(r / kRowsPerLoad + 1, score[1 - now]);
                std::uint32_t next_sum = 0;
                if (r + 1 < R) {
                    next_sum = k + 1 < kRowsPerLoad ? add_score(H[r], score[now][0], k + 1)
                                                    : add_score(H[r], score[1 - now][0], 0);
                }
                std::uint32_t e = E[r], h[C];
#pragma unroll
                for (int c = 0; c < C; ++c) {
                    const std::uint32_t sum = c == 0 ? first_sum : add_score(diagonal[c], score[now][c], k);
                    h[c] = __vimax3_s16x2_relu(sum, e, F[c]);
                    const std::uint32_t open = half_add(h[c], arguments.gap_first);
                    e = __viaddmax_s16x2_relu(e, arguments.gap_extend, open);
                    F[c] = __viaddmax_s16x2_relu(F[c], arguments.gap_extend, open);
                }
                first_sum = next_sum;
#pragma unroll
                for (int c = 1; c < C; ++c) diagonal[c] = h[c - 1];
                E[r] = e;
                H[r] = h[C - 1];
                // Three-way maxima take two cells each; an odd column waits for the next row.
#pragma unroll
                for (int c = 0; c + 1 < C; c += 2) best = __vimax3_s16x2(best, h[c], h[c + 1]);
                if (C % 2 == 1) {
                    if (r % 2 == 0)
                        odd = h[C - 1];
                    else
                        best = __vimax3_s16x2(best, odd, h[C - 1]);
                }
                if (r == R - 1) {
#pragma unroll
                    for (int c = 0; c < C; ++c) bottom_H[c] = h[c], bottom_F[c] = F[c];
                }
            }
            if constexpr (kBorders) {
                if (t == G - 1) {
#pragma unroll
                    for (int c = 0; c < C; ++c) border[c * kBorderPitch] = make_uint2(bottom_H[c], bottom_F[c]);
                }
                border += C * kBorderPitch;
            }
        }
#pragma unroll
        for (int k = 0; k < kTargets; ++k) word[k] = next_word[k];
        if constexpr (kBorders) {
            uint2* const read = staged[0];
            staged[0] = staged[1];
            staged[1] = read;
            wait_for_async_copies();
            if (lane == 31) {
                if (left_unit < units) {
                    publish(left_unit, 0);
                    left_unit = ~0u;
                } else if (fed > 0 && (fed & (arguments.progress.publish_words - 1)) == 0 &&
                           unit < arguments.progress.fine_units) {
                    publish(unit, (left + kStepsPerWord - 1) / kStepsPerWord);
                }
            }
        }
        if (drained > 0) {
            if ((drained - 1) * kStepsPerWord >= G) return;
            ++drained;
        } else if (fed + 1 == fed_words && fed_unit == next_unit) {
            // Every thread has entered this unit by now, so the warp takes the one after it.
            next_unit = take_unit();
            next_words = next_unit < units ? unit_words(next_unit) : kNever;
        }
    }
}

}  // namespace warpseq::cuda
