// The GPU's Forward kernels. They compute the recurrence of forward_plan_gpu.h row by row, because
// E of each row leads into the next row through J.
//
// A thread keeps m, i and s of its R nodes and all their factors in registers. Only the odds are
// loaded: 4 bytes per cell, in coalesced loads, most of which hit the first-level cache. The
// threads of a group exchange two values in each row by shuffles that run side by side: the sum E,
// and the scan of the values that deletes carry from thread to thread. In groups of several warps,
// each warp stores its part of these values in shared memory. This takes one barrier per row, with
// alternating buffers. Each warp then sums the values that it needs: E, the values that enter its
// deletes, and s of the last node before its first node.
//
// A row whose E is above 10^4 is multiplied by a power of two, which is exact. The exponents are
// summed, and their logarithm is added at the end. C equals J in a multihit model. The odds of
// padding are 0 and its loops 1, so C does not change behind a target's end.
#pragma once

#include <cstdint>

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
/// its negated exponent.
__device__ __forceinline__ float power_below_one(float x, int& exponent) {
    exponent = min(static_cast<int>(__float_as_uint(x) >> 23) - 127, 126);
    return __uint_as_float(static_cast<unsigned>(127 - exponent) << 23);
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
        const double score = log(static_cast<double>(j) * static_cast<double>(move)) + exponent * 0.693147180559945309;
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

inline constexpr int kForwardLanesThreads = 128;  // threads of a block of forward_lanes_kernel

/// Runs groups of kLanes lanes of a warp, each with one target. A ticket stands for 32 / kLanes
/// targets, which a warp takes.
template <int kLanes, int R>
__global__ void __launch_bounds__(kForwardLanesThreads, 32 * forward_resident_warps(R, 1) / kForwardLanesThreads)
    forward_lanes_kernel(const ForwardArguments arguments) {
    constexpr std::uint32_t kTargets = 32 / kLanes;
    constexpr ForwardLayout kLayout(kLanes, 1, R);
    const unsigned lane = threadIdx.x % 32, thread = lane % kLanes;
    ForwardNodes<kLanes, R> nodes;
    std::uint32_t at = 0, loaded = UINT32_MAX;
    for (;;) {
        unsigned ticket = 0;
        if (lane == 0) ticket = atomicAdd(arguments.ticket, 1u);
        ticket = __shfl_sync(kAllLanes, ticket, 0);
        while (at < arguments.segment_count && ticket >= arguments.segments[at + 1].first_ticket) ++at;
        if (at == arguments.segment_count) return;
        const ForwardSegment segment = arguments.segments[at];
        if (segment.profile != loaded) {
            loaded = segment.profile;
            nodes.load(arguments.numbers + arguments.firsts[loaded], kLayout, kLanes, static_cast<int>(thread));
        }
        const std::uint32_t item = (ticket - segment.first_ticket) * kTargets + lane / kLanes;
        DeviceLane target{};
        if (item < segment.count)
            target = arguments.lanes[arguments.slots[segment.first + item] - segment.profile * arguments.lane_count];
        ForwardReader reader;
        reader.begin(arguments.words, target);
        const unsigned words = __reduce_max_sync(kAllLanes, reader.left);
        ForwardSpecial special;
        special.begin(target.residues);
        ForwardRow<R> row;
        row.clear();
        std::uint32_t next = reader.read();
        nodes.fetch(row, next & kResidueMask);
        for (unsigned w = 0; w < words; ++w) {
            std::uint32_t word = next;
            next = reader.read();
#pragma unroll  // 12 to 20% quicker than a loop
            for (unsigned r = 1; r <= kResiduesPerWord; ++r) {
                const std::uint32_t code = word & kResidueMask;
                word = r < kResiduesPerWord ? word >> kBitsPerResidue : next;
                float carried;
                float e = nodes.compute(row, word & kResidueMask, special.b, carried);
                nodes.finish(row, nodes.join(e, carried), 0.0f);
                special.row(e, code);
                const bool high = e > kForwardRescaleAbove;
                if (__any_sync(kAllLanes, high)) {
                    int exponent = 0;
                    const float factor = high ? power_below_one(e, exponent) : 1.0f;
                    row.rescale(factor);
                    special.rescale(factor, exponent);
                }
            }
        }
        if (thread == 0 && item < segment.count) arguments.results[segment.first + item] = special.score_nats();
    }
}

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

/// Runs a block of several warps with kTargets targets at a time. The rows of the targets hide each
/// other's latency and share a barrier. A variant was measured in which two targets take turns, so
/// that one computes while the sums of the other are exchanged. It is 10 to 20% slower, because it
/// takes two barriers.
template <int R, int kTargets>
__global__ void __launch_bounds__(32 * forward_resident_warps(R, kTargets), 1)
    forward_warps_kernel(const ForwardArguments arguments) {
    __shared__ ForwardExchange<kTargets> shared;
    __shared__ unsigned shared_ticket;
    const unsigned warp = threadIdx.x / 32;
    const unsigned exchanged = exchanged_warp(arguments.warps);
    const ForwardLayout layout(32 * arguments.warps, arguments.warps, R);
    ForwardNodes<32, R> nodes;
    float lead = 0, carries_deletes = 0, carries_sums = 0;
    std::uint32_t at = 0, loaded = UINT32_MAX;
    for (ForwardBlockTask<kTargets> task; task.next(arguments, at, shared_ticket);) {
        if (task.segment.profile != loaded) {
            loaded = task.segment.profile;
            const float* const numbers = arguments.numbers + arguments.firsts[loaded];
            nodes.load(numbers, layout, 32 * arguments.warps, static_cast<int>(threadIdx.x));
            lead = numbers[layout.lead + threadIdx.x];
            carries_deletes = numbers[layout.warp_deletes + warp * 32 + exchanged];
            carries_sums = numbers[layout.warp_sums + warp * 32 + exchanged];
        }
        ForwardReader readers[kTargets];
        ForwardSpecial special[kTargets];
        ForwardRow<R> rows[kTargets];
        std::uint32_t word[kTargets], next[kTargets] = {};
        unsigned words = 0, buffer = 0;
#pragma unroll
        for (int t = 0; t < kTargets; ++t) {
            readers[t].begin(arguments.words, task.targets[t]);
            words = max(words, readers[t].left);
            special[t].begin(task.targets[t].residues);
            rows[t].clear();
            next[t] = readers[t].read();
            nodes.fetch(rows[t], next[t] & kResidueMask);
        }
        for (unsigned w = 0; w < words; ++w) {
#pragma unroll
            for (int t = 0; t < kTargets; ++t) {
                word[t] = next[t];
                next[t] = readers[t].read();
            }
#pragma unroll 1
            for (unsigned r = 1; r <= kResiduesPerWord; ++r) {
                std::uint32_t code[kTargets];
                float e[kTargets], carried[kTargets], before[kTargets], last_sum[kTargets], entering[kTargets],
                    outside[kTargets];
#pragma unroll
                for (int t = 0; t < kTargets; ++t) {
                    code[t] = word[t] & kResidueMask;
                    word[t] = r < kResiduesPerWord ? word[t] >> kBitsPerResidue : next[t];
                    e[t] = nodes.compute(rows[t], word[t] & kResidueMask, special[t].b, carried[t]);
                }
#pragma unroll
                for (int t = 0; t < kTargets; ++t) {
                    before[t] = nodes.join(e[t], carried[t]);
                    last_sum[t] = fmaf(before[t], nodes.entering_delete[R - 1], rows[t].s[R - 1]);
                }
                shared.exchange(buffer, arguments.warps, carries_deletes, carries_sums, e, carried, last_sum, entering,
                                outside);
                buffer ^= 1;
#pragma unroll
                for (int t = 0; t < kTargets; ++t) {
                    nodes.finish(rows[t], fmaf(entering[t], lead, before[t]), outside[t]);
                    special[t].row(e[t], code[t]);
                    if (e[t] > kForwardRescaleAbove) {
                        int exponent;
                        const float factor = power_below_one(e[t], exponent);
                        rows[t].rescale(factor);
                        special[t].rescale(factor, exponent);
                    }
                }
            }
        }
        if (threadIdx.x == 0) {
#pragma unroll
            for (std::uint32_t t = 0; t < kTargets; ++t) {
                if (t < task.count) arguments.results[task.item + t] = special[t].score_nats();
            }
        }
    }
}

/// Does the same as forward_warps_kernel for models of any length, with state and factors in
/// memory. It is for the few models that do not fit the registers.
__global__ void __launch_bounds__(32 * kLongForwardWarps) forward_long_kernel(const ForwardArguments arguments) {
    constexpr int kThreads = 32 * kLongForwardWarps;
    __shared__ ForwardExchange<1> shared;
    __shared__ unsigned shared_ticket;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned exchanged = exchanged_warp(kLongForwardWarps);
    const int count = arguments.nodes_per_thread;
    const ForwardLayout layout(kThreads, kLongForwardWarps, count);
    float* const m = arguments.state +
                     static_cast<std::size_t>(blockIdx.x) * 3 * static_cast<std::size_t>(count) * kThreads +
                     threadIdx.x;
    float* const i = m + static_cast<std::size_t>(count) * kThreads;
    float* const s = i + static_cast<std::size_t>(count) * kThreads;
    std::uint32_t at = 0;
    for (ForwardBlockTask<1> task; task.next(arguments, at, shared_ticket);) {
        const float* const numbers = arguments.numbers + arguments.firsts[task.segment.profile];
        const auto factor = [&](int kind, int node) {
            return __ldg(numbers + layout.coefficients + (kind * count + node) * kThreads + threadIdx.x);
        };
        const float lead = numbers[layout.lead + threadIdx.x];
        const float carries_deletes = numbers[layout.warp_deletes + warp * 32 + exchanged];
        const float carries_sums = numbers[layout.warp_sums + warp * 32 + exchanged];
        float scan[kForwardScanLevels];
        for (int level = 0; level < kForwardScanLevels; ++level)
            scan[level] = numbers[layout.scan + level * kThreads + threadIdx.x];
        ForwardReader reader;
        reader.begin(arguments.words, task.targets[0]);
        const unsigned words = reader.left;
        ForwardSpecial special;
        special.begin(task.targets[0].residues);
        for (int node = 0; node < 3 * count; ++node) m[node * kThreads] = 0;
        float from_left = 0;
        unsigned buffer = 0;
        std::uint32_t next = reader.read();
        for (unsigned w = 0; w < words; ++w) {
            std::uint32_t word = next;
            next = reader.read();
            for (unsigned r = 0; r < kResiduesPerWord; ++r, word >>= kBitsPerResidue) {
                const std::uint32_t code = word & kResidueMask;
                const auto row_odds = static_cast<std::size_t>((count + 3) / 4 * 4) * kThreads;
                const float* const odds = numbers + layout.odds + code * row_odds;
                float e[1] = {}, deleted = 0, previous = from_left;
                for (int node = 0; node < count; ++node) {
                    const int index = node * kThreads;
                    const float odd =
                        __ldg(odds + (static_cast<unsigned>(node / 4 * kThreads) + threadIdx.x) * 4 + node % 4);
                    const float inserted = fmaf(i[index], factor(kForwardInsertInsert, node), m[index]);
                    const float matched = (special.b + previous) * odd;
                    previous = s[index];
                    e[0] += matched;
                    const float sum =
                        fmaf(inserted, factor(kForwardInsertMatch, node), matched * factor(kForwardMatchMatch, node));
                    m[index] = matched;
                    i[index] = inserted;
                    s[index] = fmaf(deleted, factor(kForwardDeleteMatch, node), sum);
                    deleted =
                        fmaf(deleted, factor(kForwardDeleteDelete, node), matched * factor(kForwardMatchDelete, node));
                }
                float carried[1] = {deleted};
                for (int level = 0; level < kForwardScanLevels; ++level) {
                    e[0] += __shfl_xor_sync(kAllLanes, e[0], 1 << level);
                    carried[0] = fmaf(__shfl_up_sync(kAllLanes, carried[0], 1u << level), scan[level], carried[0]);
                }
                float before = __shfl_up_sync(kAllLanes, carried[0], 1);
                if (lane == 0) before = 0;
                const int last = (count - 1) * kThreads;
                const float last_sum[1] = {fmaf(before, factor(kForwardEnteringDelete, count - 1), s[last])};
                float entering_warp[1], outside[1];
                shared.exchange(buffer, kLongForwardWarps, carries_deletes, carries_sums, e, carried, last_sum,
                                entering_warp, outside);
                const float entering = fmaf(entering_warp[0], lead, before);
                buffer ^= 1;
                special.row(e[0], code);
                float scale = 1;
                int exponent = 0;
                if (e[0] > kForwardRescaleAbove) scale = power_below_one(e[0], exponent);
                special.rescale(scale, exponent);
                for (int node = 0; node < count; ++node) {
                    const int index = node * kThreads;
                    s[index] = fmaf(entering, factor(kForwardEnteringDelete, node), s[index]) * scale;
                    if (scale != 1) {
                        m[index] *= scale;
                        i[index] *= scale;
                    }
                }
                from_left = __shfl_up_sync(kAllLanes, s[last], 1);
                if (lane == 0) from_left = outside[0] * scale;
            }
        }
        if (threadIdx.x == 0) arguments.results[task.item] = special.score_nats();
    }
}

}  // namespace warpseq::cuda
