// Estimates how many independent sequences the rows of an alignment count for. Counts are scaled to
// this number before they become probabilities.
#pragma once

#include "libcore/base/status.h"
#include "libcore/profile/aligned_rows.h"
#include "libcore/profile/dirichlet_prior.h"
#include "libcore/profile/profile_builder.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// Scales `counts` to the effective number of sequences and stores that number in
/// counts.effective_sequences. `counts` must have been made from `rows` with weights that add up to
/// the number of rows. `prior` is null for a profile without a prior. If the rows have less entropy
/// than the settings ask for, the counts stay as they are. Returns an error if no number of
/// sequences gives that entropy.
Status scale_to_effective_number(const ProfileBuildSettings& settings, const AlignedRows& rows,
                                 const ProfilePrior* prior, ProfileHmm& counts);

}  // namespace warpseq
