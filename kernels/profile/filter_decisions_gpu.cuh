// Decides on the device which pairs pass from filter to filter, as engines/hmm/hmm_pipeline.h does
// on the host.
//
// MSV results are integers. A table, made by the host's own functions, has the least result that
// passes for each profile and target length. After MSV, float scores are compared with thresholds
// in bits. A margin covers every difference to the host's floats. If a score is within the margin
// of its threshold, the host decides.
#pragma once

#include <cstdint>

#include "kernels/gpu/device_targets.cuh"
#include "kernels/gpu/warp_peers.cuh"
#include "kernels/profile/filter_verdict_gpu.h"
#include "kernels/profile/float_margins_gpu.h"
#include "kernels/profile/profile_filters_gpu.h"
#include "kernels/profile/viterbi_filter.h"
#include "kernels/profile/work_list_gpu.cuh"
#include "libcore/profile/plan7_profile.h"

namespace warpseq::cuda {

/// The next filter of a pair, or its end: failed, passed all filters (kSurvivor), or left to the
/// host (kHost).
enum class Fate : std::uint8_t { kFailed, kViterbi, kForward, kSurvivor, kHost };

/// The numbers of a profile that decisions need.
struct DeviceProfile {
    FilterThresholds thresholds;
    std::int32_t length;
    MsvCosts msv;
};

/// The data that all decisions read.
struct FilterContext {
    const DeviceProfile* profiles;
    const DeviceLane* lanes;
    const float* null_nats;  // [length_index], like the two after it
    const std::uint8_t* msv_moves;
    const std::int16_t* viterbi_moves;
    /// The least MSV result that passes against null1, at [profile * length_count + length_index].
    const std::uint16_t* lowest_msv;
    const std::uint32_t* ssv;  // [slot], counted from begin
    std::uint32_t length_count, lane_count;
};

/// A predicate of slots for cub::DeviceSelect: whether a pair may still pass MSV, judging by its
/// SSV result.
struct MayPassMsv {
    FilterContext context;
    __device__ bool operator()(std::uint32_t slot) const {
        const std::uint32_t profile = slot / context.lane_count;
        const DeviceLane lane = context.lanes[slot - profile * context.lane_count];
        if (lane.residues == 0) return false;
        const std::int16_t result = msv_of_ssv(context.profiles[profile].msv, context.msv_moves[lane.length_index],
                                               static_cast<int>(context.ssv[slot]));
        return result == kUndecided || result >= context.lowest_msv[profile * context.length_count + lane.length_index];
    }
};

/// A predicate of slots for cub::DeviceSelect: whether the slot's target has residues.
struct HasResidues {
    FilterContext context;
    __device__ bool operator()(std::uint32_t slot) const {
        return context.lanes[slot % context.lane_count].residues > 0;
    }
};

struct HasFate {
    const Fate* fates;
    Fate wanted;
    __device__ bool operator()(std::uint32_t position) const { return fates[position] == wanted; }
};

struct IsForHost {
    const Fate* fates;
    __device__ bool operator()(std::uint32_t position) const {
        return fates[position] == Fate::kSurvivor || fates[position] == Fate::kHost;
    }
};

/// Adds the number of threads whose `mine` is true to a counter of `profile`. The threads of a warp
/// mostly share the profile. All threads of a warp have to call it.
__device__ inline void count_pairs(bool mine, std::uint32_t profile, FilterCounts* counts,
                                   std::uint32_t FilterCounts::*counter) {
    const WarpPeers peers(mine, profile);
    if (mine && peers.leads()) atomicAdd(&(counts[profile].*counter), peers.count());
}

/// Adds 1 to a counter of `lane` if `mine` is true. Threads seldom share a lane. Does nothing if
/// `lanes` is null.
__device__ inline void count_lane(bool mine, std::uint32_t lane, FilterCounts* lanes,
                                  std::uint32_t FilterCounts::*counter) {
    if (mine && lanes != nullptr) atomicAdd(&(lanes[lane].*counter), 1u);
}

/// Calls work(i, exists) for every position of a list, whole warps at a time.
template <typename Work>
__device__ void for_each_position(const DeviceWorkList& list, const Work& work) {
    const std::uint32_t count = *list.count;
    const std::uint32_t step = gridDim.x * blockDim.x;
    for (std::uint32_t first = blockIdx.x * blockDim.x; first < count; first += step) {
        const std::uint32_t i = first + threadIdx.x;
        work(i, i < count);
    }
}

/// Sets msv[i] to the MSV result that follows from SSV.
__global__ void start_msv(DeviceWorkList list, FilterContext context, std::int16_t* msv) {
    for_each_position(list, [&](std::uint32_t i, bool exists) {
        if (!exists) return;
        const std::uint32_t slot = list.slots[i], profile = slot / context.lane_count;
        const DeviceLane& lane = context.lanes[slot - profile * context.lane_count];
        msv[i] = msv_of_ssv(context.profiles[profile].msv, context.msv_moves[lane.length_index],
                            static_cast<int>(context.ssv[slot]));
    });
}

/// Decides MSV against null1, and then against the bias filter. `bias` has the bias filter's scores
/// in nats, or is null if there is no bias filter.
__global__ void decide_msv(DeviceWorkList list, FilterContext context, const std::int16_t* msv, const float* bias,
                           Fate* fates, FilterCounts* counts, FilterCounts* lane_counts) {
    constexpr float kNatsPerUnit = MsvProfile::kNatsPerUnit, kLoopNats = static_cast<float>(kFreeLoopNats);
    for_each_position(list, [&](std::uint32_t i, bool exists) {
        const std::uint32_t slot = exists ? list.slots[i] : 0, profile = slot / context.lane_count;
        const DeviceLane lane = context.lanes[slot - profile * context.lane_count];
        const FilterThresholds& thresholds = context.profiles[profile].thresholds;
        const int result = exists ? msv[i] : 0;
        const bool passed_msv =
            exists && result >= context.lowest_msv[profile * context.length_count + lane.length_index];
        Fate fate = Fate::kFailed;
        bool skips = false;
        if (passed_msv) {
            const float nats =
                result == kMsvOverflow
                    ? INFINITY
                    : static_cast<float>(result - context.msv_moves[lane.length_index] - MsvProfile::kBase) *
                              kNatsPerUnit -
                          kLoopNats;
            const float null_nats = bias != nullptr ? bias[i] : context.null_nats[lane.length_index];
            const float margin = bias != nullptr ? bias_margin_nats(lane.residues, null_nats) : 0;
            const Verdict passes =
                bias != nullptr ? judge(nats, null_nats, thresholds.msv_bits, margin) : Verdict::kPasses;
            const Verdict skip = judge(nats, null_nats, thresholds.skip_viterbi_bits, margin);
            if (passes == Verdict::kUnsure || (passes == Verdict::kPasses && skip == Verdict::kUnsure))
                fate = Fate::kHost;
            else if (passes == Verdict::kPasses)
                fate = skip == Verdict::kPasses ? Fate::kForward : Fate::kViterbi;
            skips = fate == Fate::kForward;
        }
        if (exists) fates[i] = fate;
        const bool passed_bias = fate == Fate::kViterbi || fate == Fate::kForward;
        count_pairs(passed_msv, profile, counts, &FilterCounts::passed_msv);
        count_pairs(passed_bias, profile, counts, &FilterCounts::passed_bias);
        count_pairs(skips, profile, counts, &FilterCounts::passed_viterbi);
        const std::uint32_t in_chunk = slot - profile * context.lane_count;
        count_lane(passed_msv, in_chunk, lane_counts, &FilterCounts::passed_msv);
        count_lane(passed_bias, in_chunk, lane_counts, &FilterCounts::passed_bias);
        count_lane(skips, in_chunk, lane_counts, &FilterCounts::passed_viterbi);
    });
}

/// Sends every pair to Forward.
__global__ void decide_nothing(DeviceWorkList list, std::int16_t* msv, Fate* fates) {
    for_each_position(list, [&](std::uint32_t i, bool exists) {
        if (!exists) return;
        msv[i] = 0;
        fates[i] = Fate::kForward;
    });
}

/// Writes the list of selected pairs: to[j] = from[positions[j]]. Sets results[j] to kUndecided if
/// `results` is not null.
__global__ void gather_slots(DeviceWorkList selected, const std::uint32_t* positions, const std::uint32_t* from,
                             std::uint32_t* to, std::int16_t* results) {
    for_each_position(selected, [&](std::uint32_t j, bool exists) {
        if (!exists) return;
        to[j] = from[positions[j]];
        if (results != nullptr) results[j] = kUndecided;
    });
}

__global__ void decide_viterbi(DeviceWorkList list, const std::uint32_t* positions, FilterContext context,
                               const std::int16_t* viterbi, const float* bias, Fate* fates, FilterCounts* counts,
                               FilterCounts* lane_counts) {
    constexpr float kNatsPerUnit = ViterbiProfile::kNatsPerUnit, kLoopNats = static_cast<float>(kFreeLoopNats);
    for_each_position(list, [&](std::uint32_t j, bool exists) {
        const std::uint32_t slot = exists ? list.slots[j] : 0, profile = slot / context.lane_count;
        Fate fate = Fate::kFailed;
        if (exists) {
            const DeviceLane lane = context.lanes[slot - profile * context.lane_count];
            const int result = viterbi[j];
            const float nats =
                result == kViterbiOverflow ? INFINITY
                : result == ViterbiProfile::kMinusInfinity
                    ? -INFINITY
                    : static_cast<float>(result + context.viterbi_moves[lane.length_index] - ViterbiProfile::kBase) *
                              kNatsPerUnit -
                          kLoopNats;
            const float null_nats = bias != nullptr ? bias[positions[j]] : context.null_nats[lane.length_index];
            const float margin = bias != nullptr ? bias_margin_nats(lane.residues, null_nats) : 0;
            const Verdict verdict = judge(nats, null_nats, context.profiles[profile].thresholds.viterbi_bits, margin);
            fate = verdict == Verdict::kPasses   ? Fate::kForward
                   : verdict == Verdict::kUnsure ? Fate::kHost
                                                 : Fate::kFailed;
            fates[positions[j]] = fate;
            // The host counts a pair that it decides itself, except in the MSV count.
            if (fate == Fate::kHost) atomicSub(&counts[profile].passed_bias, 1u);
            if (fate == Fate::kHost && lane_counts != nullptr)
                atomicSub(&lane_counts[slot - profile * context.lane_count].passed_bias, 1u);
        }
        count_pairs(fate == Fate::kForward, profile, counts, &FilterCounts::passed_viterbi);
        count_lane(fate == Fate::kForward, slot - profile * context.lane_count, lane_counts,
                   &FilterCounts::passed_viterbi);
    });
}

/// Decides Forward. Pairs that do not surely fail go to the host. `log_targets` has ln z for each
/// lane in Mode::kMax and is null otherwise.
__global__ void decide_forward(DeviceWorkList list, const std::uint32_t* positions, FilterContext context,
                               const float* forward, const float* bias, const float* log_targets, Fate* fates) {
    for_each_position(list, [&](std::uint32_t j, bool exists) {
        if (!exists) return;
        const std::uint32_t slot = list.slots[j], profile = slot / context.lane_count,
                            in_chunk = slot - profile * context.lane_count;
        const DeviceLane lane = context.lanes[in_chunk];
        const DeviceProfile& model = context.profiles[profile];
        const float nats = forward[j];
        const float null_nats = bias != nullptr ? bias[positions[j]] : context.null_nats[lane.length_index];
        float margin = forward_margin_nats(lane.residues, model.length, nats);
        if (bias != nullptr) margin += bias_margin_nats(lane.residues, null_nats);
        bool fails;
        if (isnan(nats) || isinf(nats)) {
            fails = false;
        } else if (log_targets == nullptr) {
            fails = judge(nats, null_nats, model.thresholds.forward_bits, margin) == Verdict::kFails;
        } else {
            const float report_bits =
                model.thresholds.report_bits + model.thresholds.report_bits_per_log_target * log_targets[in_chunk];
            fails = log_targets[in_chunk] != -INFINITY && nats + margin < kHighestNatsForBound &&
                    judge(nats, null_nats, report_bits - kMostBitsGained, margin) == Verdict::kFails;
        }
        fates[positions[j]] = fails ? Fate::kFailed : Fate::kSurvivor;
    });
}

/// Writes a candidate for each selected position of the first list.
__global__ void make_candidates(DeviceWorkList selected, const std::uint32_t* positions, const std::uint32_t* slots,
                                const std::int16_t* msv, const Fate* fates, FilterCandidate* candidates) {
    for_each_position(selected, [&](std::uint32_t j, bool exists) {
        if (!exists) return;
        const std::uint32_t i = positions[j], slot = slots[i], profile = slot / selected.lane_count;
        candidates[j] = {profile, slot - profile * selected.lane_count, msv[i], fates[i] == Fate::kSurvivor};
    });
}

/// Writes results by slot: out[list.slots[i]] = results[i].
template <typename T>
__global__ void scatter(DeviceWorkList list, const T* results, T* out) {
    for_each_position(list, [&](std::uint32_t i, bool exists) {
        if (exists) out[list.slots[i]] = results[i];
    });
}

template <typename T>
__global__ void fill(DeviceWorkList list, T value, T* results) {
    for_each_position(list, [&](std::uint32_t i, bool exists) {
        if (exists) results[i] = value;
    });
}

}  // namespace warpseq::cuda
