// The rows of the alignment that a profile was made of, as rows of a new one: hmmalign's --mapali.
#pragma once

#include <vector>

#include "engines/hmm/hmm_alignment.h"
#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/sequence/multiple_alignment.h"

namespace warpseq {

/// Returns the rows, with the traces that the profile's map gives them. Returns an error if the
/// profile has no checksum or no map, if the alignment is another one (by that checksum), or if a
/// row has missing data in its middle. In messages `file` names the alignment and `option` the
/// option that it was given with.
Result<std::vector<AlignedSequence>> map_alignment(const ProfileHmm& hmm, const MultipleAlignment& alignment,
                                                   const std::string& file, const std::string& option);

}  // namespace warpseq
