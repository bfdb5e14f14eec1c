// The GPU's Viterbi multihit kernels: the Viterbi filter (kernels/profile/viterbi_filter.h) with J,
// row by row, for the undecided items of a list. Results are the integers of the contract.
//
// Sums are 32-bit integers. They do not saturate, except that a path's entry from B is clamped. Let
// F = -32768. The contract replaces each sum s by max(F, s). All transitions t are at most 0. So it
// makes no difference whether a value a is clamped before a transition or after it:
//
//     max(F, max(F, a) + t) = max(F, a + t)          for t <= 0
//
// Therefore a clamp may be delayed over any number of maxima and transitions. Every path of I and D
// ends in the maximum of a match state. This maximum also includes begin(k) = max(F, xB +
// enter(k)), which is at least F and so does the delayed clamp. M itself is the only sum that may
// grow. It is formed from that maximum, and is followed by transitions only. No value falls below F
// + 3 F, so 32 bits suffice. A sum that saturates at 32767 is the overflow that ends the target.
//
// A thread holds R nodes in registers. In a column:
//
//     I(k), M(k)   are computed in place, from the values of the column before, from the last node
//                  to the first. The thread before computes the best predecessor of a thread's
//                  first node.
//     D            is computed by each thread in two runs along its nodes. The first run finds the
//                  value that leaves its last node if nothing enters, local(t). The value that
//                  really enters is the maximum, over the threads s before it, of local(s) plus all
//                  delete-delete transitions of the threads between. This is a prefix maximum of
//                  local(s) less sums of transitions. Mostly no entering value passes a whole
//                  thread, which a vote tells. Then the entering value is local(t - 1). The second
//                  run adds the entering value.
//     xB           rises only if some M(k) exceeds max(base, xJ) - kEndLoop, which a vote tells.
//                  Then M is reduced to its maximum, and begin(k) is computed again.
//
// A warp has 32 / T targets with T threads each, T = 8, 16 or 32. Targets that are done continue
// over padding until the longest one is done, and the values computed there are dropped. If several
// warps share a target, they exchange these values through shared memory: the D that leaves each
// warp, and the best predecessor that its last thread computes for the next warp.
#pragma once

#include <cstdint>

#include "kernels/gpu/device_targets.cuh"
#include "kernels/profile/undecided_items_gpu.cuh"
#include "kernels/profile/viterbi_filter.h"
#include "kernels/profile/viterbi_multihit_plan_gpu.h"

namespace warpseq::cuda {

struct ViterbiMultihitArguments {
    const std::uint32_t* words;
    const DeviceLane* lanes;
    std::uint32_t lane_count;
    const std::uint32_t* slots;
    UndecidedView undecided;    // a group for each shape and length bin
    std::uint32_t group;        // the first bin of this shape
    const std::int16_t* moves;  // [DeviceLane::length_index]
    const ViterbiMultihitProfile* profiles;
    const std::int16_t* entries;
    int* rows;  // rows of profiles without a shape, 3 * row_nodes entries for each warp
    std::uint32_t row_nodes;
    std::int16_t* results;
};

inline constexpr int kViterbiFloor = ViterbiProfile::kMinusInfinity;
/// The value for a place that nothing enters. It is below all sums of transitions.
inline constexpr int kNothingEnters = INT32_MIN / 2;

/// Return `a` plus the lower or the upper 16-bit integer of a pair.
__device__ __forceinline__ int add_lower(std::uint32_t pair, int a) {
    return __dp2a_lo(static_cast<int>(pair), 0x0001, a);
}
__device__ __forceinline__ int add_upper(std::uint32_t pair, int a) {
    return __dp2a_lo(static_cast<int>(pair), 0x0100, a);
}

/// Returns the greatest value of a group of G threads of a warp.
template <int G>
__device__ __forceinline__ int group_max(int a) {
    if constexpr (G == 32) {
        return __reduce_max_sync(~0u, a);
    } else {
#pragma unroll
        for (int step = G / 2; step > 0; step /= 2) a = max(a, __shfl_xor_sync(~0u, a, step));
        return a;
    }
}

/// Computes items of the shape's bins. If kSpread is true, all warps of a block share a target, and
/// G is 32. Otherwise G threads share one.
template <int G, int R, bool kSpread, int kThreads, int kMinBlocks>
__global__ void __launch_bounds__(kThreads, kMinBlocks)
    viterbi_multihit_kernel(const __grid_constant__ ViterbiMultihitArguments arguments) {
    constexpr int kLoads = (R + 7) / 8;
    __shared__ int leaving[kThreads / 32], through[kThreads / 32], handed_on[kThreads / 32], shared_best[kThreads / 32];
    __shared__ std::uint32_t shared_ticket;

    constexpr std::uint32_t kGroups = kSpread ? 1 : 32 / G;
    const int lane = threadIdx.x % G;  // lane within the group
    const auto group = static_cast<std::uint32_t>(kSpread ? 0 : threadIdx.x % 32 / G);
    const int warp = kSpread ? static_cast<int>(threadIdx.x / 32) : 0;
    const int threads = kSpread ? static_cast<int>(blockDim.x) : G;
    const int t = kSpread ? static_cast<int>(threadIdx.x) : lane;
    const std::uint32_t first_item = arguments.undecided.starts[arguments.group];
    const std::uint32_t items = arguments.undecided.starts[arguments.group + kLengthBins] - first_item;

    for (;;) {
        std::uint32_t ticket = 0;
        if constexpr (kSpread) {
            __syncthreads();
            if (threadIdx.x == 0) shared_ticket = atomicAdd(arguments.undecided.tickets + arguments.group, 1);
            __syncthreads();
            ticket = shared_ticket;
        } else {
            if (threadIdx.x % 32 == 0) ticket = atomicAdd(arguments.undecided.tickets + arguments.group, kGroups);
            ticket = __shfl_sync(~0u, ticket, 0);
        }
        if (ticket >= items) return;
        const bool exists = ticket + group < items;
        const std::uint32_t item = arguments.undecided.items[first_item + min(ticket + group, items - 1)];
        const std::uint32_t slot = arguments.slots[item];
        const std::uint32_t which = slot / arguments.lane_count;
        const DeviceLane target = arguments.lanes[slot - which * arguments.lane_count];
        const ViterbiMultihitProfile profile = arguments.profiles[which];
        const int move = arguments.moves[target.length_index];
        const uint4* const match = reinterpret_cast<const uint4*>(arguments.entries + profile.first_match) + t;
        const std::int16_t* const transitions = arguments.entries + profile.first_transition + t;
        const auto field = [&](ViterbiMultihitField which_field, int r) {
            return static_cast<int>(transitions[static_cast<std::ptrdiff_t>((which_field * R + r) * threads)]);
        };

        int begin[R], match_match[R], insert_match[R], delete_match[R], insert_insert[R], delete_delete[R];
        std::uint32_t leave_match[R];  // transitions from match to delete and to insert
        int M[R], I[R], D[R];
        int xb = ViterbiProfile::kBase + move;
        int pass = 0;  // sum of the delete-delete transitions of this thread
#pragma unroll
        for (int r = 0; r < R; ++r) {
            begin[r] = max(xb + field(kEnter, r), kViterbiFloor);
            match_match[r] = field(kNextMatchMatch, r);
            insert_match[r] = field(kNextInsertMatch, r);
            delete_match[r] = field(kNextDeleteMatch, r);
            insert_insert[r] = field(kInsertInsert, r);
            delete_delete[r] = field(kDeleteDelete, r);
            leave_match[r] = (static_cast<std::uint32_t>(field(kMatchDelete, r)) & 0xffff) |
                             static_cast<std::uint32_t>(field(kMatchInsert, r)) << 16;
            pass += delete_delete[r];
            M[r] = I[r] = D[r] = kViterbiFloor;
        }
        int pass_before = pass;  // sum over the warp's threads up to this one; later: over those below it
#pragma unroll
        for (int step = 1; step < G; step *= 2) {
            const int lower = __shfl_up_sync(~0u, pass_before, step, G);
            if (lane >= step) pass_before += lower;
        }
        if constexpr (kSpread) {
            if (lane == 31) {
                through[warp] = pass_before;
                handed_on[warp] = kNothingEnters;
            }
            __syncthreads();
        }
        pass_before -= pass;

        int best = kViterbiFloor, best_before = kViterbiFloor;  // greatest M since xB rose last; and up to then
        int level = ViterbiProfile::kBase - ViterbiProfile::kEndLoop;
        int handing = kNothingEnters;  // the best predecessor of the next thread's first node
        bool overflow = false;
        std::uint32_t residues = exists ? target.residues : 0;
        std::uint32_t most_residues = kGroups > 1 ? __reduce_max_sync(~0u, residues) : residues;
        // A group reads G words of the target at a time, one per thread, and G words ahead.
        const std::uint32_t word_count = (residues + kResiduesPerWord - 1) / kResiduesPerWord;
        const auto load_word = [&](std::uint32_t index) {
            return index < word_count ? arguments.words[target.first_word + std::size_t{index} * target.word_stride]
                                      : kPaddingWord;
        };
        std::uint32_t words = load_word(static_cast<std::uint32_t>(lane)),
                      next_words = load_word(static_cast<std::uint32_t>(lane) + G);
        std::uint32_t word = __shfl_sync(~0u, words, 0, G), word_index = 0, in_word = 0;
        uint4 scores[kLoads];
        const auto load_scores = [&](std::uint32_t code) {
#pragma unroll
            for (int l = 0; l < kLoads; ++l)
                scores[l] = __ldg(match + static_cast<std::ptrdiff_t>((code * kLoads + l) * threads));
        };
        load_scores(word & kResidueMask);

        for (std::uint32_t i = 0; i < most_residues; ++i) {
            int entering_match = __shfl_up_sync(~0u, handing, 1, G);
            if (lane == 0) entering_match = kSpread && warp > 0 ? handed_on[warp > 0 ? warp - 1 : 0] : kNothingEnters;
#pragma unroll
            for (int r = R - 1; r >= 0; --r) {
                int from =
                    r == 0 ? max(begin[0], entering_match) : __viaddmax_s32(M[r - 1], match_match[r - 1], begin[r]);
                if (r > 0) {
                    from = __viaddmax_s32(I[r - 1], insert_match[r - 1], from);
                    from = __viaddmax_s32(D[r - 1], delete_match[r - 1], from);
                }
                I[r] = __viaddmax_s32(I[r], insert_insert[r], add_upper(leave_match[r], M[r]));
                const uint4& eight = scores[r / 8];
                const std::uint32_t pair = r % 8 / 2 == 0   ? eight.x
                                           : r % 8 / 2 == 1 ? eight.y
                                           : r % 8 / 2 == 2 ? eight.z
                                                            : eight.w;
                M[r] = r % 2 == 0 ? add_lower(pair, from) : add_upper(pair, from);
            }
            // The next column's scores are loaded while D is computed.
            word >>= kBitsPerResidue;
            if (++in_word == kResiduesPerWord) {
                in_word = 0;
                if (++word_index % G == 0) {
                    words = next_words;
                    next_words = load_word(word_index + G + static_cast<std::uint32_t>(lane));
                }
                word = __shfl_sync(~0u, words, static_cast<int>(word_index % G), G);
            }
            load_scores(word & kResidueMask);

            int column_best = best;
#pragma unroll
            for (int r = 0; r + 1 < R; r += 2) column_best = __vimax3_s32(column_best, M[r], M[r + 1]);
            if (R % 2 == 1) column_best = max(column_best, M[R - 1]);
            if (kGroups == 1 || i < residues) best = column_best;

            int local = add_lower(leave_match[0], M[0]);
#pragma unroll
            for (int r = 1; r < R; ++r) {
                D[r] = local;  // without the value that enters
                local = __viaddmax_s32(local, delete_delete[r], add_lower(leave_match[r], M[r]));
            }
            int entering = __shfl_up_sync(~0u, local, 1, G);
            if (lane == 0) entering = kNothingEnters;
            int final_local = local;  // the value that leaves this thread, within the warp
            if (__any_sync(~0u, entering + pass > local)) {
                int prefix = local - (pass_before + pass);
#pragma unroll
                for (int step = 1; step < G; step *= 2) {
                    const int lower = __shfl_up_sync(~0u, prefix, step, G);
                    if (lane >= step) prefix = max(prefix, lower);
                }
                final_local = prefix + pass_before + pass;
                entering = __shfl_up_sync(~0u, final_local, 1, G);
                if (lane == 0) entering = kNothingEnters;
            }
            if constexpr (kSpread) {
                if (lane == 31) leaving[warp] = final_local;
                __syncthreads();
                int from_below = kNothingEnters;
#pragma unroll
                for (int other = 0; other < kThreads / 32 - 1; ++other) {
                    if (other < warp) from_below = __viaddmax_s32(from_below, through[other], leaving[other]);
                }
                entering = max(entering, from_below + pass_before);
            }
            D[0] = entering;
#pragma unroll
            for (int r = 1; r < R; ++r) D[r] = __viaddmax_s32(D[r - 1], delete_delete[r - 1], D[r]);
            handing =
                max(max(M[R - 1] + match_match[R - 1], I[R - 1] + insert_match[R - 1]), D[R - 1] + delete_match[R - 1]);

            bool rises = best > level;
            if constexpr (kSpread) {
                if (lane == 31) handed_on[warp] = handing;
                rises = __syncthreads_or(rises);
            } else {
                rises = __any_sync(~0u, rises);
            }
            if (rises) {
                int xe = group_max<G>(best);
                if constexpr (kSpread) {
                    if (lane == 0) shared_best[warp] = xe;
                    __syncthreads();
                    for (int other = 0; other < threads / 32; ++other) xe = max(xe, shared_best[other]);
                    __syncthreads();
                }
                if (xe >= INT16_MAX) {
                    overflow = true;
                    best = kViterbiFloor;
                    level = INT32_MAX;
                    residues = 0;
                } else if (xe > level) {
                    best_before = xe;
                    best = kViterbiFloor;
                    xb = xe + ViterbiProfile::kEndLoop + move;
                    level = xe;
                }
                most_residues = kGroups > 1 ? __reduce_max_sync(~0u, residues) : residues;
#pragma unroll
                for (int r = 0; r < R; ++r) begin[r] = max(xb + field(kEnter, r), kViterbiFloor);
            }
        }

        best = group_max<G>(max(best, best_before));
        if constexpr (kSpread) {
            __syncthreads();
            if (lane == 0) shared_best[warp] = best;
            __syncthreads();
            for (int other = 0; other < threads / 32; ++other) best = max(best, shared_best[other]);
        }
        if (t == 0 && exists)
            arguments.results[item] =
                overflow ? kViterbiOverflow
                         : static_cast<std::int16_t>(max(best + ViterbiProfile::kEndMove, kViterbiFloor));
    }
}

/// Computes profiles longer than any shape. A warp takes a target. Rows are in global memory, and
/// 32 nodes are computed at a time, from low to high.
static __global__ void __launch_bounds__(128)
    viterbi_multihit_long_kernel(const __grid_constant__ ViterbiMultihitArguments arguments) {
    const int lane = threadIdx.x % 32;
    int* const rows =
        arguments.rows + std::size_t{blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32} * 3 * arguments.row_nodes;
    int *const M = rows, *const I = M + arguments.row_nodes, *const D = I + arguments.row_nodes;
    const std::uint32_t first_item = arguments.undecided.starts[arguments.group];
    const std::uint32_t items = arguments.undecided.starts[arguments.group + kLengthBins] - first_item;
    for (;;) {
        std::uint32_t ticket = 0;
        if (lane == 0) ticket = atomicAdd(arguments.undecided.tickets + arguments.group, 1);
        ticket = __shfl_sync(~0u, ticket, 0);
        if (ticket >= items) return;
        const std::uint32_t item = arguments.undecided.items[first_item + ticket];
        const std::uint32_t slot = arguments.slots[item];
        const std::uint32_t which = slot / arguments.lane_count;
        const DeviceLane target = arguments.lanes[slot - which * arguments.lane_count];
        const ViterbiMultihitProfile profile = arguments.profiles[which];
        const int length = profile.length, move = arguments.moves[target.length_index];
        const std::int16_t* const transitions = arguments.entries + profile.first_transition;
        const auto field = [&](ViterbiMultihitField which_field, int k) {
            return k < length ? int{transitions[static_cast<std::ptrdiff_t>(which_field) * length + k]} : kViterbiFloor;
        };
        for (int k = lane; k < length; k += 32) M[k] = I[k] = D[k] = kViterbiFloor;
        int xj = kViterbiFloor, xc = kViterbiFloor, xb = ViterbiProfile::kBase + move;
        bool overflow = false;
        for (std::uint32_t i = 0; i < target.residues && !overflow; ++i) {
            const std::uint32_t word = arguments.words[target.first_word + i / kResiduesPerWord * target.word_stride];
            const std::uint32_t code = word >> (kBitsPerResidue * (i % kResiduesPerWord)) & kResidueMask;
            const std::int16_t* const match =
                arguments.entries + profile.first_match + std::size_t{code} * static_cast<std::size_t>(length);
            int xe = kViterbiFloor;
            int entering_match = kViterbiFloor, entering_delete = kViterbiFloor;
            for (int first = 0; first < length; first += 32) {
                const int k = first + lane;
                const bool inside = k < length;
                const int m = inside ? M[k] : kViterbiFloor, ins = inside ? I[k] : kViterbiFloor,
                          del = inside ? D[k] : kViterbiFloor;
                const int predecessor = max(max(m + field(kNextMatchMatch, k), ins + field(kNextInsertMatch, k)),
                                            del + field(kNextDeleteMatch, k));
                int from = __shfl_up_sync(~0u, predecessor, 1);
                if (lane == 0) from = entering_match;
                entering_match = __shfl_sync(~0u, predecessor, 31);
                from = max(max(from, xb + field(kEnter, k)), kViterbiFloor);
                const int new_match = max(from + (inside ? int{match[k]} : kViterbiFloor), kViterbiFloor);
                const int new_insert =
                    max(max(m + field(kMatchInsert, k), ins + field(kInsertInsert, k)), kViterbiFloor);
                // The value that leaves each node towards the delete state of the next node, and
                // the sum of delete-delete transitions through the nodes so far.
                int leaves = new_match + field(kMatchDelete, k), through = field(kDeleteDelete, k);
                for (int step = 1; step < 32; step *= 2) {
                    const int lower = __shfl_up_sync(~0u, leaves, step),
                              lower_through = __shfl_up_sync(~0u, through, step);
                    if (lane >= step) {
                        leaves = max(leaves, lower + through);
                        through += lower_through;
                    }
                }
                leaves = max(max(leaves, entering_delete + through), kViterbiFloor);
                int new_delete = __shfl_up_sync(~0u, leaves, 1);
                if (lane == 0) new_delete = entering_delete;
                entering_delete = __shfl_sync(~0u, leaves, 31);
                if (inside) {
                    M[k] = new_match;
                    I[k] = new_insert;
                    D[k] = new_delete;
                }
                xe = max(xe, new_match);
            }
            xe = group_max<32>(xe);
            overflow = xe >= INT16_MAX;
            xc = max(xc, xe + ViterbiProfile::kEndMove);
            xj = max(xj, xe + ViterbiProfile::kEndLoop);
            xb = max(xj, ViterbiProfile::kBase) + move;
        }
        if (lane == 0) arguments.results[item] = overflow ? kViterbiOverflow : static_cast<std::int16_t>(xc);
    }
}

}  // namespace warpseq::cuda
