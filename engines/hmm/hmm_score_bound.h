// An upper bound of a target's score. It can be computed from the target's regions, before its
// envelopes are known.
//
// A target's score is its Forward score, or that of its envelopes put together, less a bias that is
// never negative (hmm_pipeline.cpp). Let F be the multihit Forward score in nats, e_d the unihit
// one of envelope d, L the target's residues and l = log(L / (L + 3)).
//
// If no region may hold several domains, the envelopes are the regions, so they do not overlap.
// Consider the paths with one domain in each of K envelopes, and with N, J and C elsewhere. They
// are some of the target's own paths. Let such a path have r residues outside of all envelopes, and
// f residues inside envelopes but outside of cores. Apart from the cores, the target's model gives
// it the factor
//
//     (3 / (L + 3))^(K + 1) (1/2)^K (L / (L + 3))^(r + f).
//
// Apart from the cores, the envelopes' models give it the factor
//
//     (2 / (L + 2))^(2 K) (L / (L + 2))^f.
//
// Both give the cores the same factors. So F >= sum of e_d + r l + g with
//
//     g = log(3 / (L + 3)) + K log(3 (L + 2)^2 / (8 (L + 3))) + f log((L + 2) / (L + 3)).
//
// If K > 1, L is above 1 and the second logarithm is positive. So g is least for K = 1:
//
//     g >= log(9/8) + (f + 2) log((L + 2) / (L + 3)).
//
// Now f < L and log((L + 2) / (L + 3)) >= -1 / (L + 2), so g > log(9/8) - 1 = -0.8823. So the score
// of any set of envelopes put together is at most F + 0.8823 nats.
//
// This holds for exact sums. The following is added for floats, with u = 2^-24.
//
//   - Forward of the target may be below the exact value, and Forward of the envelopes above it.
//     The roundings along a path are at most (20 + 2.5 M) u per residue for each of both
//     (kernels/profile/float_margins_gpu.h counts them).
//   - The logarithms of scales are summed in a float. Let S be above every score of the target and
//     of its envelopes, without the parts of C and its move that a score leaves out. The roundings
//     of these sums are at most u (S^2 / 9.2 + 6 S) for each score.
//   - Forward takes values below 2^-126 as 0. A path that loses its value in this way could instead
//     enter from B, in the same row and at the next node, with a higher value. Rescaling keeps J or
//     N above e^-3 / 2, so B is above 2^-23 for L <= 2^18. Each entry into the model has a
//     probability of at least 2^-50 (bounds_scores()). So F loses at most 2^-53 for each cell.
//   - L / (L + 3) and L / (L + 2) are floats, which adds 4 u per residue. Sums over K envelopes add
//     (K + 4) 4 u (S + 16). A thousandth is added for everything else.
#pragma once

#include <cstdint>
#include <limits>

#include "engines/hmm/domain_definition.h"
#include "libcore/profile/plan7_profile.h"

namespace warpseq {

/// The regions of a target, with the other results of Forward, Backward and decoding. Scoring the
/// target needs these and its residues.
struct HmmRegions {
    float forward_nats = 0;
    TargetRegions found;
};

struct HmmScoreBound {
    float most_bits = std::numeric_limits<float>::infinity();
    double least_log_pvalue = -std::numeric_limits<double>::infinity();
};

/// Whether the statement above about values below 2^-126 holds for a profile.
bool bounds_scores(const ForwardProfile& profile);

/// Returns the most bits that a target can score, or infinity if no bound is known. No bound is
/// known if envelopes may overlap, and for targets of more than 2^18 residues or with very low
/// scores. `null_nats` is null1's score.
float most_score_bits(const HmmRegions& regions, std::uint64_t residues, float null_nats, int nodes);

}  // namespace warpseq
