// The GPU's SSV kernel. It computes the best ungapped diagonal of profiles against every target of
// a chunk (kernels/profile/msv_filter.h).
//
// The recurrence, counted from begin, is V(i,k) = max(0, V(i-1,k-1) + score(x_i, k)). The result is
// its maximum over all cells. Two rows of the model share a 32-bit register as 16-bit integers.
// These are also bit patterns of half-precision numbers n * 2^-24 (smith_waterman_kernel_gpu.cuh
// explains why that is exact below 2,048). The sum and the clamp at 0 are one HFMA2.RELU on the FMA
// pipe, and the maximum is half a VIMNMX3 on the integer pipe. A score above 255 - bias is an
// overflow for the filter, and 2,048 is far above that. Sums beyond 2,048 stay beyond it, because
// half-precision sums are monotonic.
//
// A group of G threads computes one target. Thread t holds rows t R .. t R + R - 1 of both halves
// (ssv_plan_gpu.h). A row needs only the row above it in the column before, so threads are not
// skewed: all take the same residue at the same time. The row above a thread's first comes by
// shuffle from its neighbour. The row above thread 0's high half comes from the last thread's low
// half. Rows are updated from high to low, in place.
//
// If a profile continues in the next pass, the value of the last thread's last high row is kept for
// each residue. It is saturated at 255 and takes a byte of a border entry. There is one entry for
// each word of the target. Passes alternate between two arrays of entries. The reason is that a
// piece of a target also reads the entries of the words before it (ssv_plan_gpu.h). In a single
// array, another group might already have overwritten them.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/gpu/half_pairs.cuh"
#include "kernels/gpu/target_pieces.h"
#include "kernels/profile/ssv_plan_gpu.h"
#include "libcore/sequence/tile.h"

namespace warpseq::cuda {

struct SsvArguments {
    const std::uint32_t* words;
    const TargetPiece* pieces;  // the pieces of linear tiles, then those of interleaved tiles
    std::uint32_t linear_pieces, interleaved_pieces;
    const uint4* profile;  // of this pass
    // Border entries, one for each word of the chunk, at the index of the word. An entry has six
    // bytes, and the first residue's byte is the lowest.
    const std::uint64_t* borders_before;         // nullptr: no profile continues from the pass before
    std::uint64_t* borders_after;                // nullptr: no profile continues in the next pass
    unsigned* ticket;                            // zero at the start
    std::uint64_t lane_count;                    // of the chunk
    std::uint32_t* results;                      // [profile * lane_count + lane]: the maximum so far; zero at the start
    std::int32_t profiles[2 * kMostSsvThreads];  // profiles of the segments; -1: none
    /// For each thread, the permutation that makes the row above its first row in both halves. It
    /// selects from the value of the thread before (bytes 0 to 3) and from the value that enters
    /// from the pass before (bytes 4 to 7, of which only byte 4 is not 0). A segment that does not
    /// continue the one before it gets zeros.
    std::uint32_t above[kMostSsvThreads];
};

/// Computes one pass. kUnroll is the number of residues of a word that the inner loop takes at a
/// time.
template <int G, int R, int kUnroll, int kThreads, int kMinBlocks>
__global__ void __launch_bounds__(kThreads, kMinBlocks) ssv_kernel(const __grid_constant__ SsvArguments arguments) {
    static_assert(R % 4 == 0 && kSsvSlots % G == 0 && kResiduesPerWord % kUnroll == 0);
    extern __shared__ uint4 profile[];
    constexpr int kLetterStride = ssv_loads(R) * kSsvSlots;  // uint4 per letter
    constexpr std::uint32_t kGroups = 32 / G;
    constexpr std::uint32_t kEarlyWords = (2 * G * R + kResiduesPerWord - 1) / kResiduesPerWord;
    constexpr std::uint32_t kMinusBias = 0x80008000u | kSsvByteBias * 0x10001u;

    for (int i = threadIdx.x; i < kResidueTableSize * kLetterStride; i += kThreads) profile[i] = arguments.profile[i];
    __syncthreads();

    const int lane = threadIdx.x % 32, t = lane % G;
    const std::uint32_t group = lane / G;
    const uint4* const thread_profile = profile + lane % kSsvSlots;
    const std::uint32_t above_permutation = arguments.above[t];
    const std::uint32_t linear_units = (arguments.linear_pieces + kGroups - 1) / kGroups;
    const std::uint32_t units = linear_units + arguments.interleaved_pieces * (kTileLanes / kGroups);
    const bool reads = arguments.borders_before != nullptr, writes = arguments.borders_after != nullptr;

    for (;;) {
        unsigned unit = 0;
        if (lane == 0) unit = atomicAdd(arguments.ticket, 1);
        unit = __shfl_sync(~0u, unit, 0);
        if (unit >= units) return;

        const bool linear = unit < linear_units;
        const std::uint32_t target = (linear ? unit : unit - linear_units) * kGroups + group;
        const std::uint32_t piece_index =
            linear ? min(target, arguments.linear_pieces - 1) : arguments.linear_pieces + target / kTileLanes;
        const std::uint32_t in_tile = linear ? 0 : target % kTileLanes;
        const TargetPiece piece = arguments.pieces[piece_index];
        const bool exists = linear ? target < arguments.linear_pieces : true;
        const std::uint32_t early = exists ? min(piece.words_before, kEarlyWords) : 0;
        const std::uint32_t words = exists ? early + piece.words : 0;
        const std::uint32_t most_words = __reduce_max_sync(~0u, words);
        const std::uint64_t first = piece.first_word - static_cast<std::uint64_t>(early) * piece.word_stride + in_tile;
        const std::uint32_t* source = arguments.words + first;
        const std::uint64_t* border_before = arguments.borders_before + first;
        std::uint64_t* border_after = arguments.borders_after + first;

        std::uint32_t V[R];
#pragma unroll
        for (int r = 0; r < R; ++r) V[r] = 0;
        std::uint32_t best = 0;
        std::uint32_t entering = 0;  // last row of the pass before, in the column before, for thread 0's low half
        std::uint32_t next_word = words > 0 ? *source : kPaddingWord;
        std::uint64_t next_border = 0;
        if (reads && words > 0) next_border = *border_before;

        for (std::uint32_t w = 0; w < most_words; ++w) {
            std::uint32_t word = next_word;
            std::uint64_t border = next_border;
            const bool more = w + 1 < words;
            source += piece.word_stride;
            border_before += piece.word_stride;
            next_word = more ? *source : kPaddingWord;
            if (reads) next_border = more ? *border_before : 0;
            std::uint64_t leaving = 0;
#pragma unroll kUnroll
            for (int c = 0; c < static_cast<int>(kResiduesPerWord); ++c) {
                const std::uint32_t letter = word & kResidueMask;
                word >>= kBitsPerResidue;
                const uint4* const row = thread_profile + letter * kLetterStride;
                const std::uint32_t handed = __shfl_sync(~0u, V[R - 1], (t + G - 1) % G, G);
                const std::uint32_t above = __byte_perm(handed, entering, above_permutation);
#pragma unroll
                for (int b = (R - 1) / kSsvBlockRows; b >= 0; --b) {
                    const bool only_wide = R - b * kSsvBlockRows <= kSsvWideRows;
                    std::uint32_t score[kSsvBlockRows];
#pragma unroll
                    for (int l = 0; l < kSsvWideRows / 4; ++l) {
                        if (kSsvBlockRows * b + 4 * l >= R) break;
                        const uint4 four = row[(b * kSsvLoadsPerBlock + l) * kSsvSlots];
                        score[4 * l] = four.x;
                        score[4 * l + 1] = four.y;
                        score[4 * l + 2] = four.z;
                        score[4 * l + 3] = four.w;
                    }
#pragma unroll
                    for (int l = 0; l < (kSsvBlockRows - kSsvWideRows) / 8; ++l) {
                        if (only_wide) break;
                        const uint4 eight = row[(b * kSsvLoadsPerBlock + kSsvWideRows / 4 + l) * kSsvSlots];
                        const std::uint32_t pairs[4] = {eight.x, eight.y, eight.z, eight.w};
#pragma unroll
                        for (int m = 0; m < 4; ++m) {
                            score[kSsvWideRows + 8 * l + 2 * m] = __byte_perm(pairs[m], 0, 0x4140);
                            score[kSsvWideRows + 8 * l + 2 * m + 1] = __byte_perm(pairs[m], 0, 0x4342);
                        }
                    }
#pragma unroll
                    for (int k = kSsvBlockRows - 1; k >= 0; --k) {
                        const int r = kSsvBlockRows * b + k;
                        if (r >= R) continue;
                        const std::uint32_t diagonal = r > 0 ? V[r - 1] : above;
                        V[r] = k < kSsvWideRows ? half_add_relu(diagonal, score[k])
                                                : half_add_relu(half_add(diagonal, score[k]), kMinusBias);
                    }
#pragma unroll
                    for (int r = kSsvBlockRows * b; r < kSsvBlockRows * (b + 1); r += 2) {
                        if (r < R) best = __vimax3_s16x2(best, V[r], V[r + 1]);
                    }
                }
                entering = static_cast<std::uint32_t>(border) & 0xff;
                border >>= 8;
                if (writes) leaving = leaving >> 8 | static_cast<std::uint64_t>(min(V[R - 1] >> 16, 255u)) << 40;
            }
            if (writes && t == G - 1 && w < words && w >= early) *border_after = leaving;
            border_after += piece.word_stride;
        }
        if (exists && in_tile < piece.lanes) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const std::int32_t which = arguments.profiles[half * G + t];
                const std::uint32_t greatest = min(best >> (16 * half) & 0xffff, 255u);
                if (which >= 0 && greatest > 0)
                    atomicMax(arguments.results + static_cast<std::uint64_t>(which) * arguments.lane_count +
                                  piece.first_lane + in_tile,
                              greatest);
            }
        }
        __syncwarp();
    }
}

}  // namespace warpseq::cuda
