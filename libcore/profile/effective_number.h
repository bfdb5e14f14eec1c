// How many independent sequences the rows of an alignment are taken for: counts are scaled to it
// before probabilities are made of them.
#pragma once

#include "libcore/base/status.h"
#include "libcore/profile/aligned_rows.h"
#include "libcore/profile/dirichlet_prior.h"
#include "libcore/profile/profile_builder.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// Scales counts of `rows` (whose weights add up to their number) and sets
/// ProfileHmm::effective_sequences. `prior` is null for none. An aim of entropy that no number of
/// sequences meets is an error.
Status scale_to_effective_number(const ProfileBuildSettings& settings, const AlignedRows& rows,
                                 const ProfilePrior* prior, ProfileHmm& counts);

}  // namespace warpseq
