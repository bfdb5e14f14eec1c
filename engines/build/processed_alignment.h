// The alignment that a profile was built from, as the profile sees it.
#pragma once

#include "libcore/profile/profile_builder.h"
#include "libcore/sequence/multiple_alignment.h"

namespace warpseq {

/// Returns the alignment as the profile sees it. It has a column for each node that has a residue
/// in any row, followed by as many columns as the longest insert there needs. `built` has to hold
/// traces. Names, accessions and descriptions are the alignment's. Weights are those that counted,
/// if there are any.
MultipleAlignment processed_alignment(const MultipleAlignment& alignment, const BuiltProfile& built);

}  // namespace warpseq
