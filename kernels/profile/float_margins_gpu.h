// Proven bounds for the difference between the float filters of a GPU and the host's scores. A
// decision kernel adds the margin to the device's score before it compares, so that it drops
// nothing that the host would pass. The code is for host and device. This file includes no CUDA
// header.
//
// Both sides evaluate the same sum over paths of products of the same positive floats, in different
// orders. Every rounded operation multiplies the value that passes through it by 1 + d, |d| <= u =
// 2^-24. Nothing is ever subtracted. So a computed sum is the true one with each path's product
// changed by at most (1 + u)^n, where n is the number of operations along the path. The logarithm
// of the sum lies within about n u of the true one, with the n of the longest path. The factor 1.02
// below covers the word "about".
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/gpu/host_device.h"

namespace warpseq::cuda {

/// The most residues of a target with a finite margin. The host decides for longer targets.
inline constexpr std::uint64_t kMostMarginResidues = std::uint64_t{1} << 18;

/// Returns a bound for |device - host| of Forward for a target of `residues` and a model of
/// `nodes`, given the device's score.
///
/// A path of L residues and M nodes has at most L domains, and at most M deletes in each. The
/// numbers of operations along it, for each residue, are as follows.
///
/// - On the host: a product, three sums and the odds for a match, two operations for its row's
///   rescaling, and at most five where a delete path begins or passes from one of the four segments
///   to the next. That makes 12. Each delete takes two, and joining E, J and B takes M / 2 + 8. The
///   sum is at most 20 + 2.5 M.
/// - On the device: eight for a match and its tables' rounding, and R + 24 for a delete path. A
///   thread has R <= 16 nodes, followed by tables and a scan of at most nine levels. In models
///   beyond the registers R <= M / 256 + 1. Joining E, J and B takes R + 16. The sum is at most 80
///   + 0.01 M.
/// - For values below 2^-126, which the host takes as 0: less than 0.01 M u.
///   ForwardTables::Entry::bounded is true for the profiles for which this holds.
///
/// The host adds the logarithms of its rescalings to a float. Each is at least log 10^4, so there
/// are at most S / 9.2 of them, where S is the sum. Each addition rounds by at most u S. S is at
/// most the score plus the parts left out by C and its move, log((L + 3) / 3) + 3 + log 2. Both
/// sides round the end.
WARPSEQ_HOST_DEVICE inline float forward_margin_nats(std::uint64_t residues, int nodes, float score_nats) {
    if (residues > kMostMarginResidues) return INFINITY;
    constexpr float kUnit = 1.02f / 16777216.0f;
    const float paths = static_cast<float>(residues) * (104.0f + 2.55f * static_cast<float>(nodes)) * kUnit;
    const float sum = 1.02f * (fmaxf(score_nats, 0.0f) + logf(static_cast<float>(residues + 3)) + 5.0f + paths);
    return paths + kUnit * (sum * (sum * (1 / 9.2f) + 4.0f) + 2.0f * fabsf(score_nats));
}

/// Returns a bound for |device - host| of the bias filter for a target of `residues`, given the
/// device's score.
///
/// The host sums the logarithm of each residue's scale in a float. After any residue that sum is
/// the logarithm of the greater state's unscaled value. It is at least log 0.999 - 1, since
/// background stays with L / (L + 1). It is at most the last sum plus 1 + log(M / 8 + 1), since the
/// composed state leaves for background with 1 / (M / 8 + 1). With h = |score| + log(L + 1) + 15 (M
/// <= 10^6) the sum lies within +-h. So each residue adds at most u h by rounding the sum and 2 u h
/// by rounding its term. The operations along a path are four a residue on the host and three on
/// the device. Both sides round the end, whose terms are no greater than h.
WARPSEQ_HOST_DEVICE inline float bias_margin_nats(std::uint64_t residues, float score_nats) {
    if (residues > kMostMarginResidues) return INFINITY;
    constexpr float kUnit = 1.02f / 16777216.0f;
    const float range = fabsf(score_nats) + logf(static_cast<float>(residues + 1)) + 15.0f;
    return kUnit * (static_cast<float>(residues) * (8.0f + 3.0f * range) + 10.0f * range + 16.0f);
}

}  // namespace warpseq::cuda
