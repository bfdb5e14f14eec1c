// The GPU's Viterbi multihit kernels: the Viterbi filter (kernels/profile/viterbi_filter.h) with J,
// row by row, for the undecided items of a list. Results are the integers of the contract.
//
// Recurrence. It is that of the contract, with J and C replaced by the greatest xE:
//
//     M(i,k) = max( begin(k), M(i-1,k-1) + match_match, I(i-1,k-1) + insert_match,
//                   D(i-1,k-1) + delete_match ) + match(x_i, k)       begin(k) = xB + enter(k)
//     I(i,k) = max( M(i-1,k) + match_insert, I(i-1,k) + insert_insert )
//     D(i,k) = max( M(i,k-1) + match_delete, D(i,k-1) + delete_delete )
//
// All are minus infinity (-32768) before the first column and before the first node.
//
// Numbers. Sums are 32-bit integers. They do not saturate, except that a path's entry from B is
// clamped. Let F = -32768. The contract replaces each sum s by max(F, s). All transitions t are at
// most 0. So it makes no difference whether a value a is clamped before a transition or after it:
//
//     max(F, max(F, a) + t) = max(F, a + t)          for t <= 0
//
// Therefore a clamp may be delayed over any number of maxima and transitions. Every path of I and D
// ends in the maximum of a match state. This maximum also includes begin(k) = max(F, xB +
// enter(k)), which is at least F and so does the delayed clamp. M itself is the only sum that may
// grow. It is formed from that maximum, and is followed by transitions only. No value falls below F
// + 3 F, so 32 bits suffice. A sum that saturates at 32767 is the overflow that ends the target.
//
// Layout. A thread holds R nodes in registers. A warp has 32 / T targets with T threads each, T =
// 8, 16 or 32. Or the warps of a block share a target. Targets that are done continue over padding
// until the longest one is done, and the values computed there are dropped.
//
//     thread 0         thread 1          ...   thread T - 1
//     | 0 .. R - 1 |   | R .. 2R - 1 |         | (T - 1) R .. T R - 1 |      nodes
//             handing ->        handing ->                                   best predecessor of M
//             D       ->        D       ->                                   within the column
//
// In a column:
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
// If several warps share a target, they exchange these values through shared memory: the D that
// leaves each warp, and the best predecessor that its last thread computes for the next warp.
//
// Ceiling. The integer pipe allows 2.4e12 cells per second on an H200. The kernels reach 1.07e12 to
// 1.54e12. The integer pipe is busy for 74 % of the time at 10 to 12 warps a multiprocessor
// (docs/lab-notes.md, "Profile HMMs on GPUs").
//
// Source. Eddy, PLoS Comput Biol 7:e1002195 (2011), for the filter. HMMER evaluates D lazily. The
// prefix maximum over threads and the votes are warpseq's own.
#pragma once

#include <cstdint>

#include "kernels/gpu/device_targets.cuh"
#include "kernels/profile/undecided_items_gpu.cuh"
#include "kernels/profile/viterbi_filter.h"
#include "kernels/profile/viterbi_multihit_plan_gpu.h"
#include "kernels/profile/viterbi_multihit_threads_gpu.cuh"

namespace warpseq::cuda {

/// Rows of a profile without a shape: M, I and D.
inline constexpr std::uint32_t kViterbiMultihitRows = 3;

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
    int* rows;  // rows of profiles without a shape, kViterbiMultihitRows * row_nodes entries for each warp
    std::uint32_t row_nodes;
    std::int16_t* results;
};

/// The states around the core model of a target with J. All threads of its group hold the same
/// values, except `best`.
struct ViterbiMultihitSpecial {
    int move;
    int xb;
    int best = kViterbiFloor, best_before = kViterbiFloor;         // greatest M since xB rose last; and up to then
    int level = ViterbiProfile::kBase - ViterbiProfile::kEndLoop;  // xB rises if an M exceeds it
    bool overflow = false;

    __device__ __forceinline__ explicit ViterbiMultihitSpecial(int move_of_length)
        : move(move_of_length), xb(ViterbiProfile::kBase + move) {}

    /// Takes the greatest M since xB rose last. An overflow ends the target: it sets `residues` to
    /// 0.
    __device__ __forceinline__ void rise(int xe, std::uint32_t& residues) {
        if (xe >= kViterbiOverflow) {
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
    }
    /// Returns the target's result. `greatest` is the greatest M.
    __device__ __forceinline__ std::int16_t result(int greatest) const {
        return overflow ? kViterbiOverflow
                        : static_cast<std::int16_t>(max(greatest + ViterbiProfile::kEndMove, kViterbiFloor));
    }
};

/// Computes items of the shape's bins. If kSpread is true, all warps of a block share a target, and
/// G is 32. Otherwise G threads share one.
template <int G, int R, bool kSpread, int kThreads, int kMinBlocks>
__global__ void __launch_bounds__(kThreads, kMinBlocks)
    viterbi_multihit_kernel(const __grid_constant__ ViterbiMultihitArguments arguments) {
    using Threads = ViterbiMultihitThreads<G, kSpread, kThreads / 32>;
    constexpr std::uint32_t kGroups = Threads::kGroups;
    __shared__ ViterbiMultihitExchange<kThreads / 32> exchange;
    Threads threads{exchange};
    const std::uint32_t first_item = arguments.undecided.starts[arguments.group];
    const std::uint32_t items = arguments.undecided.starts[arguments.group + kLengthBins] - first_item;

    for (;;) {
        const std::uint32_t ticket = threads.take(arguments.undecided.tickets + arguments.group);
        if (ticket >= items) return;
        const bool exists = ticket + threads.group < items;
        const std::uint32_t item = arguments.undecided.items[first_item + min(ticket + threads.group, items - 1)];
        const std::uint32_t slot = arguments.slots[item];
        const std::uint32_t which = slot / arguments.lane_count;
        const DeviceLane target = arguments.lanes[slot - which * arguments.lane_count];
        ViterbiMultihitSpecial special(arguments.moves[target.length_index]);
        ViterbiMultihitNodes<R> nodes(arguments.entries, arguments.profiles[which], threads.count, threads.t);
        threads.prepare(nodes.load(special.xb));

        int handing = kNothingEnters;  // the best predecessor of the next thread's first node
        std::uint32_t residues = exists ? target.residues : 0;
        std::uint32_t most_residues = kGroups > 1 ? __reduce_max_sync(~0u, residues) : residues;
        ViterbiMultihitResidues<G> reader(arguments.words, target, residues, threads.lane);
        nodes.load_scores(reader.code());
        for (std::uint32_t i = 0; i < most_residues; ++i) {
            nodes.compute_match_and_insert(threads.enter_match(handing));
            // The next column's scores are loaded while D is computed.
            reader.advance();
            nodes.load_scores(reader.code());
            const int column_best = nodes.greatest_match(special.best);
            if (kGroups == 1 || i < residues) special.best = column_best;
            nodes.finish_deletes(threads.enter_delete(nodes.run_deletes()));
            handing = nodes.best_predecessor();
            if (threads.end_column(special.best > special.level, handing)) {
                const int xe = threads.greatest(special.best);
                if constexpr (kSpread) __syncthreads();
                special.rise(xe, residues);
                most_residues = kGroups > 1 ? __reduce_max_sync(~0u, residues) : residues;
                nodes.set_begin(special.xb);
            }
        }

        if constexpr (kSpread) __syncthreads();
        const int greatest = threads.greatest(max(special.best, special.best_before));
        if (threads.t == 0 && exists) arguments.results[item] = special.result(greatest);
    }
}

/// Computes profiles longer than any shape. A warp takes a target. Rows are in global memory, and
/// 32 nodes are computed at a time, from low to high.
static __global__ void __launch_bounds__(128)
    viterbi_multihit_long_kernel(const __grid_constant__ ViterbiMultihitArguments arguments) {
    const int lane = threadIdx.x % 32;
    int* const rows = arguments.rows + std::size_t{blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32} *
                                           kViterbiMultihitRows * arguments.row_nodes;
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
            overflow = xe >= kViterbiOverflow;
            xc = max(xc, xe + ViterbiProfile::kEndMove);
            xj = max(xj, xe + ViterbiProfile::kEndLoop);
            xb = max(xj, ViterbiProfile::kBase) + move;
        }
        if (lane == 0) arguments.results[item] = overflow ? kViterbiOverflow : static_cast<std::int16_t>(xc);
    }
}

}  // namespace warpseq::cuda
