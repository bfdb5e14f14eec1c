// How much a target can score at most, known when its regions are, before its envelopes are worked
// out.
//
// A target's score is its Forward score, or that of its envelopes put together, less a bias that is
// never negative (hmm_pipeline.cpp). Let F be the multihit Forward score in nats, e_d the unihit
// one of envelope d, L the target's residues and l = log(L / (L + 3)).
//
// Where no region may hold several domains, envelopes are the regions, so they do not overlap. The
// paths with one domain in each of K of them, and N, J and C elsewhere, are some of the target's
// own paths. Where such a path has r residues outside of all envelopes, and f outside of cores but
// inside envelopes, the target's model gives it
//
//     (3 / (L + 3))^(K + 1) (1/2)^K (L / (L + 3))^(r + f)     and the envelopes' models     (2 / (L + 2))^(2 K) (L / (L + 2))^f
//
// besides what cores give, which is the same. So F >= sum of e_d + r l + g with
//
//     g = log(3 / (L + 3)) + K log(3 (L + 2)^2 / (8 (L + 3))) + f log((L + 2) / (L + 3)).
//
// K > 1 needs L > 1, and then the second logarithm is positive. So K = 1 is the least case: g >=
// log(9/8) + (f + 2) log((L + 2) / (L + 3)), and as f < L and log((L + 2) / (L + 3)) >= -1 / (L +
// 2), g > log(9/8) - 1 = -0.8823. The score put together, of any of the envelopes, is at most F +
// 0.8823 nats.
//
// That is of true sums. What floats add to it, u = 2^-24:
//
//  - Forward of the target may lie below, that of envelopes above the true one, by the roundings
//    along a path: at most (20 + 2.5 M) u a residue (kernels/profile/float_margins_gpu.h counts
//    them), for both; and by those of the logarithms of scales, which are summed in a float: with S
//    above every score of the target and of its envelopes, less what C and its move leave out, u
//    (S^2 / 9.2 + 6 S) for each of them.
//  - Forward takes values below 2^-126 as 0. What a path loses there enters from B, in the same row
//    and at the next node, with more: rescaling keeps J or N above e^-3 / 2, so B above 2^-23 for L
//    <= 2^18, and each way into the model is at least 2^-50 wide (bounds_scores()). So of F no more
//    than 2^-53 is lost for each cell.
//  - L / (L + 3) and L / (L + 2) are floats: 4 u a residue; sums over K envelopes: (K + 4) 4 u (S +
//    16); and a thousandth for the rest.
#pragma once

#include <cstdint>
#include <limits>

#include "engines/hmm/domain_definition.h"
#include "libcore/profile/plan7_profile.h"

namespace warpseq {

/// Of a target after Forward, Backward and decoding: what scoring it needs besides its residues.
struct HmmRegions {
    float forward_nats = 0;
    TargetRegions found;
};

struct HmmScoreBound {
    float most_bits = std::numeric_limits<float>::infinity();
    double least_log_pvalue = -std::numeric_limits<double>::infinity();
};

/// Whether what is said above of small numbers holds for a profile.
bool bounds_scores(const ForwardProfile& profile);

/// Infinity where nothing is known: where envelopes may overlap, and of targets beyond 2^18
/// residues or of hardly any score. `null_nats` is null1's score.
float most_score_bits(const HmmRegions& regions, std::uint64_t residues, float null_nats, int nodes);

}  // namespace warpseq
