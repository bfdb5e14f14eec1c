// Decisions about pairs of a profile and a target. Host and device share this code, so that it is
// tested on the host. This file includes no CUDA header.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/gpu/host_device.h"
#include "kernels/profile/msv_filter.h"
#include "libcore/profile/plan7_profile.h"

namespace warpseq::cuda {

/// The result that a stage writes for a pair that another stage has to decide.
inline constexpr std::int16_t kUndecided = INT16_MIN + 1;

/// The MSV costs of a profile (libcore/profile/plan7_profile.h, MsvProfile).
struct MsvCosts {
    std::int32_t bias, enter, end;
};

/// Returns the MSV result that follows from SSV by the rules of kernels/profile/msv_filter.h, or
/// kUndecided. `from_begin` is the SSV score counted from begin, s - kSsvBeginScore in these
/// rules.
WARPSEQ_HOST_DEVICE inline std::int16_t msv_of_ssv(const MsvCosts& msv, int move, int from_begin) {
    if (move + msv.enter + msv.end + msv.bias >= kSsvUndecidedCosts) return kUndecided;
    const int begin_score = MsvProfile::kBase - move - msv.enter;
    if (from_begin + kSsvBeginScore >= kMsvCeiling - msv.bias)
        return begin_score >= kSsvBeginScore ? kMsvOverflow : kUndecided;
    const int e = from_begin + begin_score;
    if (e >= kMsvCeiling - msv.bias) return kMsvOverflow;
    if (e - msv.end > MsvProfile::kBase) return kUndecided;
    return static_cast<std::int16_t>(e - msv.end);
}

/// The result of comparing a score with a threshold: it surely fails, it surely passes, or the host
/// has to decide (kUnsure).
enum class Verdict : std::uint8_t { kFails, kUnsure, kPasses };

/// Compares the score `nats` - `null_nats`, converted to bits, with `threshold_bits`. The
/// difference of the two may be wrong by up to `margin_nats`. FilterThresholds
/// (profile_filters_gpu.h) defines the meaning of infinite and NaN thresholds. An infinite
/// `null_nats` means that the device does not know the null score.
WARPSEQ_HOST_DEVICE inline Verdict judge(float nats, float null_nats, float threshold_bits, float margin_nats) {
    constexpr float kBitsPerNat = 1.44269504f;
    if (std::isnan(threshold_bits)) return Verdict::kFails;
    const float bits = (nats - null_nats) * kBitsPerNat;
    if (std::isnan(bits) || std::isinf(null_nats)) return Verdict::kUnsure;
    // This line and the host's line round each term by a few units in the last place.
    const float margin = margin_nats * kBitsPerNat + 1e-4f + 2e-6f * (std::fabs(nats) + std::fabs(null_nats));
    if (std::isinf(bits) || std::isinf(threshold_bits))
        return bits >= threshold_bits ? Verdict::kPasses : Verdict::kFails;
    if (bits - margin >= threshold_bits) return Verdict::kPasses;
    return bits + margin < threshold_bits ? Verdict::kFails : Verdict::kUnsure;
}

// A bound for searches without filters (Mode::kMax). There the Forward score of every target is
// known, and it shows that most targets cannot become hits. The score of a hit is its Forward
// score, or that of its envelopes put together, less a bias that is never negative
// (engines/hmm/hmm_pipeline.cpp). Let L be the target's residues, F the multihit Forward score of
// the target in nats, e_d the unihit Forward score of envelope d, and l = log(L / (L + 3)).
//
// First, let the envelopes not overlap. The paths through core models inside them, with N, J and C
// outside, are some of the target's own paths. For each such path the target's model and the
// envelopes' models have different factors, as follows.
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
// and the score of the envelopes put together is at most F + 0.89 nats, which are F / ln 2 + 1.28
// bits. Overlapping envelopes count residues twice, but each by itself has e_d <= F + 0.89 - L l <=
// F + 3.89. If this is not positive, one more envelope only lowers the sum. So the bound holds for
// all envelopes if F is at most kHighestNatsForBound.
inline constexpr float kMostBitsGained = 1.3f;
inline constexpr float kHighestNatsForBound = -4.0f;

}  // namespace warpseq::cuda
