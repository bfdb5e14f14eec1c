// The parts of the GPU's Forward kernels (forward_kernel_gpu.cuh): their arguments, the special
// states, the reader of residues, the nodes of a thread, and the exchange between warps.
#pragma once

#include <cstdint>
#include <numbers>

#include "kernels/gpu/device_targets.cuh"
#include "kernels/profile/forward_backward.h"
#include "kernels/profile/forward_plan_gpu.h"
#include "kernels/profile/work_list_gpu.cuh"
#include "libcore/sequence/tile.h"

namespace warpseq::cuda {

/// A part of the list in which all pairs have the same profile. The tickets of a launch are
/// numbered through its segments.
struct ForwardSegment {
    std::uint32_t profile;
    std::uint32_t first, count;  // in the list
    std::uint32_t first_ticket;
};

struct ForwardArguments {
    const std::uint32_t* words;
    const DeviceLane* lanes;
    const std::uint32_t* slots;
    std::uint32_t lane_count;
    const float* numbers;
    const std::size_t* firsts;  // [profile] into numbers
    const ForwardSegment* segments;
    std::uint32_t segment_count;  // one more segment follows; its first_ticket is the number of all tickets
    unsigned* ticket;             // zero at the start
    float* results;
    int warps;             // warps of a group of several
    int nodes_per_thread;  // nodes a thread of long models
    float* state;          // state of long models, [block][m, i, s][node][thread]
};

inline constexpr unsigned kAllLanes = 0xffffffffu;

/// Returns the power of two that scales a number above 1 into the range 1..2. Sets `exponent` to
/// its negated exponent. A power below the normal floats is replaced by the least normal one.
__device__ __forceinline__ float power_below_one(float x, int& exponent) {
    constexpr int kMantissaBits = 23, kExponentBias = 127;  // of a float
    exponent = min(static_cast<int>(__float_as_uint(x) >> kMantissaBits) - kExponentBias, kExponentBias - 1);
    return __uint_as_float(static_cast<unsigned>(kExponentBias - exponent) << kMantissaBits);
}

/// The special states N, B and J (which equals C) of one target. All threads of its group hold the
/// same values.
struct ForwardSpecial {
    float loop, move, n, j, b;
    int exponent;

    __device__ __forceinline__ void begin(std::uint32_t residues) {
        // The same floats as in LengthModel::multihit().
        move = __fdiv_rn(3.0f, __fadd_rn(__fadd_rn(static_cast<float>(residues), 2.0f), 1.0f));
        loop = __fsub_rn(1.0f, move);
        n = 1;
        j = 0;
        b = move;
        exponent = 0;
    }
    __device__ __forceinline__ void row(float e, std::uint32_t code) {
        const float stay = code == kPaddingCode ? 1.0f : loop;
        n *= stay;
        j = fmaf(j, stay, 0.5f * e);
        b = (j + n) * move;
    }
    __device__ __forceinline__ void rescale(float factor, int by) {
        n *= factor;
        j *= factor;
        b *= factor;
        exponent += by;
    }
    /// Returns the score, or infinity if the host has to compute it.
    __device__ __forceinline__ float score_nats() const {
        const double score = log(static_cast<double>(j) * static_cast<double>(move)) + exponent * std::numbers::ln2;
        return isfinite(score) ? static_cast<float>(score) : INFINITY;
    }
};

/// Reads the words of a target, one ahead.
struct ForwardReader {
    const std::uint32_t* next;
    std::uint32_t stride, left;

    __device__ __forceinline__ void begin(const std::uint32_t* words, const DeviceLane& lane) {
        next = words + lane.first_word;
        stride = lane.word_stride;
        left = (lane.residues + kResiduesPerWord - 1) / kResiduesPerWord;
    }
    __device__ __forceinline__ std::uint32_t read() {
        if (left == 0) return kPaddingWord;
        --left;
        const std::uint32_t word = __ldg(next);
        next += stride;
        return word;
    }
};

/// A thread's part of one target's row, and the odds of its next row.
template <int R>
struct ForwardRow {
    static constexpr int kLoads = (R + 3) / 4;
    float odds[4 * kLoads];
    float m[R], i[R], s[R];
    float from_left;  // s of the node before the first

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int node = 0; node < R; ++node) m[node] = i[node] = s[node] = 0;
        from_left = 0;
    }
    __device__ __forceinline__ void rescale(float factor) {
#pragma unroll
        for (int node = 0; node < R; ++node) {
            m[node] *= factor;
            i[node] *= factor;
            s[node] *= factor;
        }
        from_left *= factor;
    }
};

/// The factors of one thread's nodes, in registers. A group is kLanes lanes of a warp, or several
/// whole warps.
template <int kLanes, int R>
struct ForwardNodes {
    using Row = ForwardRow<R>;
    static constexpr int kLevels = kLanes == 32 ? 5 : kLanes == 16 ? 4 : kLanes == 8 ? 3 : 2;
    float match_match[R], insert_match[R], delete_match[R], insert_insert[R], match_delete[R], delete_delete[R],
        entering_delete[R];
    float scan[kLevels];
    const float4* odds;
    int threads;

    __device__ __forceinline__ void load(const float* numbers, const ForwardLayout& layout, int threads_of_group,
                                         int thread) {
        threads = threads_of_group;
        const float* const from = numbers + layout.coefficients + thread;
#pragma unroll
        for (int node = 0; node < R; ++node) {
            const auto factor = [&](int kind) { return __ldg(from + (kind * R + node) * threads); };
            match_match[node] = factor(kForwardMatchMatch);
            insert_match[node] = factor(kForwardInsertMatch);
            delete_match[node] = factor(kForwardDeleteMatch);
            insert_insert[node] = factor(kForwardInsertInsert);
            match_delete[node] = factor(kForwardMatchDelete);
            delete_delete[node] = factor(kForwardDeleteDelete);
            entering_delete[node] = factor(kForwardEnteringDelete);
        }
#pragma unroll
        for (int level = 0; level < kLevels; ++level)
            scan[level] = __ldg(numbers + layout.scan + level * threads + thread);
        odds = reinterpret_cast<const float4*>(numbers + layout.odds) + thread;
    }

    /// Loads the odds of the next row. Called as soon as the row no longer needs its own odds,
    /// because loads take long.
    __device__ __forceinline__ void fetch(Row& row, std::uint32_t code) const {
        const float4* const at = odds + code * static_cast<std::uint32_t>(Row::kLoads * threads);
#pragma unroll
        for (int l = 0; l < Row::kLoads; ++l) {
            const float4 four = __ldg(at + l * threads);
            row.odds[4 * l] = four.x;
            row.odds[4 * l + 1] = four.y;
            row.odds[4 * l + 2] = four.z;
            row.odds[4 * l + 3] = four.w;
        }
    }

    /// Computes a row up to the sums over threads. Returns the thread's part of E. Sets `carried`
    /// to the value that deletes carry out of the thread. s still lacks the value that deletes
    /// carry into the thread. Fetches the odds of the next row.
    __device__ __forceinline__ float compute(Row& row, std::uint32_t next_code, float b, float& carried) const {
#pragma unroll
        for (int node = 0; node < R; ++node) {
            row.i[node] = fmaf(row.i[node], insert_insert[node], row.m[node]);
            row.m[node] = (b + (node == 0 ? row.from_left : row.s[node > 0 ? node - 1 : 0])) * row.odds[node];
        }
        fetch(row, next_code);
        float sums[2] = {row.m[0], row.m[1]};
#pragma unroll
        for (int node = 2; node < R; ++node) sums[node % 2] += row.m[node];
        float deleted = 0;
#pragma unroll
        for (int node = 0; node < R; ++node) {
            row.s[node] = fmaf(row.i[node], insert_match[node], row.m[node] * match_match[node]);
            if (node > 0) row.s[node] = fmaf(deleted, delete_match[node], row.s[node]);
            deleted = node == 0 ? row.m[0] * match_delete[0]
                                : fmaf(deleted, delete_delete[node], row.m[node] * match_delete[node]);
        }
        carried = deleted;
        return sums[0] + sums[1];
    }

    /// Sums over kLanes lanes. `e` becomes the sum over all of them, and `carried` the scan over
    /// this lane and those before it. Returns the scan of `carried` over the lanes before it.
    __device__ __forceinline__ float join(float& e, float& carried) const {
#pragma unroll
        for (int level = 0; level < kLevels; ++level) {
            const float before = __shfl_up_sync(kAllLanes, carried, 1u << level, kLanes);
            e += __shfl_xor_sync(kAllLanes, e, 1 << level, kLanes);
            carried = fmaf(before, scan[level], carried);
        }
        const float before = __shfl_up_sync(kAllLanes, carried, 1, kLanes);
        return threadIdx.x % kLanes == 0 ? 0.0f : before;
    }

    /// Completes the row. `entering` is the value that deletes carry into the thread. The thread
    /// also gets s of the node before its first; `outside` is this value for lane 0.
    __device__ __forceinline__ void finish(Row& row, float entering, float outside) const {
#pragma unroll
        for (int node = 0; node < R; ++node) row.s[node] = fmaf(entering, entering_delete[node], row.s[node]);
        row.from_left = __shfl_up_sync(kAllLanes, row.s[R - 1], 1, kLanes);
        if (threadIdx.x % kLanes == 0) row.from_left = outside;
    }
};

/// Returns the warp whose sums a lane reads. The lanes repeat with a period of the least power of
/// two that is not below `warps`.
__device__ __forceinline__ unsigned exchanged_warp(int warps) {
    return threadIdx.x % 32 & ((1u << (32 - __clz(warps - 1))) - 1);
}

/// The values that each warp writes for the other warps of its group, for each of kTargets targets.
template <int kTargets>
struct ForwardExchange {
    float4 of[2][kTargets]
             [kMostForwardWarps];  // E, the value that deletes carry out, s of the last node less values that enter

    /// Exchanges values with one barrier. On return `e` is the sum over the group, `entering` the
    /// value that enters the warp's deletes, and `outside` is s of the node before the warp's
    /// first. Only lane 31's `last_sum` is used.
    __device__ __forceinline__ void exchange(unsigned buffer, int warps, float carries_deletes, float carries_sums,
                                             float (&e)[kTargets], const float (&carried)[kTargets],
                                             const float (&last_sum)[kTargets], float (&entering)[kTargets],
                                             float (&outside)[kTargets]) {
        const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
        if (lane == 31) {
#pragma unroll
            for (int t = 0; t < kTargets; ++t) of[buffer][t][warp] = {e[t], carried[t], last_sum[t], 0};
        }
        __syncthreads();
        const int from = static_cast<int>(exchanged_warp(warps));
#pragma unroll
        for (int t = 0; t < kTargets; ++t) {
            float4 left{};
            if (from < warps) left = of[buffer][t][from];
            e[t] = left.x;
            entering[t] = left.y * carries_deletes;
            outside[t] = fmaf(left.y, carries_sums, from == warp - 1 ? left.z : 0.0f);
        }
#pragma unroll
        for (int step = 1; step < kMostForwardWarps; step *= 2) {
            if (step < warps) {
#pragma unroll
                for (int t = 0; t < kTargets; ++t) {
                    e[t] += __shfl_xor_sync(kAllLanes, e[t], step);
                    entering[t] += __shfl_xor_sync(kAllLanes, entering[t], step);
                    outside[t] += __shfl_xor_sync(kAllLanes, outside[t], step);
                }
            }
        }
    }
};

/// The targets of a block's current ticket. The block computes kTargets of them at a time.
template <int kTargets>
struct ForwardBlockTask {
    ForwardSegment segment;
    std::uint32_t item, count;  // in the list
    DeviceLane targets[kTargets];

    /// Takes the next ticket. Returns false if there is none. All threads of the block have to call
    /// it.
    __device__ bool next(const ForwardArguments& arguments, std::uint32_t& at, unsigned& shared_ticket) {
        __syncthreads();
        if (threadIdx.x == 0) shared_ticket = atomicAdd(arguments.ticket, 1u);
        __syncthreads();
        const unsigned ticket = shared_ticket;
        while (at < arguments.segment_count && ticket >= arguments.segments[at + 1].first_ticket) ++at;
        if (at == arguments.segment_count) return false;
        segment = arguments.segments[at];
        const std::uint32_t before = (ticket - segment.first_ticket) * kTargets;
        item = segment.first + before;
        count = segment.count - before;
#pragma unroll
        for (std::uint32_t t = 0; t < kTargets; ++t) {
            targets[t] = {};
            if (t < count)
                targets[t] = arguments.lanes[arguments.slots[item + t] - segment.profile * arguments.lane_count];
        }
        return true;
    }
};

}  // namespace warpseq::cuda
