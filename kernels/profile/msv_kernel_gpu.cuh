// The GPU's kernels for the full MSV recurrence (kernels/profile/msv_filter.h), with J. They
// compute the undecided items of a list.
//
// Recurrence. The kernel keeps values relative to xB: W(i,k) = max(M(i,k), xB(i)) - xB(i), where
// xB(i) is the score from which the next column may start. xB never falls, so
//
//     W(i,k) = max(0, W(i-1,k-1) + bias - cost(x_i, k)),          W(0,k) = W(i,0) = 0
//              less by d (and at least 0) where xB rises by d after column i.
//
// This is the ungapped recurrence of ssv_kernel_gpu.cuh. xB rises, or the target overflows, only
// when some W reaches `level`:
//
//     overflow:   xE + bias >= 255           <=>  max W >= 255 - bias - xB
//     xB rises:   xE - end > max(base, xJ)   <=>  max W >= max(base, xJ) + end - xB + 1
//
// Each thread keeps the greatest W since the last rise. A vote per column tells whether it has
// reached the level. Only then the group reduces it. An xJ below base matters only at the end,
// where the greatest W gives it: xE = W + xB. If W was 0 throughout, M never exceeded xB, so M(i,k)
// = max(0, xB + bias - cost(x_i, k)) everywhere. Then the best score of any node for any of the
// target's residues gives xE.
//
// Numbers. The clamp of M at 0 lies below the clamp at xB. With bias <= kMsvHighestBias no sum
// reaches 255 without being an overflow. So two nodes share a register as half-precision bit
// patterns, and sum and clamp are one instruction. Values stay below 255, where such sums are exact
// (kernels/gpu/half_pairs.cuh).
//
// Layout. A group of G threads computes a target. Register r of thread t holds node t R + r in its
// low half and node (G + t) R + r in its high half:
//
//                   thread 0        thread 1        ...   thread G - 1
//     low halves    0 .. R - 1      R .. 2R - 1           (G - 1) R .. G R - 1
//     high halves   G R ..          (G + 1) R ..          (2G - 1) R .. 2G R - 1
//
// All threads take the same residue at the same time. Nothing runs down a column, so rows are
// updated in place, from high to low. The row above a thread's first comes by shuffle. The scores
// are in shared memory (MsvLayout).
//
// Ceiling. At 118 instructions for a column of 28 pairs of rows the issue slots of an H200 allow
// 14e12 to 16e12 cells per second. The kernel reaches 8.8e12 (100 nodes) to 13.9e12 (2,405 nodes),
// and fills 84 % of the issue slots. 35 of the 118 instructions are moves that the compiler adds
// (docs/lab-notes.md, "Profile HMMs on GPUs").
//
// Source. Eddy, PLoS Comput Biol 7:e1002195 (2011), for the MSV algorithm. Values relative to xB
// and the vote are warpseq's own.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/gpu/device_targets.cuh"
#include "kernels/gpu/group_max.cuh"
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

/// Takes `count` items of a profile for the warp. Returns the number of the first one.
__device__ __forceinline__ std::uint32_t take_msv_items(const MsvArguments& arguments, std::uint32_t profile,
                                                        std::uint32_t count) {
    std::uint32_t ticket = 0;
    if (threadIdx.x % 32 == 0) ticket = atomicAdd(arguments.undecided.tickets + profile, count);
    return __shfl_sync(~0u, ticket, 0);
}

/// Returns residue i of a target.
__device__ __forceinline__ std::uint32_t msv_residue(const MsvArguments& arguments, const DeviceLane& target,
                                                     std::uint32_t i) {
    const std::uint32_t word = arguments.words[target.first_word + i / kResiduesPerWord * target.word_stride];
    return word >> (kBitsPerResidue * (i % kResiduesPerWord)) & kResidueMask;
}

/// The states around the core model of one target. All threads of its group hold the same values.
struct MsvSpecial {
    const MsvDeviceProfile& profile;
    int to_match;  // move + enter
    int xj = 0, xb;
    bool overflow = false;
    /// The highest bit of a half of best + to_level is set when best has reached the level.
    std::uint32_t to_level;

    __device__ __forceinline__ MsvSpecial(const MsvDeviceProfile& of_profile, int move)
        : profile(of_profile), to_match(move + profile.enter), xb(max(MsvProfile::kBase - to_match, 0)) {
        to_level = distance_to_level();
    }
    __device__ __forceinline__ std::uint32_t distance_to_level() const {
        const int level = min(max(MsvProfile::kBase, xj) + profile.end - xb + 1, kMsvCeiling - profile.bias - xb);
        return static_cast<std::uint32_t>(0x8000 - level) * 0x10001u;
    }
    /// Whether a half of `best` has reached the level. The other bits of `best` may be anything.
    __device__ __forceinline__ bool reaches(std::uint32_t best, std::uint32_t halves) const {
        return ((best + to_level) & halves) != 0;
    }
    /// Takes a greatest W that has reached the level. Returns the number by which xB rises, in both
    /// halves. An overflow ends the target: it sets `words` to 0.
    __device__ __forceinline__ std::uint32_t rise(int greatest, std::uint32_t& words) {
        const int xe = greatest + xb;
        if (xe + profile.bias >= kMsvCeiling) {
            overflow = true;
            words = 0;
            to_level = 0;
            return 0;
        }
        xj = xe - profile.end;
        const int before = xb;
        xb = max(xj - to_match, 0);
        to_level = distance_to_level();
        return static_cast<std::uint32_t>(xb - before) * 0x10001u;
    }
};

/// The cells of one thread: R registers with a node of each half.
template <int G, int R>
struct MsvCells {
    static constexpr int kLetterLoads = MsvLayout{G, R}.letter_loads();
    const uint4* table;  // the thread's loads of residue code 0
    std::uint32_t bias_pair;
    // The row above the first row of thread 0: nothing is above its low half, and thread G - 1's
    // low half is above its high half.
    std::uint32_t handing;
    std::uint32_t W[R];
    std::uint32_t best;  // greatest W since the last rise of xB

    __device__ __forceinline__ MsvCells(const uint4* thread_table, int t)
        : table(thread_table), handing(t == 0 ? 0x1044 : 0x3210) {}

    __device__ __forceinline__ void set_bias(int bias) { bias_pair = static_cast<std::uint32_t>(bias) * 0x10001u; }
    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int r = 0; r < R; ++r) W[r] = 0;
        best = 0;
    }

    /// Computes a column.
    __device__ __forceinline__ void compute(std::uint32_t code, int t) {
        const uint4* const row = table + code * kLetterLoads;
        const std::uint32_t handed = __shfl_sync(~0u, W[R - 1], (t + G - 1) % G, G);
        const std::uint32_t above = __byte_perm(handed, 0, handing);
#pragma unroll
        for (int r = R - kMsvWideLoadRows; r >= 0; r -= kMsvWideLoadRows) {
            const uint4 loaded = row[MsvLayout{G, R}.load_of(r) * G];
            if (MsvLayout{G, R}.is_narrow(r))
                add_narrow(r, loaded);
            else
                add_wide(r, loaded, above);
            best = __vimax3_s16x2(best, W[r], W[r + 1]);
            best = __vimax3_s16x2(best, W[r + 2], W[r + 3]);
        }
    }
    /// Returns the greatest W of the group since xB rose last. Shuffles keep the compiler from
    /// placing the rare rise of xB within the loop over columns. With __reduce_max_sync() it does
    /// so, and adds 8 to 18 % of instructions to a column where G is 32.
    __device__ __forceinline__ int greatest() const {
        return group_max_by_shuffles<G>(static_cast<int>(max(best & 0xffff, best >> 16)));
    }
    __device__ __forceinline__ void subtract(std::uint32_t rise) {
#pragma unroll
        for (int r = 0; r < R; ++r) W[r] = half_subtract_relu(W[r], rise);
    }

   private:
    /// Updates four rows from scores.
    __device__ __forceinline__ void add_wide(int r, const uint4& four, std::uint32_t above) {
        const std::uint32_t scores[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int k = 3; k >= 0; --k) W[r + k] = half_add_relu(r + k > 0 ? W[r + k - 1] : above, scores[k]);
    }
    /// Updates four rows from costs, which are half of a load of eight rows.
    __device__ __forceinline__ void add_narrow(int r, const uint4& eight) {
        const std::uint32_t costs[2] = {r % 8 == 0 ? eight.x : eight.z, r % 8 == 0 ? eight.y : eight.w};
#pragma unroll
        for (int k = 3; k >= 0; --k) {
            const std::uint32_t pair = __byte_perm(costs[k / 2], 0, k % 2 == 0 ? 0x4140 : 0x4342);
            W[r + k] = half_subtract_relu(half_add(W[r + k - 1], bias_pair), pair);
        }
    }
};

/// Returns the best score of any node for any of the target's residues. All threads of the group
/// get it. All threads of the warp have to call it; those without a target to look at pass `looks`
/// = false.
template <int G>
__device__ __forceinline__ int best_msv_score(const MsvArguments& arguments, const MsvDeviceProfile& profile,
                                              const DeviceLane& target, bool looks, int t) {
    int score = INT16_MIN;
    if (looks) {
        for (std::uint32_t i = t; i < target.residues; i += G) {
            const std::uint32_t code = msv_residue(arguments, target, i);
            score = max(score, static_cast<int>(arguments.best_scores[profile.first_best + code]));
        }
    }
    __syncwarp();
    return group_max_by_shuffles<G>(score);
}

template <int G, int R, int kThreads, int kMinBlocks>
__global__ void __launch_bounds__(kThreads, kMinBlocks) msv_kernel(const __grid_constant__ MsvArguments arguments) {
    static_assert(R % 4 == 0 && 32 % G == 0 && G >= 8, "a quarter warp's loads of 16 bytes have one residue code");
    constexpr int kTableLoads = MsvLayout{G, R}.table_loads();
    constexpr std::uint32_t kGroups = 32 / G;
    extern __shared__ uint4 table[];
    __shared__ std::uint32_t chosen;

    const int lane = threadIdx.x % 32, t = lane % G;
    const std::uint32_t group = lane / G;
    MsvCells<G, R> cells(table + t, t);
    std::uint32_t member = static_cast<std::uint32_t>(std::uint64_t{blockIdx.x} * arguments.member_count / gridDim.x);

    for (;;) {
        member = next_member(arguments, member, chosen);
        if (member == arguments.member_count) return;
        const std::uint32_t which = arguments.members[member];
        const MsvDeviceProfile profile = arguments.profiles[which];
        const uint4* const source_table = reinterpret_cast<const uint4*>(arguments.tables + profile.first_word);
        for (int i = threadIdx.x; i < kTableLoads; i += kThreads) table[i] = source_table[i];
        __syncthreads();
        const std::uint32_t first_item = arguments.undecided.starts[which];
        const std::uint32_t items = arguments.undecided.starts[which + 1] - first_item;
        cells.set_bias(profile.bias);

        for (;;) {
            const std::uint32_t ticket = take_msv_items(arguments, which, kGroups);
            if (ticket >= items) break;
            const bool exists = ticket + group < items;
            const std::uint32_t item = arguments.undecided.items[first_item + min(ticket + group, items - 1)];
            const DeviceLane target = arguments.lanes[arguments.slots[item] - which * arguments.lane_count];
            const std::uint32_t* source = arguments.words + target.first_word;
            std::uint32_t words = exists ? (target.residues + kResiduesPerWord - 1) / kResiduesPerWord : 0;
            std::uint32_t most_words = __reduce_max_sync(~0u, words);
            MsvSpecial special(profile, arguments.moves[target.length_index]);
            cells.clear();
            std::uint32_t next_word = words > 0 ? *source : kPaddingWord;

            for (std::uint32_t w = 0; w < most_words; ++w) {
                std::uint32_t word = next_word;
                source += target.word_stride;
                next_word = w + 1 < words ? *source : kPaddingWord;
#pragma unroll 1
                for (std::uint32_t c = 0; c < kResiduesPerWord; ++c) {
                    const std::uint32_t code = word & kResidueMask;
                    word >>= kBitsPerResidue;
                    cells.compute(code, t);
                    if (__any_sync(~0u, special.reaches(cells.best, 0x80008000u))) {
                        const int greatest = cells.greatest();
                        std::uint32_t rise = 0;
                        if (special.reaches(static_cast<std::uint32_t>(greatest), 0x8000u)) {
                            rise = special.rise(greatest, words);
                            cells.best = 0;
                        }
                        if (__any_sync(~0u, special.overflow)) most_words = __reduce_max_sync(~0u, words);
                        cells.subtract(rise);
                    }
                }
            }

            const int greatest = cells.greatest();
            int xe = greatest + special.xb;
            const bool never_above = !special.overflow && greatest == 0 && special.xj == 0;
            if (__any_sync(~0u, never_above)) {
                const int score = best_msv_score<G>(arguments, profile, target, never_above && exists, t);
                if (never_above) xe = max(special.xb + score, 0);
            }
            if (exists && t == 0)
                arguments.results[item] = special.overflow
                                              ? kMsvOverflow
                                              : static_cast<std::int16_t>(max(special.xj, max(xe - profile.end, 0)));
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
            const std::uint32_t ticket = take_msv_items(arguments, which, 1);
            if (ticket >= items) break;
            const std::uint32_t item = arguments.undecided.items[first_item + ticket];
            const DeviceLane target = arguments.lanes[arguments.slots[item] - which * arguments.lane_count];
            const int to_match = arguments.moves[target.length_index] + profile.enter;
            int xj = 0, xb = max(MsvProfile::kBase - to_match, 0);
            bool overflow = false;
            for (int k = lane; k < profile.length; k += 32) row[k] = 0;
            for (std::uint32_t i = 0; i < target.residues && !overflow; ++i) {
                const std::uint32_t code = msv_residue(arguments, target, i);
                const std::uint8_t* const cost = costs + std::size_t{code} * static_cast<std::size_t>(profile.length);
                int xe = 0;
                __syncwarp();
                for (int first = (profile.length - 1) / 32 * 32; first >= 0; first -= 32) {
                    const int k = first + lane;
                    int m = 0;
                    if (k < profile.length)
                        m = max(min(max(k > 0 ? int{row[k - 1]} : 0, xb) + profile.bias, kMsvCeiling) - cost[k], 0);
                    __syncwarp();
                    if (k < profile.length) row[k] = static_cast<std::uint16_t>(m);
                    xe = max(xe, m);
                }
                xe = __reduce_max_sync(~0u, xe);
                overflow = xe + profile.bias >= kMsvCeiling;
                xj = max(xj, xe - profile.end);
                xb = max(max(MsvProfile::kBase, xj) - to_match, 0);
            }
            if (lane == 0) arguments.results[item] = overflow ? kMsvOverflow : static_cast<std::int16_t>(xj);
            __syncwarp();
        }
    }
}

}  // namespace warpseq::cuda
