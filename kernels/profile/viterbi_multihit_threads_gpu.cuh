// The parts of the GPU's Viterbi multihit kernel (viterbi_multihit_kernel_gpu.cuh): the threads
// that share a target, the target's residues, and the transitions and cells of a thread's nodes.
#pragma once

#include <cstdint>

#include "kernels/gpu/device_targets.cuh"
#include "kernels/gpu/group_max.cuh"
#include "kernels/profile/viterbi_filter.h"
#include "kernels/profile/viterbi_multihit_plan_gpu.h"

namespace warpseq::cuda {

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

/// The values that the warps of a block exchange if they share a target.
template <int kWarps>
struct ViterbiMultihitExchange {
    int leaving[kWarps];    // the D that leaves each warp if nothing enters it
    int through[kWarps];    // sum of the delete-delete transitions of each warp
    int handed_on[kWarps];  // the best predecessor of the next warp's first node
    int best[kWarps];
    std::uint32_t ticket;
};

/// The threads that share a target, as one of them sees them: G threads of a warp, or all warps of
/// a block (kSpread).
template <int G, bool kSpread, int kWarps>
struct ViterbiMultihitThreads {
    static constexpr std::uint32_t kGroups = kSpread ? 1 : 32 / G;  // of a warp
    ViterbiMultihitExchange<kWarps>& exchange;
    const int lane = threadIdx.x % G;  // lane within the group
    const std::uint32_t group = static_cast<std::uint32_t>(kSpread ? 0 : threadIdx.x % 32 / G);
    const int warp = kSpread ? static_cast<int>(threadIdx.x / 32) : 0;
    const int count = kSpread ? static_cast<int>(blockDim.x) : G;
    const int t = kSpread ? static_cast<int>(threadIdx.x) : lane;
    // Sums of delete-delete transitions: of this thread, and of the warp's threads below it.
    int pass = 0, pass_before = 0;

    /// Takes kGroups items. Returns the number of the first one.
    __device__ __forceinline__ std::uint32_t take(unsigned* tickets) const {
        std::uint32_t ticket = 0;
        if constexpr (kSpread) {
            __syncthreads();
            if (threadIdx.x == 0) exchange.ticket = atomicAdd(tickets, 1);
            __syncthreads();
            ticket = exchange.ticket;
        } else {
            if (threadIdx.x % 32 == 0) ticket = atomicAdd(tickets, kGroups);
            ticket = __shfl_sync(~0u, ticket, 0);
        }
        return ticket;
    }

    /// Prepares the exchange of deletes for a profile. `delete_delete` is the sum of the thread's
    /// delete-delete transitions.
    __device__ __forceinline__ void prepare(int delete_delete) {
        pass = delete_delete;
        pass_before = pass;
#pragma unroll
        for (int step = 1; step < G; step *= 2) {
            const int lower = __shfl_up_sync(~0u, pass_before, step, G);
            if (lane >= step) pass_before += lower;
        }
        if constexpr (kSpread) {
            if (lane == 31) {
                exchange.through[warp] = pass_before;
                exchange.handed_on[warp] = kNothingEnters;
            }
            __syncthreads();
        }
        pass_before -= pass;
    }

    /// Returns the best predecessor of the thread's first node, which the thread before has
    /// computed as `handing`.
    __device__ __forceinline__ int enter_match(int handing) const {
        int entering = __shfl_up_sync(~0u, handing, 1, G);
        if (lane == 0) entering = kSpread && warp > 0 ? exchange.handed_on[warp > 0 ? warp - 1 : 0] : kNothingEnters;
        return entering;
    }

    /// Returns the D that enters the thread's first node. `local` is the value that leaves the
    /// thread's last node if nothing enters. Mostly no value passes a whole thread, and then the
    /// result is the `local` of the thread before. Otherwise it is a prefix maximum of `local` less
    /// sums of transitions.
    __device__ __forceinline__ int enter_delete(int local) const {
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
            if (lane == 31) exchange.leaving[warp] = final_local;
            __syncthreads();
            int from_below = kNothingEnters;
#pragma unroll
            for (int other = 0; other < kWarps - 1; ++other) {
                if (other < warp)
                    from_below = __viaddmax_s32(from_below, exchange.through[other], exchange.leaving[other]);
            }
            entering = max(entering, from_below + pass_before);
        }
        return entering;
    }

    /// Ends a column. Returns whether xB rises in any of the warp's targets, and stores `handing`
    /// for the next warp.
    __device__ __forceinline__ bool end_column(bool rises, int handing) const {
        if constexpr (kSpread) {
            if (lane == 31) exchange.handed_on[warp] = handing;
            return __syncthreads_or(rises);
        } else {
            return __any_sync(~0u, rises);
        }
    }

    /// Returns the greatest value of the threads.
    __device__ __forceinline__ int greatest(int a) const {
        a = group_max<G>(a);
        if constexpr (kSpread) {
            if (lane == 0) exchange.best[warp] = a;
            __syncthreads();
            for (int other = 0; other < count / 32; ++other) a = max(a, exchange.best[other]);
        }
        return a;
    }
};

/// The residues of a target. A group reads G words of it at a time, one per thread, and G words
/// ahead.
template <int G>
struct ViterbiMultihitResidues {
    const std::uint32_t* words_of_all;
    const DeviceLane& target;
    int lane;
    std::uint32_t word_count;
    std::uint32_t words, next_words;
    std::uint32_t word, word_index = 0, in_word = 0;

    __device__ __forceinline__ ViterbiMultihitResidues(const std::uint32_t* all, const DeviceLane& lane_of_target,
                                                       std::uint32_t residues, int lane_of_group)
        : words_of_all(all), target(lane_of_target), lane(lane_of_group) {
        word_count = (residues + kResiduesPerWord - 1) / kResiduesPerWord;
        words = load(static_cast<std::uint32_t>(lane));
        next_words = load(static_cast<std::uint32_t>(lane) + G);
        word = __shfl_sync(~0u, words, 0, G);
    }
    __device__ __forceinline__ std::uint32_t load(std::uint32_t index) const {
        return index < word_count ? words_of_all[target.first_word + std::size_t{index} * target.word_stride]
                                  : kPaddingWord;
    }
    __device__ __forceinline__ std::uint32_t code() const { return word & kResidueMask; }
    __device__ __forceinline__ void advance() {
        word >>= kBitsPerResidue;
        if (++in_word == kResiduesPerWord) {
            in_word = 0;
            if (++word_index % G == 0) {
                words = next_words;
                next_words = load(word_index + G + static_cast<std::uint32_t>(lane));
            }
            word = __shfl_sync(~0u, words, static_cast<int>(word_index % G), G);
        }
    }
};

/// The transitions of a thread's R nodes, its cells, and the match scores of its next column.
template <int R>
struct ViterbiMultihitNodes {
    static constexpr int kLoads = ViterbiMultihitLayout{1, R}.loads();
    const uint4* match;
    const std::int16_t* transitions;
    ViterbiMultihitLayout layout;
    int begin[R];  // the value that leads from B
    int match_match[R], insert_match[R], delete_match[R], insert_insert[R], delete_delete[R];
    std::uint32_t leave_match[R];  // transitions from match to delete and to insert
    int M[R], I[R], D[R];
    uint4 scores[kLoads];

    /// Makes the nodes of thread t of `threads`.
    __device__ __forceinline__ ViterbiMultihitNodes(const std::int16_t* entries, const ViterbiMultihitProfile& profile,
                                                    int threads, int t)
        : match(reinterpret_cast<const uint4*>(entries + profile.first_match) + t),
          transitions(entries + profile.first_transition + t),
          layout{threads, R} {}

    __device__ __forceinline__ int field(ViterbiMultihitField which, int r) const {
        return static_cast<int>(transitions[layout.transition_place(which, r)]);
    }
    __device__ __forceinline__ void set_begin(int xb) {
#pragma unroll
        for (int r = 0; r < R; ++r) begin[r] = max(xb + field(kEnter, r), kViterbiFloor);
    }
    /// Loads the transitions and clears the cells. Returns the sum of the delete-delete
    /// transitions.
    __device__ __forceinline__ int load(int xb) {
        int pass = 0;
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
        return pass;
    }
    __device__ __forceinline__ void load_scores(std::uint32_t code) {
#pragma unroll
        for (int l = 0; l < kLoads; ++l) scores[l] = __ldg(match + layout.load_place(code, l));
    }

    /// Computes M and I of a column in place, from the last node to the first. `entering` is the
    /// best predecessor of the first node.
    __device__ __forceinline__ void compute_match_and_insert(int entering) {
#pragma unroll
        for (int r = R - 1; r >= 0; --r) {
            int from = r == 0 ? max(begin[0], entering) : __viaddmax_s32(M[r - 1], match_match[r - 1], begin[r]);
            if (r > 0) {
                from = __viaddmax_s32(I[r - 1], insert_match[r - 1], from);
                from = __viaddmax_s32(D[r - 1], delete_match[r - 1], from);
            }
            I[r] = __viaddmax_s32(I[r], insert_insert[r], add_upper(leave_match[r], M[r]));
            const std::uint32_t pair = score_pair(r);
            M[r] = r % 2 == 0 ? add_lower(pair, from) : add_upper(pair, from);
        }
    }
    /// Returns the greatest M of the column, or `best` if it is greater.
    __device__ __forceinline__ int greatest_match(int best) const {
#pragma unroll
        for (int r = 0; r + 1 < R; r += 2) best = __vimax3_s32(best, M[r], M[r + 1]);
        if (R % 2 == 1) best = max(best, M[R - 1]);
        return best;
    }
    /// Computes D of a column as if nothing entered the first node. Returns the value that then
    /// leaves the last node.
    __device__ __forceinline__ int run_deletes() {
        int local = add_lower(leave_match[0], M[0]);
#pragma unroll
        for (int r = 1; r < R; ++r) {
            D[r] = local;
            local = __viaddmax_s32(local, delete_delete[r], add_lower(leave_match[r], M[r]));
        }
        return local;
    }
    /// Adds the value that enters the first node to D.
    __device__ __forceinline__ void finish_deletes(int entering) {
        D[0] = entering;
#pragma unroll
        for (int r = 1; r < R; ++r) D[r] = __viaddmax_s32(D[r - 1], delete_delete[r - 1], D[r]);
    }
    /// Returns the best predecessor of the next thread's first node.
    __device__ __forceinline__ int best_predecessor() const {
        return max(max(M[R - 1] + match_match[R - 1], I[R - 1] + insert_match[R - 1]), D[R - 1] + delete_match[R - 1]);
    }

   private:
    /// Returns the scores of node r and the other node of its pair.
    __device__ __forceinline__ std::uint32_t score_pair(int r) const {
        const uint4& eight = scores[r / 8];
        return r % 8 / 2 == 0 ? eight.x : r % 8 / 2 == 1 ? eight.y : r % 8 / 2 == 2 ? eight.z : eight.w;
    }
};

}  // namespace warpseq::cuda
