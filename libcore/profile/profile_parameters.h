// Turns the counts of a profile into probabilities.
#pragma once

#include "libcore/profile/dirichlet_prior.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// Turns counts into probabilities: means under the prior, or frequencies if `prior` is null.
/// States that the model does not have (a delete state behind the last node, one of node 0) get the
/// values that HMMER 3's files have there.
void estimate_parameters(ProfileHmm& counts, const ProfilePrior* prior);

/// Does the same for the residues of match states alone.
void estimate_match_residues(ProfileHmm& counts, const ProfilePrior* prior);

/// Returns the relative entropy of a match state's residues against the background, in bits, as the
/// mean over the nodes. The entropy of each node is summed in a float.
double mean_match_relative_entropy_bits(const ProfileHmm& hmm);

/// Returns the same for the residues of one node, summed in a float.
float relative_entropy_bits(const ProfileHmm::Residues& residues);

}  // namespace warpseq
