// The GPU's Viterbi unihit kernel: the Viterbi filter without J, for pairs of a profile and a
// target.
//
// Recurrence. It is that of kernels/profile/viterbi_filter.h without the way back from E to B
// through J. So the result needs only the best M, and no value runs against the direction of the
// wavefront. J can matter only if two domains, one behind the other, each exceed kViterbiHarmless
// (viterbi_unihit_plan_gpu.h). A second run takes the targets in which some M exceeds it. The run
// begins after the first word with such an M, and finds out whether M exceeds it again. If so, the
// target is left to Viterbi multihit. For each row (node) and column (residue):
//
//     m       = min(before + score, cap)               before = max of the four ways into M, kept
//                                                      from the column before
//     before' = max3(max(m + match_match, xB + enter),
//                    insert, del)                      of the next row, next column
//     del'    = max(m + match_delete,
//                   del + delete_delete)               of the next row, this column
//     insert' = max(m + match_insert,
//                   insert + insert_insert)            of this row, next column
//
// At the first column before = xB + enter, and I is minus infinity. Above the first row before = xB
// + enter, and D is minus infinity.
//
// Numbers. Values are unsigned 16-bit halves, 0..65535, that neither wrap nor saturate. M alone is
// limited, by a cap. viterbi_unihit_plan_gpu.h explains how numbers are stored, why a small number
// can stand for minus infinity, and why no sum leaves the range. The host checks the bounds of each
// profile, and leaves a profile that exceeds them to Viterbi multihit.
//
// Layout. Two targets of a profile share a register, one in each half. They are neighbours in the
// list and of similar length. A group of G threads computes a pair of targets. Each thread has R
// rows, and a step computes C = 6 columns (the residues of a word of a tile). Thread t is a step
// behind thread t - 1. It gets from that thread by shuffle, for its first row, the value that leads
// into M and the value of D. Rows run down a thread's registers.
//
//                    word w - 2    word w - 1    word w
//     thread 0                                   rows 0 .. R - 1      in this step
//     thread 1                     R .. 2R - 1
//     thread 2       2R .. 3R - 1
//
// Scores and transitions come from shared memory (ViterbiUnihitLayout). The transitions of a row
// serve six columns of two targets.
//
// Targets are chained. When thread 0 has fed the last word of a unit (the pairs that a warp
// computes together), it feeds the first word of the next unit. Each thread passes on its best M
// and clears its registers when the border between units passes it.
//
// A padding residue has a stored score of 0, which is the least score. So M = before - lift there.
// This is at most the best M so far: every way into M comes from an M (less lift) or from xB +
// enter, and some M of the first column is at least xB + enter. So padding behind a pair's shorter
// target, and behind a unit's shorter pairs, changes nothing. Stops are searched for in the words
// themselves.
//
// Models with more nodes than a group has rows take several passes over the same chain of targets.
// The values that thread G - 1 passes on are kept in global memory, six entries for each word of a
// pair. Each pass overwrites them in place.
//
// If a group is a whole warp, the warps of a block are a team. They all work on the same chain of
// targets, each on a pass of its own with tables of its own. Each warp waits for the values that
// the pass before it passes on. Teams are for long targets, which would otherwise end long after
// all others.
//
// Ceiling. Two cells take 6.5 operations on the integer pipe, and two additions on another pipe.
// The 6.5 include half of a three-way maximum for the best M, and a permutation that combines the
// scores of both targets. That allows 5.15e12 cells per second on an H200. The kernel reaches 68 %
// of it: 3.46e12 over a batch of models, and 2.31e12 on a model of 50 nodes alone. It waits for the
// integer pipe (docs/lab-notes.md, "Profile HMMs on GPUs").
//
// Source. Eddy, PLoS Comput Biol 7:e1002195 (2011), for the profile's states and the filter in 16
// bits. The division between threads and the reduction to unihit are warpseq's own.
#pragma once

#include <cstdint>

#include "kernels/profile/viterbi_unihit_cells_gpu.cuh"
#include "kernels/profile/viterbi_unihit_task_gpu.cuh"

namespace warpseq::cuda {

template <int R>
inline constexpr int kViterbiUnihitMinBlocks = R <= 16 ? 4 : 3;

template <int G, int R, bool kPasses>
__global__ void __launch_bounds__(kViterbiUnihitBlockThreads, kViterbiUnihitMinBlocks<R>)
    viterbi_unihit_kernel(const __grid_constant__ ViterbiUnihitArguments arguments) {
    static_assert(32 % G == 0 && R % 4 == 0);
    using Numbers = ViterbiUnihitNumbersOf<G, R>;
    constexpr int kGroups = Numbers::kGroups, C = kViterbiUnihitColumns;
    constexpr bool kTeam = Numbers::kTeam;
    constexpr std::uint32_t kTeamWarps = Numbers::kTeamWarps;

    extern __shared__ uint4 shared_tables[];
    __shared__ unsigned shared_task;
    __shared__ uint2 staging[kPasses ? kViterbiUnihitWarps * 2 * kGroups * C : 1];
    // The best M and `exceeding` of each unit over the passes so far.
    __shared__ uint2 pass_best[kPasses ? kViterbiUnihitWarps * kViterbiUnihitMostChain * kGroups : 1];
    __shared__ std::uint32_t progress[kTeamWarps];

    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, t = lane % G, group = lane / G;
    ViterbiUnihitTableReader<G, R> tables(kTeam ? shared_tables + warp * Numbers::kPassEntries : shared_tables, lane);
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) shared_task = atomicAdd(arguments.ticket, 1);
        if (kTeam && threadIdx.x < kTeamWarps) progress[threadIdx.x] = 0;
        __syncthreads();
        const std::uint32_t ticket = shared_task;
        if (ticket >= arguments.ranges[arguments.range_count].tasks_before) return;
        const ViterbiUnihitRange range = arguments.ranges[viterbi_unihit_range_of(arguments, ticket)];
        const ViterbiUnihitTask<G, R> task(arguments, range, ticket, warp, group);
        const std::uint32_t passes = kPasses ? task.model.passes : 1;

        for (std::uint32_t pass = kTeam ? warp : 0; pass < passes; pass += kTeamWarps) {
            tables.load(arguments.tables + task.model.first_entry + pass * Numbers::kPassEntries, pass == 0);
            if (!task.has_unit(0)) continue;
            ViterbiUnihitFeed<G, R> feed;
            feed.begin(task);
            std::uint32_t link = kViterbiUnihitNone;  // the unit this thread is in
            std::uint32_t unit_words = 0;             // words of this unit
            std::uint32_t left = t;                   // steps until this thread leaves it
            ViterbiUnihitCells<G, R, kPasses> cells;
            cells.clear();
            ViterbiUnihitBorders<G, R, kPasses> borders;
            borders.begin(arguments, warp, lane, pass, passes, staging, progress);
            borders.stage_first(lane);
            feed.load_first_word(task);

#pragma unroll 1
            do {
                feed.advance(task);
                if (kPasses && borders.reads && feed.drained == 0) borders.stage(borders.staged[1], lane);

                const std::uint32_t handed_best = __shfl_up_sync(~0u, cells.passed_best, 1, G);
                const std::uint32_t handed_exceeding = __shfl_up_sync(~0u, cells.passed_exceeding, 1, G);
                if (left == 0) {  // this thread's first step in its next unit
                    cells.pass_on(handed_best, handed_exceeding, t);
                    if (t == G - 1 && link != kViterbiUnihitNone) {
                        if constexpr (kPasses)
                            cells.join_passes(pass_best[(warp * kViterbiUnihitMostChain + link) * kGroups + group],
                                              pass < kTeamWarps);
                        if (!kTeam && !borders.writes)
                            task.report(link, cells.passed_best, cells.passed_exceeding, unit_words);
                    }
                    link = feed.next_link;
                    left = unit_words = feed.next_words;
                    cells.enter(feed.next_xb, tables, task.least);
                }
                --left;
                cells.take_words(feed.word, t);
                cells.compute(task, tables, borders, t);
                borders.end_step(t == G - 1 && link != kViterbiUnihitNone, cells.bottom_before, cells.bottom_delete);
            } while (feed.end_step(task));
        }
        if constexpr (kTeam) {
            __syncthreads();
            report_team_unit(task, pass_best, threadIdx.x, min(passes, kTeamWarps));
        }
    }
}

}  // namespace warpseq::cuda
