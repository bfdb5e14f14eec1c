// From counts to probabilities.
#pragma once

#include "libcore/profile/dirichlet_prior.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// Turns counts into probabilities: means under the prior, or frequencies where there is none
/// (`prior` is null). What the model does not have (a delete state behind the last node, one of
/// node 0) gets the values that HMMER 3's files have there.
void estimate_parameters(ProfileHmm& counts, const ProfilePrior* prior);

/// The same for the residues of match states alone.
void estimate_match_residues(ProfileHmm& counts, const ProfilePrior* prior);

/// Mean over the nodes of the relative entropy of a match state's residues against the background,
/// in bits. A node's is added up in a float.
double mean_match_relative_entropy_bits(const ProfileHmm& hmm);

/// The same of one node: a float.
float relative_entropy_bits(const ProfileHmm::Residues& residues);

}  // namespace warpseq
