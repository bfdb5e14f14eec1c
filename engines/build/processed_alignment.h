// The alignment from which a profile was built, in the form that the profile used.
#pragma once

#include "libcore/profile/profile_builder.h"
#include "libcore/sequence/multiple_alignment.h"

namespace warpseq {

/// Returns the alignment of the rows to the profile's nodes. It has a column for each node with a
/// residue in any row, followed by as many columns as the longest insert behind that node. `built`
/// has to hold traces. Names, accessions and descriptions are those of `alignment`. Weights are
/// those with which the profile was built, if there are any.
MultipleAlignment processed_alignment(const MultipleAlignment& alignment, const BuiltProfile& built);

}  // namespace warpseq
