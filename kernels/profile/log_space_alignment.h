// The alignment of greatest accuracy of a whole sequence to a profile as one domain, in log space.
// It is used for sequences whose posterior probabilities overflow as odds. These have several
// domains, of which a model of one domain must choose.
//
// Forward and Backward are in nats, for nodes k and residues i. B has a value per row, as the
// states N, C and E do:
//
//   M(i,k) = match(i,k) + log(sum of the values that lead there), sums by pairs: (M + I) + (B + D)
//   I(i,k) = M + I of row i - 1; D(i,k) = M + D of node k - 1
//   E(i)   = E(i) + (M(i,k) + D(i,k)) over k; C(i) = C(i-1) + E(i); N(i) = N(i-1); B(i) = N(i)
//
// log(exp a + exp b) is max + table[floor(1000 * difference)], and max alone from a difference of
// 15.7 on. Posterior probabilities of a row are divided by their sum. Steps of no probability weigh
// FLT_MIN in the maximisation. The order of operations is that of HMMER 3.3.2's generic
// implementation, so the bits are the same. Only N and C emit a stop.
//
// The memory is 24 bytes a cell (residues times nodes).
#pragma once

#include "kernels/profile/forward_backward.h"
#include "libcore/profile/plan7_profile.h"

namespace warpseq {

/// Sets the task's forward_nats, expected_accuracy, trace and flank_posteriors. null2 is not
/// available. Returns false if no alignment is possible.
bool align_in_log_space(const Plan7Profile& profile, EnvelopeTask& task);

}  // namespace warpseq
