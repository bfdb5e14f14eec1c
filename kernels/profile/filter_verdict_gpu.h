// Decisions about pairs of a profile and a target that host and device share, and that are tested
// on the host. This file includes no CUDA header.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/gpu/host_device.h"
#include "kernels/profile/msv_filter.h"
#include "libcore/profile/plan7_profile.h"

namespace warpseq::cuda {

/// The value that a stage writes to the results of its list if another stage has to decide.
inline constexpr std::int16_t kUndecided = INT16_MIN + 1;

/// MSV costs of a profile (libcore/profile/plan7_profile.h, MsvProfile).
struct MsvCosts {
    std::int32_t bias, enter, end;
};

/// Returns the MSV result that follows from SSV, or kUndecided (kernels/profile/msv_filter.h).
WARPSEQ_HOST_DEVICE inline std::int16_t msv_of_ssv(const MsvCosts& msv, int move, int from_begin) {
    constexpr int kBegin = 128, kCeiling = 255;
    if (move + msv.enter + msv.end + msv.bias >= 127) return kUndecided;
    const int begin_score = MsvProfile::kBase - move - msv.enter;
    if (from_begin + kBegin >= kCeiling - msv.bias) return begin_score >= kBegin ? kMsvOverflow : kUndecided;
    const int e = from_begin + begin_score;
    if (e >= kCeiling - msv.bias) return kMsvOverflow;
    if (e - msv.end > MsvProfile::kBase) return kUndecided;
    return static_cast<std::int16_t>(e - msv.end);
}

/// The comparison of a score with a threshold: it surely fails, surely passes, or the host has to
/// decide.
enum class Verdict : std::uint8_t { kFails, kUnsure, kPasses };

/// Compares `nats` less `null_nats`, in bits, with `threshold_bits`. The nats may be off by
/// `margin_nats` together. FilterThresholds (profile_filters_gpu.h) defines infinite thresholds and
/// NaN. An infinite null score means that the device has none.
WARPSEQ_HOST_DEVICE inline Verdict judge(float nats, float null_nats, float threshold_bits, float margin_nats) {
    constexpr float kBitsPerNat = 1.44269504f;
    if (std::isnan(threshold_bits)) return Verdict::kFails;
    const float bits = (nats - null_nats) * kBitsPerNat;
    if (std::isnan(bits) || std::isinf(null_nats)) return Verdict::kUnsure;
    // The rounding of this line and of the host's is a few units in the last place of each term.
    const float margin = margin_nats * kBitsPerNat + 1e-4f + 2e-6f * (std::fabs(nats) + std::fabs(null_nats));
    if (std::isinf(bits) || std::isinf(threshold_bits))
        return bits >= threshold_bits ? Verdict::kPasses : Verdict::kFails;
    if (bits - margin >= threshold_bits) return Verdict::kPasses;
    return bits + margin < threshold_bits ? Verdict::kFails : Verdict::kUnsure;
}

// A bound for searches without filters (Mode::kMax). Every target's Forward score is known there,
// and most targets can be seen never to become a hit. A hit's score is the Forward score, or that
// of its envelopes put together, less a bias that is never negative (engines/hmm/hmm_pipeline.cpp).
// Let F be the multihit Forward score of the target in nats, e_d the unihit one of envelope d, and
// l = log(L / (L + 3)).
//
// First, let the envelopes not overlap. The paths through core models inside them, with N, J and C
// outside, are some of the target's own paths. For each such path the factors of the target's model
// and of the envelopes' models differ.
//
// - Entering each domain, and the end: 3 / (L + 3) in the target's, (2 / (L + 2))^2 in each
//   envelope's.
// - Leaving each domain: 1/2 in the target's, 1 in the envelopes'.
// - Residues outside of cores: L / (L + 3) in the target's, L / (L + 2) in the envelopes' within
//   them.
//
// The remaining factor is above 1 for every further domain. So
//
//     F >= sum of e_d + (residues outside) l + log(9/8) - 1
//
// and the score put together is at most F + 0.89 nats, 1.28 bits. Envelopes that overlap count
// residues twice, but each by itself has e_d <= F + 0.89 - L l <= F + 3.89. If that is not
// positive, one more envelope only lowers the sum.
inline constexpr float kMostBitsGained = 1.3f;
inline constexpr float kHighestNatsForBound = -4.0f;

}  // namespace warpseq::cuda
