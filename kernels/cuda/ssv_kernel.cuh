// The GPU's SSV kernel: the best ungapped diagonal of profiles against every target of a chunk (kernels/msv_filter.h).
//
// Recurrence, counted from begin: V(i,k) = max(0, V(i-1,k-1) + score(x_i, k)), the result is its maximum over all cells. Two rows of
// the model share a 32-bit register as 16-bit integers that are also bit patterns of half-precision numbers n * 2^-24
// (smith_waterman_kernel.cuh says why that is exact below 2,048): the sum and the clamp at 0 are one HFMA2.RELU on the FMA pipe, the maximum
// half a VIMNMX3 on the integer pipe. A score above 255 - bias is an overflow to the filter, far below 2,048; sums beyond stay beyond,
// because half-precision sums are monotonic.
//
// A group of G threads has one target; thread t holds rows t R .. t R + R - 1 of both halves (ssv_plan.h). A row needs the row above it in
// the column before, so threads are not skewed: all take the same residue, and the row above a thread's first comes by shuffle from its
// neighbour, above thread 0's high half from the last thread's low half. Rows are updated from high to low, in place.
//
// A profile that goes on in the next pass: the last thread's high row of each residue is a byte in `borders` (saturated at 255), six
// to a word of the target. Each pass reads what the last one left and overwrites it.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/cuda/device_targets.cuh"
#include "kernels/cuda/half_pairs.cuh"
#include "kernels/cuda/ssv_plan.h"

namespace warpseq::cuda {

struct SsvArguments {
    const std::uint32_t* words;
    const DeviceTile* tiles;
    std::uint32_t tile_count;
    const uint4* profile;      // of this pass
    uint2* borders;            // one for each word of the chunk; where words of a target are
    bool reads_borders, writes_borders;
    unsigned* ticket;          // zero at the start
    std::uint64_t lane_count;  // of the chunk
    std::uint32_t* results;    // [profile * lane_count + lane]: the maximum so far; zero at the start
    std::int32_t profiles[2 * kMostSsvThreads];   // of the segments, -1: none
    std::uint32_t keep[kMostSsvThreads];          // halves (0xffff each) whose segment goes on from the one before it
};

template <int G, int R, bool kLinear, int kThreads, int kMinBlocks>
__global__ void __launch_bounds__(kThreads, kMinBlocks) ssv_kernel(const __grid_constant__ SsvArguments arguments) {
    static_assert(R % 16 == 0 && 32 % G == 0);
    extern __shared__ uint4 profile[];
    constexpr int kSlots = G < 8 ? 8 : G;
    constexpr int kBlocks = R / 16;
    constexpr int kLetterStride = kBlocks * kSsvLoadsPer16Rows * kSlots;  // uint4 a letter
    constexpr std::uint32_t kGroups = 32 / G;
    constexpr std::uint32_t kTileLanesHere = kLinear ? 1 : kTileLanes;
    constexpr std::uint32_t kMinusBias = 0x80008000u | kSsvByteBias * 0x10001u;

    for (int i = threadIdx.x; i < kResidueTableSize * kLetterStride; i += kThreads) profile[i] = arguments.profile[i];
    __syncthreads();

    const int lane = threadIdx.x % 32, t = lane % G;
    const std::uint32_t group = lane / G;
    const uint4* const thread_profile = profile + lane % kSlots;
    const std::uint32_t keep = arguments.keep[t];
    const std::uint32_t targets = arguments.tile_count * kTileLanesHere;
    const std::uint32_t units = (targets + kGroups - 1) / kGroups;
    const bool reads = arguments.reads_borders, writes = arguments.writes_borders;

    for (;;) {
        unsigned unit = 0;
        if (lane == 0) unit = atomicAdd(arguments.ticket, 1);
        unit = __shfl_sync(~0u, unit, 0);
        if (unit >= units) return;

        const std::uint32_t target = unit * kGroups + group;
        const bool exists = target < targets;
        const DeviceTile tile = arguments.tiles[min(target, targets - 1) / kTileLanesHere];
        const std::uint32_t in_tile = target % kTileLanesHere;
        const bool real = exists && in_tile < tile.lanes;
        const std::uint32_t words = exists ? tile.word_rows : 0;
        const std::uint32_t most_words = __reduce_max_sync(~0u, words);
        const std::uint64_t first = tile.first_word + in_tile;
        const std::uint32_t* source = arguments.words + first;
        uint2* border = arguments.borders + first;

        std::uint32_t V[R];
#pragma unroll
        for (int r = 0; r < R; ++r) V[r] = 0;
        std::uint32_t best = 0;
        std::uint32_t entering = 0;  // the pass before's last row in the column before: thread 0's low half
        std::uint32_t next_word = words > 0 ? *source : kPaddingWord;
        uint2 next_border = make_uint2(0, 0);
        if (reads && words > 0) next_border = *border;

        for (std::uint32_t w = 0; w < most_words; ++w) {
            std::uint32_t word = next_word;
            const uint2 border_bytes = next_border;
            const bool more = w + 1 < words;
            source += kTileLanesHere;
            next_word = more ? *source : kPaddingWord;
            if (reads) next_border = more ? border[kTileLanesHere] : make_uint2(0, 0);
            uint2 leaving = make_uint2(0, 0);
#pragma unroll 1
            for (int c = 0; c < 6; ++c) {
                const std::uint32_t letter = word & kResidueMask;
                word >>= kBitsPerResidue;
                const uint4* const row = thread_profile + letter * kLetterStride;
                const std::uint32_t handed = __shfl_sync(~0u, V[R - 1], (t + G - 1) % G, G);
                std::uint32_t above = t == 0 ? handed << 16 | entering : handed;
                above &= keep;
#pragma unroll
                for (int b = kBlocks - 1; b >= 0; --b) {
                    std::uint32_t score[16];
#pragma unroll
                    for (int l = 0; l < kSsvWideRows / 4; ++l) {
                        const uint4 four = row[(b * kSsvLoadsPer16Rows + l) * kSlots];
                        score[4 * l] = four.x;
                        score[4 * l + 1] = four.y;
                        score[4 * l + 2] = four.z;
                        score[4 * l + 3] = four.w;
                    }
#pragma unroll
                    for (int l = 0; l < (16 - kSsvWideRows) / 8; ++l) {
                        const uint4 eight = row[(b * kSsvLoadsPer16Rows + kSsvWideRows / 4 + l) * kSlots];
                        const std::uint32_t pairs[4] = {eight.x, eight.y, eight.z, eight.w};
#pragma unroll
                        for (int m = 0; m < 4; ++m) {
                            score[kSsvWideRows + 8 * l + 2 * m] = __byte_perm(pairs[m], 0, 0x4140);
                            score[kSsvWideRows + 8 * l + 2 * m + 1] = __byte_perm(pairs[m], 0, 0x4342);
                        }
                    }
#pragma unroll
                    for (int k = 15; k >= 0; --k) {
                        const int r = 16 * b + k;
                        const std::uint32_t diagonal = r > 0 ? V[r - 1] : above;
                        V[r] = k < kSsvWideRows ? half_add_relu(diagonal, score[k])
                                                : half_add_relu(half_add(diagonal, score[k]), kMinusBias);
                    }
#pragma unroll
                    for (int k = 0; k < 16; k += 2) best = __vimax3_s16x2(best, V[16 * b + k], V[16 * b + k + 1]);
                }
                if (reads) entering = (c < 4 ? border_bytes.x >> (8 * c) : border_bytes.y >> (8 * (c - 4))) & 0xff;
                if (writes) {
                    const std::uint32_t last = min(V[R - 1] >> 16, 255u);
                    if (c < 4) leaving.x |= last << (8 * c);
                    else leaving.y |= last << (8 * (c - 4));
                }
            }
            if (writes && t == G - 1 && w < words) *border = leaving;
            border += kTileLanesHere;
        }
        if (real) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const std::int32_t which = arguments.profiles[half * G + t];
                const std::uint32_t greatest = min(best >> (16 * half) & 0xffff, 255u);
                if (which >= 0 && greatest > 0)
                    atomicMax(arguments.results + static_cast<std::uint64_t>(which) * arguments.lane_count + tile.first_lane + in_tile, greatest);
            }
        }
        __syncwarp();
    }
}

}  // namespace warpseq::cuda
