// The GPU's Forward kernels.
//
// Recurrence. It is that of forward_plan_gpu.h, multihit, with the values of each state multiplied
// by constants of the profile. The kernels compute it row by row, because E of each row leads into
// the next row through J. Primes are values of the row before:
//
//     i(k) = i'(k) ii(k) + m'(k)
//     m(k) = (B' + s'(k - 1)) odds(k, x)
//     D(k) = D(k - 1) dd(k - 1) + m(k - 1) md(k - 1)
//     s(k) = m(k) mm(k) + i(k) im(k) + D(k) dm(k)
//     E = sum of m(k)     N = N' loop     J = J' loop + E / 2     B = (J + N) move
//
// Before the first row m, i, s and J are 0, N is 1 and B is `move`. D(0) and s(-1) are 0. C equals
// J in a multihit model. The result is log(J move) of the last row. The odds of padding are 0 and
// its loops 1, so J does not change behind a target's end.
//
// Numbers. Values are 32-bit floats >= 0. A row whose E is above 10^4 is multiplied by a power of
// two, which is exact. The exponents are summed, and their logarithm is added at the end. Odds are
// at most 2^20 in the profiles that the kernels take (is_bounded() in forward_plan_gpu.cpp), and no
// row begins above 10^4. A result that is not finite becomes infinity, and the host computes it.
// float_margins_gpu.h bounds the difference from the host's floats.
//
// Layout. Thread t of a group holds nodes t R .. t R + R - 1. It keeps m, i and s of its R nodes
// and all their factors in registers. Only the odds are loaded: 4 bytes per cell, in coalesced
// loads, most of which hit the first-level cache. ForwardLayout has the places of a profile's
// numbers.
//
//     group within a warp       | t = 0  | t = 1  | ...    shuffles
//     group of several warps    | warp 0 | warp 1 | ...    shuffles and shared memory
//
// The threads of a group exchange two values in each row by shuffles that run side by side: the sum
// E, and the scan of the values that deletes carry from thread to thread. In groups of several
// warps, each warp stores its part of these values in shared memory. This takes one barrier per
// row, with alternating buffers. Each warp then sums the values that it needs: E, the values that
// enter its deletes, and s of the last node before its first node.
//
// Ceiling. Ten operations a cell allow 3.3e12 cells per second on an H200. The kernels reach 45 %
// of it up to 512 nodes, where issue slots are exhausted, and 22 to 31 % beyond, where they wait
// for a row's scan, barrier and exchange (docs/lab-notes.md, "Profile HMMs on GPUs").
//
// Source. Eddy, PLoS Comput Biol 7:e1002195 (2011), for Forward with sparse rescaling. The scaled
// states and the scan over threads are warpseq's own.
#pragma once

#include <cstdint>

#include "kernels/profile/forward_nodes_gpu.cuh"

namespace warpseq::cuda {

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
    float* const m =
        arguments.state +
        static_cast<std::size_t>(blockIdx.x) * kForwardLongStates * static_cast<std::size_t>(count) * kThreads +
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
        for (int node = 0; node < kForwardLongStates * count; ++node) m[node * kThreads] = 0;
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
