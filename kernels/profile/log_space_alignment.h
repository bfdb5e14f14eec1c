// The alignment of greatest accuracy of a whole sequence to a profile as one domain, in log space.
// It is used for sequences whose posterior probabilities overflow if they are computed as odds.
// These sequences have several domains, and a model of one domain has to choose between them.
//
// Forward and Backward are in nats, for nodes k and residues i. a (+) b is log(exp a + exp b). With
// the transitions left out, Forward is
//
//   M(i,k) = match(i,k) + ((M (+) I) (+) (B (+) D))    of row i - 1, node k - 1
//   I(i,k) = M (+) I                                   of row i - 1, node k
//   D(i,k) = M (+) D                                   of row i, node k - 1
//   E(i)   = (M(i,k) (+) D(i,k)) (+) E(i)              for each k in turn
//   C(i)   = C(i-1) (+) E(i),  N(i) = N(i-1),  B(i) = N(i)
//
// a (+) b is computed as max + table[floor(1000 * difference)], and as max alone if the
// difference is 15.7 or more. Posterior probabilities of a row are divided by their sum. Steps
// without probability weigh FLT_MIN in the maximisation. The order of operations is that of HMMER
// 3.3.2's generic implementation, so the bits are the same. Only N and C emit a stop.
//
// The memory is 24 bytes per cell (residues times nodes).
#pragma once

#include "kernels/profile/forward_backward.h"
#include "libcore/profile/plan7_profile.h"

namespace warpseq {

/// Aligns task.envelope. Sets forward_nats, expected_accuracy, trace and flank_posteriors of the
/// task, but not null2_odds. Returns false if no alignment is possible.
bool align_in_log_space(const Plan7Profile& profile, EnvelopeTask& task);

}  // namespace warpseq
