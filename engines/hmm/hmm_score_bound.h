// An upper bound of a target's score. It is known when the target's regions are, before its
// envelopes are worked out.
//
// A target's score is its Forward score, or that of its envelopes put together, less a bias that is
// never negative (hmm_pipeline.cpp). Let F be the multihit Forward score in nats, e_d the unihit
// one of envelope d, L the target's residues and l = log(L / (L + 3)).
//
// If no region may hold several domains, the envelopes are the regions, so they do not overlap.
// Take the paths with one domain in each of K of them, and N, J and C elsewhere. They are some of
// the target's own paths. Let such a path have r residues outside of all envelopes, and f residues
// outside of cores but inside envelopes. The target's model gives it, apart from its cores,
//
//     (3 / (L + 3))^(K + 1) (1/2)^K (L / (L + 3))^(r + f).
//
// The envelopes' models give it, apart from its cores,
//
//     (2 / (L + 2))^(2 K) (L / (L + 2))^f.
//
// Both models give the cores the same. So F >= sum of e_d + r l + g with
//
//     g = log(3 / (L + 3)) + K log(3 (L + 2)^2 / (8 (L + 3))) + f log((L + 2) / (L + 3)).
//
// K > 1 needs L > 1, and then the second logarithm is positive. So K = 1 is the least case:
//
//     g >= log(9/8) + (f + 2) log((L + 2) / (L + 3)).
//
// Now f < L and log((L + 2) / (L + 3)) >= -1 / (L + 2), so g > log(9/8) - 1 = -0.8823. The score
// put together, of any of the envelopes, is at most F + 0.8823 nats.
//
// That holds for true sums. Floats add the following to it, with u = 2^-24.
//
//   - Forward of the target may lie below the true value, and that of envelopes above it. The
//     roundings along a path make at most (20 + 2.5 M) u a residue, for both
//     (kernels/profile/float_margins_gpu.h counts them).
//   - The logarithms of scales are summed in a float. Let S be above every score of the target and
//     of its envelopes, less what C and its move leave out. The roundings of these logarithms make
//     u (S^2 / 9.2 + 6 S) for each of them.
//   - Forward takes values below 2^-126 as 0. A path that loses something there enters from B, in
//     the same row and at the next node, with more. Rescaling keeps J or N above e^-3 / 2, so B is
//     above 2^-23 for L <= 2^18. Each way into the model is at least 2^-50 wide (bounds_scores()).
//     So F loses no more than 2^-53 for each cell.
//   - L / (L + 3) and L / (L + 2) are floats, which makes 4 u a residue. Sums over K envelopes make
//     (K + 4) 4 u (S + 16). A thousandth is for the rest.
#pragma once

#include <cstdint>
#include <limits>

#include "engines/hmm/domain_definition.h"
#include "libcore/profile/plan7_profile.h"

namespace warpseq {

/// The results of Forward, Backward and decoding for a target: what scoring it needs besides its
/// residues.
struct HmmRegions {
    float forward_nats = 0;
    TargetRegions found;
};

struct HmmScoreBound {
    float most_bits = std::numeric_limits<float>::infinity();
    double least_log_pvalue = -std::numeric_limits<double>::infinity();
};

/// Whether the statements above about small numbers hold for a profile.
bool bounds_scores(const ForwardProfile& profile);

/// Returns the most bits that a target can score; infinity if nothing is known. That is so if
/// envelopes may overlap, and for targets beyond 2^18 residues or of hardly any score. `null_nats`
/// is null1's score.
float most_score_bits(const HmmRegions& regions, std::uint64_t residues, float null_nats, int nodes);

}  // namespace warpseq
