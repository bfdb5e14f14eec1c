// Margins: proven bounds for the difference between the scores of a GPU's float filters and the
// host's scores. A decision kernel adds the margin to the device's score before it compares, so
// that it drops no pair that the host would pass. Host and device share this code. This file
// includes no CUDA header.
//
// Both sides evaluate the same sum over paths of products of the same positive floats, in different
// orders. Every rounded operation multiplies the value that passes through it by 1 + d, |d| <= u =
// 2^-24. Nothing is ever subtracted. So a computed sum is the true one with each path's product
// changed by at most (1 + u)^n, where n is the number of operations along the path. So the
// logarithm of the sum differs from the true one by about n u at most, with the n of the longest
// path. The factor 1.02 below makes up for the terms of higher order.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/gpu/host_device.h"

namespace warpseq::cuda {

/// Most residues of a target with a finite margin. The host decides for longer targets.
inline constexpr std::uint64_t kMostMarginResidues = std::uint64_t{1} << 18;

/// Returns a bound in nats for |device - host| of the Forward score, for a target of `residues`
/// residues and a model of `nodes` nodes. `score_nats` is the device's score.
///
/// A path of L residues and M nodes has at most L domains, and at most M deletes in each. The
/// numbers of operations along it, for each residue, are as follows.
///
/// - On the host: A match takes five (a product, three sums and the odds), and the rescaling of its
///   row two. A delete path takes at most five where it begins or passes from one of the four
///   segments to the next. These are 12. Each delete takes two, and joining E, J and B takes M / 2
///   + 8. The sum is at most 20 + 2.5 M.
/// - On the device: A match takes eight, with the rounding of its tables. A delete path takes R +
///   24: it passes the nodes of a thread, tables and a scan of at most nine levels. A thread has R
///   <= 16 nodes, or R <= M / 256 + 1 in models that do not fit the registers. Joining E, J and B
///   takes R + 16. The sum is at most 80 + 0.01 M.
/// - The host takes values below 2^-126 as 0. This changes the result by less than 0.01 M u for the
///   profiles whose ForwardTables::Entry::bounded is true.
///
/// The host adds the logarithms of its rescalings in a float. Each logarithm is at least log 10^4 =
/// 9.2. So there are at most S / 9.2 of them, where S is their sum, and each addition rounds by at
/// most u S. S is at most the score plus log((L + 3) / 3) + 3 + log 2, which are the parts of C and
/// its move that the score leaves out. Both sides round the final result.
WARPSEQ_HOST_DEVICE inline float forward_margin_nats(std::uint64_t residues, int nodes, float score_nats) {
    if (residues > kMostMarginResidues) return INFINITY;
    constexpr float kUnit = 1.02f / 16777216.0f;
    const float paths = static_cast<float>(residues) * (104.0f + 2.55f * static_cast<float>(nodes)) * kUnit;
    const float sum = 1.02f * (fmaxf(score_nats, 0.0f) + logf(static_cast<float>(residues + 3)) + 5.0f + paths);
    return paths + kUnit * (sum * (sum * (1 / 9.2f) + 4.0f) + 2.0f * fabsf(score_nats));
}

/// Returns a bound in nats for |device - host| of the bias filter's score, for a target of
/// `residues` residues. `score_nats` is the device's score.
///
/// The host adds the logarithm of each residue's scale in a float. After each residue the sum is
/// the logarithm of the unscaled value of the greater state. It is at least log 0.999 - 1, because
/// the background state stays with probability L / (L + 1). It is at most the final sum plus 1 +
/// log(M / 8 + 1), because the composed state changes to the background with probability 1 / (M / 8
/// + 1). With h = |score| + log(L + 1) + 15 (M <= 10^6) the sum lies within +-h. So each residue
/// adds an error of at most u h from rounding the sum and 2 u h from rounding its term. A path has
/// four operations per residue on the host and three on the device. Both sides round the final
/// result, whose terms are at most h.
WARPSEQ_HOST_DEVICE inline float bias_margin_nats(std::uint64_t residues, float score_nats) {
    if (residues > kMostMarginResidues) return INFINITY;
    constexpr float kUnit = 1.02f / 16777216.0f;
    const float range = fabsf(score_nats) + logf(static_cast<float>(residues + 1)) + 15.0f;
    return kUnit * (static_cast<float>(residues) * (8.0f + 3.0f * range) + 10.0f * range + 16.0f);
}

}  // namespace warpseq::cuda
