// How far the float filters of a GPU may lie from the host's scores, proven. A decision kernel adds
// the margin to the device's score before it compares, so that it drops nothing that the host would
// pass. For host and device code; no CUDA header here.
//
// Both sides evaluate the same sum over paths of products of the same positive floats, in different orders. Every rounded operation
// multiplies what passes through it by 1 + d, |d| <= u = 2^-24; nothing is ever subtracted. So a computed sum is the true one with each
// path's product changed by at most (1 + u)^n, n the operations along it, and its logarithm lies within about n u of the true one, n that
// of the longest path. The factor 1.02 below covers what "about" leaves out.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/gpu/host_device.h"

namespace warpseq::cuda {

/// Targets of more residues than this have an infinite margin: the host decides.
inline constexpr std::uint64_t kMostMarginResidues = std::uint64_t{1} << 18;

/// |device - host| of Forward for a target of `residues` and a model of `nodes`, given what the device found.
///
/// Operations along a path, for each residue (L residues, M nodes; a path has at most L domains,
/// and at most M deletes in each):
///  - host: a product, three sums and the odds for a match, two for its row's rescaling, and at
///    most five where a delete path begins or passes from one of the four segments to the next: 12;
///    two per delete; M / 2 + 8 to join E, J and B. At most 20 + 2.5 M.
///  - device: eight for a match and its tables' rounding, R + 24 for a delete path (R <= 16 nodes a
///    thread, then tables and a scan of at most nine levels; in models beyond the registers R <= M
///    / 256 + 1), R + 16 to join E, J and B. At most 80 + 0.01 M.
///  - values below 2^-126, which the host takes as 0: less than 0.01 M u (ForwardTables::bounded()
///    tells for which profiles).
/// The host adds the logarithms of its rescalings to a float, at least log 10^4 each, so at most S
/// / 9.2 times, S the sum; each rounds by at most u S. S is at most the score and what C and its
/// move leave out, log((L + 3) / 3) + 3 + log 2. Both sides round the end.
WARPSEQ_HOST_DEVICE inline float forward_margin_nats(std::uint64_t residues, int nodes, float score_nats) {
    if (residues > kMostMarginResidues) return INFINITY;
    constexpr float kUnit = 1.02f / 16777216.0f;
    const float paths = static_cast<float>(residues) * (104.0f + 2.55f * static_cast<float>(nodes)) * kUnit;
    const float sum = 1.02f * (fmaxf(score_nats, 0.0f) + logf(static_cast<float>(residues + 3)) + 5.0f + paths);
    return paths + kUnit * (sum * (sum * (1 / 9.2f) + 4.0f) + 2.0f * fabsf(score_nats));
}

/// |device - host| of the bias filter for a target of `residues`, given what the device found.
///
/// The host sums the logarithm of each residue's scale in a float. After any residue that sum is that of the greater state's unscaled
/// value: at least log 0.999 - 1, for background stays with L / (L + 1); and at most the last one and 1 + log(M / 8 + 1) more, for
/// the composed state leaves for background with 1 / (M / 8 + 1). With h = |score| + log(L + 1) + 15 (M <= 10^6) it lies within
/// +-h, so each residue adds at most u h by rounding the sum and 2 u h by rounding its term. Operations along a path: four a residue on
/// the host, three on the device; both sides round the end, of terms no greater than h.
WARPSEQ_HOST_DEVICE inline float bias_margin_nats(std::uint64_t residues, float score_nats) {
    if (residues > kMostMarginResidues) return INFINITY;
    constexpr float kUnit = 1.02f / 16777216.0f;
    const float range = fabsf(score_nats) + logf(static_cast<float>(residues + 1)) + 15.0f;
    return kUnit * (static_cast<float>(residues) * (8.0f + 3.0f * range) + 10.0f * range + 16.0f);
}

}  // namespace warpseq::cuda
