// The cells of a thread of the GPU's Viterbi unihit kernel (viterbi_unihit_kernel_gpu.cuh), and the
// borders between passes.
#pragma once

#include <cstdint>

#include "kernels/profile/viterbi_unihit_task_gpu.cuh"
#include "libcore/sequence/tile.h"

namespace warpseq::cuda {

/// Copies from global to shared memory asynchronously, without going through a register.
__device__ __forceinline__ void copy_border_async(void* shared, const void* global) {
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(global) : "memory");
}

/// The border rows of a group's pair. An entry has the value that leads into M, and D, of one
/// column. A pass reads those of the pass before and overwrites them in place. They are fetched a
/// word ahead into shared memory.
///
/// A team's warps have a pass each at the same time. So each of them tells how far it is:
/// `progress` has, for each warp, kPassWords for each of its finished passes, plus the number of
/// words that it has written in its current pass.
template <int G, int R, bool kPasses>
struct ViterbiUnihitBorders {
    using Numbers = ViterbiUnihitNumbersOf<G, R>;
    static constexpr int C = kViterbiUnihitColumns;
    static constexpr std::uint32_t kPassWords = 0x10000u;
    static_assert(!kPasses || G >= C, "a thread for each border entry of a word");

    bool reads, writes;
    std::uint32_t* progress;
    std::uint32_t warp, warp_before;  // of a team
    uint2* border = nullptr;
    const uint2* feed_border = nullptr;
    uint2* staged[2] = {};
    // The progress that the warp before must have made, and this warp's own progress.
    std::uint32_t wanted_progress, own_progress;

    __device__ __forceinline__ void begin(const ViterbiUnihitArguments& arguments, int warp_of_block, int lane,
                                          std::uint32_t pass, std::uint32_t passes, uint2* staging,
                                          std::uint32_t* team_progress) {
        constexpr std::uint32_t kTeamWarps = Numbers::kTeamWarps;
        reads = kPasses && pass > 0;
        writes = kPasses && pass + 1 < passes;
        progress = team_progress;
        warp = warp_of_block;
        warp_before = (pass - 1) % kTeamWarps;
        if constexpr (kPasses) {
            const int group = lane / G;
            const std::uint64_t chain =
                Numbers::kTeam ? blockIdx.x : std::uint64_t{blockIdx.x} * kViterbiUnihitWarps + warp_of_block;
            border = arguments.borders + chain * arguments.border_words * Numbers::kWordBorder + group * C;
            feed_border = border + lane % G;
            for (int half = 0; half < 2; ++half)
                staged[half] = staging + ((warp_of_block * 2 + half) * Numbers::kGroups + group) * C;
        }
        wanted_progress = Numbers::kTeam && reads ? (pass - 1) / kTeamWarps * kPassWords : 0;
        own_progress = pass / kTeamWarps * kPassWords;
    }

    /// Begins to fetch the entries of the feed's next word. A team's warp waits until the warp
    /// before has written them.
    __device__ __forceinline__ void stage(uint2* to, int lane) {
        if constexpr (Numbers::kTeam) {
            ++wanted_progress;
            if (lane == 0) {
                while (atomicAdd(progress + warp_before, 0) < wanted_progress) __nanosleep(100);
                __threadfence_block();
            }
            __syncwarp();
        }
        if (lane % G < C) copy_border_async(to + lane % G, feed_border);
        feed_border += Numbers::kWordBorder;
    }
    /// Waits until the entries that are being fetched are there, for all threads of the warp.
    static __device__ __forceinline__ void wait() {
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncwarp();
    }
    __device__ __forceinline__ void stage_first(int lane) {
        if (kPasses && reads) {
            stage(staged[0], lane);
            wait();
        }
    }

    /// Ends a step. Thread G - 1 writes what leaves its last row if it is in a unit.
    __device__ __forceinline__ void end_step(bool last_in_unit, const std::uint32_t (&before)[C],
                                             const std::uint32_t (&deleted)[C]) {
        if constexpr (kPasses) {
            if (writes && last_in_unit) {
                auto* const to = reinterpret_cast<uint4*>(border);
#pragma unroll
                for (int c = 0; c < C; c += 2)
                    to[c / 2] = make_uint4(before[c], deleted[c], before[c + 1], deleted[c + 1]);
                border += Numbers::kWordBorder;
                if constexpr (Numbers::kTeam) {
                    __threadfence_block();
                    atomicExch(progress + warp, ++own_progress);
                }
            }
            if (reads) {
                uint2* const read = staged[0];
                staged[0] = staged[1];
                staged[1] = read;
                wait();
            }
        }
    }
};

/// The cells of one thread: R rows of a pair of targets, whose halves are in one register.
template <int G, int R, bool kPasses>
struct ViterbiUnihitCells {
    using Task = ViterbiUnihitTask<G, R>;
    using Tables = ViterbiUnihitTableReader<G, R>;
    using Borders = ViterbiUnihitBorders<G, R, kPasses>;
    using Numbers = ViterbiUnihitNumbersOf<G, R>;
    static constexpr int C = kViterbiUnihitColumns;

    // State of each row: the value that leads into M of the next column, and I of the next column.
    std::uint32_t before[R], insert[R];
    // The values of each column that the last row passes to the next thread: the one that leads
    // into M, and D.
    std::uint32_t bottom_before[C], bottom_delete[C];
    std::uint32_t taken[2];                             // the word of both targets in this step
    std::uint32_t xb = 0;                               // of both targets
    std::uint32_t best = 0, passed_best = 0;            // best M of this thread; of this and those before it
    std::uint32_t exceeding = 0, passed_exceeding = 0;  // steps in this unit since best exceeds kViterbiHarmless

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int r = 0; r < R; ++r) before[r] = insert[r] = 0;
#pragma unroll
        for (int c = 0; c < C; ++c) bottom_before[c] = bottom_delete[c] = 0;
        taken[0] = taken[1] = kPaddingWord;
    }

    /// Enters a unit.
    __device__ __forceinline__ void enter(std::uint32_t unit_xb, const Tables& tables, std::uint32_t least) {
        xb = unit_xb;
        best = exceeding = 0;
        before[0] = xb + *tables.first_enter;
#pragma unroll
        for (int r = 1; r < R; ++r) before[r] = xb + tables.from_match[(r - 1) * G].w;
#pragma unroll
        for (int r = 0; r < R; ++r) insert[r] = least;
    }

    /// Leaves a unit: joins this thread's best M with that of the threads before it.
    __device__ __forceinline__ void pass_on(std::uint32_t handed_best, std::uint32_t handed_exceeding, int t) {
        passed_best = t == 0 ? best : __vmaxu2(best, handed_best);
        passed_exceeding = t == 0 ? exceeding : __vmaxu2(exceeding, handed_exceeding);
    }

    /// Joins what the group passes on with that of the passes before, which is in `kept`.
    __device__ __forceinline__ void join_passes(uint2& kept, bool first_pass) {
        if (!first_pass) {
            passed_best = __vmaxu2(passed_best, kept.x);
            passed_exceeding = __vmaxu2(passed_exceeding, kept.y);
        }
        kept = make_uint2(passed_best, passed_exceeding);
    }

    /// Takes the word from the thread before, or from the feed. Looks for stops in it.
    __device__ __forceinline__ void take_words(const std::uint32_t (&fed)[2], int t) {
        constexpr std::uint32_t kOnes = 0x02108421u, kStops = kCodeStop * kOnes,
                                kFieldTops = kOnes << (kBitsPerResidue - 1);
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            const std::uint32_t handed = __shfl_up_sync(~0u, taken[k], 1, G);
            taken[k] = t == 0 ? fed[k] : handed;
            const std::uint32_t other = taken[k] ^ kStops;  // a field of zeros means a stop
            if (((other - kOnes) & ~other & kFieldTops) != 0) best |= kViterbiUnihitStopSeen << (16 * k);
        }
    }

    /// Gets from the thread before, for each column, the value that leads into M of the first row
    /// (`in`) and its D (`del`). Thread 0 gets them from the border, or from B.
    __device__ __forceinline__ void take_from_above(std::uint32_t (&in)[C], std::uint32_t (&del)[C], const Task& task,
                                                    const Tables& tables, const Borders& borders, int t) const {
        const std::uint32_t top_before = xb + *tables.first_enter;
#pragma unroll
        for (int c = 0; c < C; ++c) {
            const std::uint32_t handed_in = __shfl_up_sync(~0u, bottom_before[c], 1, G);
            const std::uint32_t handed_delete = __shfl_up_sync(~0u, bottom_delete[c], 1, G);
            uint2 top = make_uint2(top_before, task.top_delete);
            if (kPasses && borders.reads) top = borders.staged[0][c];
            in[c] = t == 0 ? top.x : handed_in;
            del[c] = t == 0 ? top.y : handed_delete;
        }
    }

    /// Computes the columns of the step.
    __device__ __forceinline__ void compute(const Task& task, const Tables& tables, const Borders& borders, int t) {
        std::uint32_t in[C], del[C];  // value that leads into M of the row, a column late; D of the row
        take_from_above(in, del, task, tables, borders, t);
        std::uint32_t letter[C][2];  // byte offsets into the scores
#pragma unroll
        for (int c = 0; c < C; ++c) {
#pragma unroll
            for (int k = 0; k < 2; ++k) letter[c][k] = letter_bytes(taken[k], c) | tables.slot_bytes;
        }
#pragma unroll
        for (int load = 0; load < R / 4; ++load) {
            uint2 score[C][2];  // of four rows
#pragma unroll
            for (int c = 0; c < C; ++c) {
#pragma unroll
                for (int k = 0; k < 2; ++k)
                    score[c][k] = *reinterpret_cast<const uint2*>(tables.scores + letter[c][k] +
                                                                  load * (kResidueTableSize << Numbers::kLetterShift));
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) compute_row(load * 4 + i, score, in, del, task, tables);
        }
        exceeding += __viaddmin_u16x2(__vmaxu2(best, task.harmless), task.minus_harmless, 0x10001u);
#pragma unroll
        for (int c = 0; c < C; ++c) bottom_before[c] = in[c], bottom_delete[c] = del[c];
    }

   private:
    /// Returns the offset of the scores of a word's residue, without the slot.
    static __device__ __forceinline__ std::uint32_t letter_bytes(std::uint32_t word, int column) {
        constexpr int kShift = Numbers::kLetterShift;
        const int bits = static_cast<int>(kBitsPerResidue) * column;
        const std::uint32_t moved = bits < kShift ? word << (kShift - bits) : word >> (bits - kShift);
        return moved & (kResidueMask << kShift);
    }

    /// Computes the columns of row r. `in` and `del` become those of the row below.
    __device__ __forceinline__ void compute_row(int r, const uint2 (&score)[C][2], std::uint32_t (&in)[C],
                                                std::uint32_t (&del)[C], const Task& task, const Tables& tables) {
        const uint4 from_match = tables.from_match[r * G];  // to match, delete, insert; enter of the next row
        const uint2 going_on = tables.going_on[r * G];      // delete, insert
        const std::uint32_t begun = xb + from_match.w;
        std::uint32_t kept = insert[r], m[C], out[C];
#pragma unroll
        for (int c = 0; c < C; ++c) {
            const std::uint32_t pair =
                __byte_perm(r % 4 < 2 ? score[c][0].x : score[c][0].y, r % 4 < 2 ? score[c][1].x : score[c][1].y,
                            r % 2 == 0 ? kLowHalves : kHighHalves);
            m[c] = __viaddmin_u16x2(c == 0 ? before[r] : in[c - 1], pair, task.cap);
            out[c] = __vimax3_u16x2(__viaddmax_u16x2(m[c], from_match.x, begun), kept, del[c]);
            del[c] = __viaddmax_u16x2(m[c], from_match.y, del[c] + going_on.x);
            kept = __viaddmax_u16x2(m[c], from_match.z, kept + going_on.y);
        }
        before[r] = in[C - 1];
        insert[r] = kept;
#pragma unroll
        for (int c = 0; c < C; c += 2) best = __vimax3_u16x2(best, m[c], m[c + 1]);
#pragma unroll
        for (int c = 0; c < C; ++c) in[c] = out[c];
    }

    /// Permutations that join the lower, or the upper, halves of two registers.
    static constexpr unsigned kLowHalves = 0x5410, kHighHalves = 0x7632;
};

/// Writes the results of a unit of a team's task. `pass_best` has what each warp has kept of its
/// passes. Does nothing if there is no such unit.
template <int G, int R>
__device__ __forceinline__ void report_team_unit(const ViterbiUnihitTask<G, R>& task, const uint2* pass_best,
                                                 std::uint32_t link, std::uint32_t warps) {
    using Task = ViterbiUnihitTask<G, R>;
    if (!task.has_unit(link)) return;
    std::uint32_t words = Task::Numbers::kLeastWords, best = 0, exceeding = 0;
    for (int k = 0; k < 2; ++k) {
        const auto item = task.item_of(link, k);
        if (item.index != kViterbiUnihitNone) words = max(words, Task::words_of(item));
    }
    for (std::uint32_t w = 0; w < warps; ++w) {
        best = __vmaxu2(best, pass_best[w * kViterbiUnihitMostChain + link].x);
        exceeding = __vmaxu2(exceeding, pass_best[w * kViterbiUnihitMostChain + link].y);
    }
    task.report(link, best, exceeding, words);
}

}  // namespace warpseq::cuda
