// Estimates how many independent sequences the rows of an alignment count for. Counts are scaled to
// this number before they become probabilities.
#pragma once

#include "libcore/base/status.h"
#include "libcore/profile/aligned_rows.h"
#include "libcore/profile/dirichlet_prior.h"
#include "libcore/profile/profile_builder.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// Scales counts of `rows` (whose weights add up to their number) and sets
/// ProfileHmm::effective_sequences. `prior` is null if there is none. If no number of sequences has
/// the entropy that the settings ask for, that is an error.
Status scale_to_effective_number(const ProfileBuildSettings& settings, const AlignedRows& rows,
                                 const ProfilePrior* prior, ProfileHmm& counts);

}  // namespace warpseq
