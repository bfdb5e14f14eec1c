// The alignment that a profile was built from, as the profile sees it.
#pragma once

#include "libcore/profile/profile_builder.h"
#include "libcore/sequence/multiple_alignment.h"

namespace warpseq {

/// With a column for each node that has a residue in any row, and after it as many as the longest
/// insert there needs. `built` has been asked to keep traces. Names, accessions and descriptions
/// are the alignment's; weights are those that counted, where there are any.
MultipleAlignment processed_alignment(const MultipleAlignment& alignment, const BuiltProfile& built);

}  // namespace warpseq
