// The GPU's kernels for the full MSV recurrence (kernels/profile/msv_filter.h), with J. They
// compute the undecided items of a list.
//
// The kernel keeps values relative to xB: W(i,k) = max(M(i,k), xB(i)) - xB(i), where xB(i) is the
// score from which the next column may start. xB never falls, so
//
//     W(i,k) = max(0, W(i-1,k-1) + bias - cost(x_i, k)),
//              less by d (and at least 0) where xB rises by d after column i.
//
// This is the ungapped recurrence of ssv_kernel_gpu.cuh. The clamp of M at 0 lies below the clamp
// at xB. With bias <= kMsvHighestBias no sum reaches 255 without being an overflow. So two nodes
// share a register as half-precision bit patterns, and sum and clamp are one instruction. Values
// stay below 255, where such sums are exact. Nothing runs down a column, so rows are updated in
// place, from high to low.
//
// xB rises, or the target overflows, only when some W reaches `level`:
//
//     overflow:   xE + bias >= 255           <=>  max W >= 255 - bias - xB
//     xB rises:   xE - end > max(base, xJ)   <=>  max W >= max(base, xJ) + end - xB + 1
//
// Each thread keeps the greatest W since the last rise. A vote per column tells whether it has
// reached the level. Only then the group reduces it. An xJ below base matters only at the end,
// where the greatest W gives it: xE = W + xB. If W was 0 throughout, M never exceeded xB, so M(i,k)
// = max(0, xB + bias - cost(x_i, k)) everywhere. Then the best score of any node for any of the
// target's residues gives xE.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/gpu/device_targets.cuh"
#include "kernels/gpu/half_pairs.cuh"
#include "kernels/profile/msv_filter.h"
#include "kernels/profile/msv_plan_gpu.h"
#include "kernels/profile/undecided_items_gpu.cuh"

namespace warpseq::cuda {

struct MsvArguments {
    const std::uint32_t* words;
    const DeviceLane* lanes;
    std::uint32_t lane_count;
    const std::uint32_t* slots;
    UndecidedView undecided;    // a group for each profile
    const std::uint8_t* moves;  // [DeviceLane::length_index]
    const MsvDeviceProfile* profiles;
    const std::uint32_t* tables;
    const std::int16_t* best_scores;
    const std::uint32_t* members;  // the profiles of this shape
    std::uint32_t member_count;
    std::uint16_t* rows;  // rows of profiles without a shape, row_nodes entries for each warp
    std::uint32_t row_nodes;
    std::int16_t* results;
};

/// Returns max(0, a - b) of both halves.
__device__ __forceinline__ std::uint32_t half_subtract_relu(std::uint32_t a, std::uint32_t b) {
    const __half2 difference =
        __hfma2_relu(*reinterpret_cast<__half2*>(&b), __float2half2_rn(-1.f), *reinterpret_cast<__half2*>(&a));
    return *reinterpret_cast<const std::uint32_t*>(&difference);
}

/// Returns the first member that has items left, searching cyclically from `start` on, or
/// member_count if there is none. All threads of a block have to call it. `chosen` is in shared
/// memory.
__device__ __forceinline__ std::uint32_t next_member(const MsvArguments& arguments, std::uint32_t start,
                                                     std::uint32_t& chosen) {
    __syncthreads();
    if (threadIdx.x == 0) chosen = arguments.member_count;
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < arguments.member_count; i += blockDim.x) {
        const std::uint32_t at = start + i < arguments.member_count ? start + i : start + i - arguments.member_count;
        const std::uint32_t profile = arguments.members[at];
        const std::uint32_t items = arguments.undecided.starts[profile + 1] - arguments.undecided.starts[profile];
        if (__ldcg(arguments.undecided.tickets + profile) < items) atomicMin(&chosen, i);
    }
    __syncthreads();
    if (chosen == arguments.member_count) return arguments.member_count;
    return start + chosen < arguments.member_count ? start + chosen : start + chosen - arguments.member_count;
}

template <int G, int R, int kThreads, int kMinBlocks>
__global__ void __launch_bounds__(kThreads, kMinBlocks) msv_kernel(const __grid_constant__ MsvArguments arguments) {
    static_assert(R % 4 == 0 && 32 % G == 0 && G >= 8, "a quarter warp's loads of 16 bytes have one residue code");
    // These are msv_wide_loads() and similar functions written out, because those are host
    // functions.
    constexpr int kWideLoads = R / 4 - 2 * ((R + 16) / 32);
    constexpr int kLetterStride = (kWideLoads + (R + 16) / 32) * G;  // uint4 per letter
    constexpr std::uint32_t kGroups = 32 / G;
    extern __shared__ uint4 table[];
    __shared__ std::uint32_t chosen;

    const int lane = threadIdx.x % 32, t = lane % G;
    const std::uint32_t group = lane / G;
    const uint4* const thread_table = table + t;
    // The row above the first row of thread 0: nothing is above its low half, and thread G - 1's
    // low half is above its high half.
    const std::uint32_t handing = t == 0 ? 0x1044 : 0x3210;
    std::uint32_t member = static_cast<std::uint32_t>(std::uint64_t{blockIdx.x} * arguments.member_count / gridDim.x);

    for (;;) {
        member = next_member(arguments, member, chosen);
        if (member == arguments.member_count) return;
        const std::uint32_t which = arguments.members[member];
        const MsvDeviceProfile profile = arguments.profiles[which];
        const uint4* const source_table = reinterpret_cast<const uint4*>(arguments.tables + profile.first_word);
        for (int i = threadIdx.x; i < kResidueTableSize * kLetterStride; i += kThreads) table[i] = source_table[i];
        __syncthreads();
        const std::uint32_t first_item = arguments.undecided.starts[which];
        const std::uint32_t items = arguments.undecided.starts[which + 1] - first_item;
        const std::uint32_t bias_pair = static_cast<std::uint32_t>(profile.bias) * 0x10001u;

        for (;;) {
            std::uint32_t ticket = 0;
            if (lane == 0) ticket = atomicAdd(arguments.undecided.tickets + which, kGroups);
            ticket = __shfl_sync(~0u, ticket, 0);
            if (ticket >= items) break;
            const bool exists = ticket + group < items;
            const std::uint32_t item = arguments.undecided.items[first_item + min(ticket + group, items - 1)];
            const DeviceLane target = arguments.lanes[arguments.slots[item] - which * arguments.lane_count];
            const std::uint32_t* source = arguments.words + target.first_word;
            std::uint32_t words = exists ? (target.residues + kResiduesPerWord - 1) / kResiduesPerWord : 0;
            std::uint32_t most_words = __reduce_max_sync(~0u, words);
            const int to_match = arguments.moves[target.length_index] + profile.enter;

            int xj = 0, xb = max(MsvProfile::kBase - to_match, 0);
            bool overflow = false;
            // The highest bit of a half of best + to_level is set when best has reached the level.
            const auto distance_to_level = [&] {
                const int level = min(max(MsvProfile::kBase, xj) + profile.end - xb + 1, 255 - profile.bias - xb);
                return static_cast<std::uint32_t>(0x8000 - level) * 0x10001u;
            };
            std::uint32_t to_level = distance_to_level();
            std::uint32_t W[R];
#pragma unroll
            for (int r = 0; r < R; ++r) W[r] = 0;
            std::uint32_t best = 0;  // since the last rise of xB
            std::uint32_t next_word = words > 0 ? *source : kPaddingWord;

            for (std::uint32_t w = 0; w < most_words; ++w) {
                std::uint32_t word = next_word;
                source += target.word_stride;
                next_word = w + 1 < words ? *source : kPaddingWord;
#pragma unroll 1
                for (std::uint32_t c = 0; c < kResiduesPerWord; ++c) {
                    const uint4* const row = thread_table + (word & kResidueMask) * kLetterStride;
                    word >>= kBitsPerResidue;
                    const std::uint32_t handed = __shfl_sync(~0u, W[R - 1], (t + G - 1) % G, G);
                    const std::uint32_t above = __byte_perm(handed, 0, handing);
#pragma unroll
                    for (int r = R - 4; r >= 0; r -= 4) {
                        if (r % 32 / 8 == 1 && r / 32 * 32 + 16 <= R) {
                            const uint4 eight = row[(kWideLoads + r / 32) * G];
                            const std::uint32_t costs[2] = {r % 8 == 0 ? eight.x : eight.z,
                                                            r % 8 == 0 ? eight.y : eight.w};
#pragma unroll
                            for (int k = 3; k >= 0; --k) {
                                const std::uint32_t pair = __byte_perm(costs[k / 2], 0, k % 2 == 0 ? 0x4140 : 0x4342);
                                W[r + k] = half_subtract_relu(half_add(W[r + k - 1], bias_pair), pair);
                            }
                        } else {
                            const uint4 four = row[(r / 4 - 2 * ((r + 16) / 32)) * G];
                            const std::uint32_t scores[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
                            for (int k = 3; k >= 0; --k)
                                W[r + k] = half_add_relu(r + k > 0 ? W[r + k - 1] : above, scores[k]);
                        }
                        best = __vimax3_s16x2(best, W[r], W[r + 1]);
                        best = __vimax3_s16x2(best, W[r + 2], W[r + 3]);
                    }

                    if (__any_sync(~0u, ((best + to_level) & 0x80008000u) != 0)) {
                        int greatest = static_cast<int>(max(best & 0xffff, best >> 16));
#pragma unroll
                        for (int step = G / 2; step > 0; step /= 2)
                            greatest = max(greatest, __shfl_xor_sync(~0u, greatest, step));
                        std::uint32_t rise = 0;
                        if (((static_cast<std::uint32_t>(greatest) + to_level) & 0x8000u) != 0) {
                            const int xe = greatest + xb;
                            if (xe + profile.bias >= 255) {
                                overflow = true;
                                words = 0;
                                to_level = 0;
                            } else {
                                xj = xe - profile.end;
                                const int before = xb;
                                xb = max(xj - to_match, 0);
                                rise = static_cast<std::uint32_t>(xb - before) * 0x10001u;
                                to_level = distance_to_level();
                            }
                            best = 0;
                        }
                        if (__any_sync(~0u, overflow)) most_words = __reduce_max_sync(~0u, words);
#pragma unroll
                        for (int r = 0; r < R; ++r) W[r] = half_subtract_relu(W[r], rise);
                    }
                }
            }

            int greatest = static_cast<int>(max(best & 0xffff, best >> 16));
#pragma unroll
            for (int step = G / 2; step > 0; step /= 2) greatest = max(greatest, __shfl_xor_sync(~0u, greatest, step));
            int xe = greatest + xb;
            const bool never_above = !overflow && greatest == 0 && xj == 0;
            if (__any_sync(~0u, never_above)) {
                int score = INT16_MIN;
                if (never_above && exists) {
                    for (std::uint32_t i = t; i < target.residues; i += G) {
                        const std::uint32_t word =
                            arguments.words[target.first_word + i / kResiduesPerWord * target.word_stride];
                        const std::uint32_t code = word >> (kBitsPerResidue * (i % kResiduesPerWord)) & kResidueMask;
                        score = max(score, static_cast<int>(arguments.best_scores[profile.first_best + code]));
                    }
                }
                __syncwarp();
#pragma unroll
                for (int step = G / 2; step > 0; step /= 2) score = max(score, __shfl_xor_sync(~0u, score, step));
                if (never_above) xe = max(xb + score, 0);
            }
            if (exists && t == 0)
                arguments.results[item] =
                    overflow ? kMsvOverflow : static_cast<std::int16_t>(max(xj, max(xe - profile.end, 0)));
            __syncwarp();
        }
    }
}

/// Computes the recurrence as it is in the contract, for profiles longer than any shape. A warp
/// takes a target. The row is in global memory, and nodes are updated from high to low.
static __global__ void __launch_bounds__(128) msv_long_kernel(const __grid_constant__ MsvArguments arguments) {
    __shared__ std::uint32_t chosen;
    const int lane = threadIdx.x % 32;
    std::uint16_t* const row =
        arguments.rows + std::size_t{blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32} * arguments.row_nodes;
    std::uint32_t member = static_cast<std::uint32_t>(std::uint64_t{blockIdx.x} * arguments.member_count / gridDim.x);
    for (;;) {
        member = next_member(arguments, member, chosen);
        if (member == arguments.member_count) return;
        const std::uint32_t which = arguments.members[member];
        const MsvDeviceProfile profile = arguments.profiles[which];
        const auto* const costs = reinterpret_cast<const std::uint8_t*>(arguments.tables + profile.first_word);
        const std::uint32_t first_item = arguments.undecided.starts[which];
        const std::uint32_t items = arguments.undecided.starts[which + 1] - first_item;
        for (;;) {
            std::uint32_t ticket = 0;
            if (lane == 0) ticket = atomicAdd(arguments.undecided.tickets + which, 1);
            ticket = __shfl_sync(~0u, ticket, 0);
            if (ticket >= items) break;
            const std::uint32_t item = arguments.undecided.items[first_item + ticket];
            const DeviceLane target = arguments.lanes[arguments.slots[item] - which * arguments.lane_count];
            const int to_match = arguments.moves[target.length_index] + profile.enter;
            int xj = 0, xb = max(MsvProfile::kBase - to_match, 0);
            bool overflow = false;
            for (int k = lane; k < profile.length; k += 32) row[k] = 0;
            for (std::uint32_t i = 0; i < target.residues && !overflow; ++i) {
                const std::uint32_t word =
                    arguments.words[target.first_word + i / kResiduesPerWord * target.word_stride];
                const std::uint32_t code = word >> (kBitsPerResidue * (i % kResiduesPerWord)) & kResidueMask;
                const std::uint8_t* const cost = costs + std::size_t{code} * static_cast<std::size_t>(profile.length);
                int xe = 0;
                __syncwarp();
                for (int first = (profile.length - 1) / 32 * 32; first >= 0; first -= 32) {
                    const int k = first + lane;
                    int m = 0;
                    if (k < profile.length)
                        m = max(min(max(k > 0 ? int{row[k - 1]} : 0, xb) + profile.bias, 255) - cost[k], 0);
                    __syncwarp();
                    if (k < profile.length) row[k] = static_cast<std::uint16_t>(m);
                    xe = max(xe, m);
                }
                xe = __reduce_max_sync(~0u, xe);
                overflow = xe + profile.bias >= 255;
                xj = max(xj, xe - profile.end);
                xb = max(max(MsvProfile::kBase, xj) - to_match, 0);
            }
            if (lane == 0) arguments.results[item] = overflow ? kMsvOverflow : static_cast<std::int16_t>(xj);
            __syncwarp();
        }
    }
}

}  // namespace warpseq::cuda
