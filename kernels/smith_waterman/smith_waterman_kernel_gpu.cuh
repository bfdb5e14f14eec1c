// The GPU's Smith-Waterman kernel.
//
// Recurrence. It is that of kernels/smith_waterman/smith_waterman.h (Gotoh), with E and F clamped
// at 0, which changes no H. For query row i and target column j, with first = open + extend:
//
//     H(i,j)   = max( 0,  H(i-1,j-1) + score(i, j),  E(i,j),  F(i,j) )
//     E(i,j+1) = max( 0,  E(i,j) - extend,  H(i,j) - first )
//     F(i+1,j) = max( 0,  F(i,j) - extend,  H(i,j) - first )
//
// H, E and F are 0 at the borders of the matrix. The result is the greatest H.
//
// Numbers. A 32-bit register holds two cells as 16-bit integers 0..2047. Each is also the bit
// pattern of a half-precision number, n * 2^-24. Below 2,048 these are exact, ordered like the
// integers, and add exactly. So plain additions (diagonal + score, H - first) run as HADD2 on the
// FMA pipe. Maxima and the clamp at 0 run as VIMNMX3 and VIADDMNMX with .RELU on the integer pipe.
// Negative numbers are in sign and magnitude. Taken as integers they are far below 0, so the clamp
// removes them. A score of 2,048 or more leaves a bit pattern of at least 2,048 in the maximum,
// since half-precision sums are monotonic. So saturation is noticed (kSaturatedScore), and the
// caller computes the score again in wider numbers.
//
// Layout. A group has G threads with R rows each, and takes C columns (target residues) a step.
// Thread t is a step behind thread t - 1, which hands it the H and F below its last row by shuffle.
// Rows run down a thread's registers. Within a step the C columns of a row follow each other, so C
// chains of F are in flight.
//
//                 columns j - 2C ..   j - C ..     j .. j + C - 1
//     thread 0                                     rows 0 .. R - 1      in this step
//     thread 1                        R .. 2R - 1
//     thread 2    2R .. 3R - 1
//
// Scores come from shared memory (SmithWatermanLayout). For each letter a thread makes R / 4 loads
// of 16 bytes (kTwoQueries) or R / 8 (kTwoTargets). The threads of a quarter warp always read
// different banks, for any letters, because the entries of thread t stand at places t modulo 8.
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
// Ceiling. Two cells take 3.5 integer-pipe instructions: one for H, two for E and F, and half of a
// three-way maximum for the best H. That allows 9.56e12 cells per second on an H200. A batch of
// queries reaches 69 % of it, 6.57e12, and one query alone 58 %. The integer pipe is exhausted in
// bursts, and between them twelve warps of 165 registers do not cover the latency
// (docs/lab-notes.md, "Smith-Waterman on GPUs").
//
// Sources. Gotoh, J Mol Biol 162:705 (1982). The wavefront within a warp, and cells as pairs of
// half-precision numbers, are also in CUDASW++4.0: Schmidt and others, BMC Bioinformatics 25:342
// (2024). Integer maxima on the bit patterns, chained targets and strung segments are warpseq's
// own.
#pragma once

#include <cstdint>

#include "kernels/smith_waterman/smith_waterman_cells_gpu.cuh"
#include "kernels/smith_waterman/smith_waterman_units_gpu.cuh"

namespace warpseq::cuda {

/// Number of blocks per multiprocessor for which the compiler has to leave registers. The numbers
/// were measured (docs/lab-notes.md).
template <Pairing kPairing, int R, bool kBorders>
inline constexpr int kMinBlocks = R <= 16                                                        ? 5
                                  : kPairing == Pairing::kTwoQueries&& R <= (kBorders ? 24 : 32) ? 4
                                                                                                 : 3;

template <Pairing kPairing, int G, int R, bool kLinear, bool kBorders>
__global__ void __launch_bounds__(kSmithWatermanBlockThreads, kMinBlocks<kPairing, R, kBorders>)
    smith_waterman_kernel(const __grid_constant__ KernelArguments arguments) {
    static_assert(32 % G == 0 && R % 8 == 0);
    static_assert(!kBorders || G >= kSmithWatermanWordColumns, "a thread for each border entry of a word");
    using Numbers = SmithWatermanNumbers<kPairing, G, R, kLinear>;
    extern __shared__ uint4 profile[];
    __shared__ SegmentArguments segments[G];
    __shared__ unsigned block_number;
    unsigned pass = 0;
    if constexpr (kBorders) {
        if (threadIdx.x == 0) block_number = atomicAdd(arguments.block_ticket, 1);
        __syncthreads();
        pass = block_number / arguments.blocks_per_pass;
    }
    for (int i = threadIdx.x; i < Numbers::kProfileEntries; i += kSmithWatermanBlockThreads)
        profile[i] = arguments.profiles[pass * Numbers::kProfileEntries + i];
    if (threadIdx.x < G) segments[threadIdx.x] = arguments.segments[pass * kMostGroupThreads + threadIdx.x];
    __syncthreads();

    const int lane = threadIdx.x % 32, t = lane % G, group = lane / G;
    const SmithWatermanUnits<Numbers> units(arguments, pass, lane, group);
    const std::uint32_t first_unit = units.take();
    if (first_unit >= units.count) return;
    SmithWatermanFeed<Numbers> feed;
    feed.begin(units, first_unit);
    std::uint32_t unit = ~0u / Numbers::kUnitTargets;  // the unit this thread is in; none so far
    std::uint32_t left = t;                            // steps until this thread leaves it
    SmithWatermanCells<Numbers, G, R, kBorders> cells(profile + lane % Numbers::kSlots, segments[t].keep);
    SmithWatermanBorders<Numbers, kBorders> borders;
    borders.begin(units, feed, profile);
    borders.stage_first(units, feed, t);
    feed.load_first_word();

    do {
        feed.advance(units, borders);
        borders.stage_next(units, feed, t);
#pragma unroll 1
        for (int step = 0; step < static_cast<int>(Numbers::kStepsPerWord); ++step) {
            const std::uint32_t handed_best = __shfl_up_sync(~0u, cells.passed_best, 1, G);
            if (left == 0) {  // this thread's first step in its next unit
                cells.pass_on(handed_best, t);
                units.template report<kBorders>(unit, segments[t], cells.passed_best);
                borders.left_unit = unit;
                unit = feed.next_unit;
                left = feed.next_words * Numbers::kStepsPerWord;
                cells.enter();
                borders.enter_unit(units, unit);
            }
            --left;
            cells.step(feed.word, arguments, borders, step, t);
            borders.write(t == G - 1, cells.bottom_H, cells.bottom_F);
        }
        feed.take_next_word();
        borders.end_word(units, feed, unit, left);
    } while (feed.template end_word<G>(units));
}

}  // namespace warpseq::cuda
