// The rows of the alignment from which a profile was built, for use as rows of a new alignment
// (hmmalign's --mapali).
#pragma once

#include <vector>

#include "engines/hmm/hmm_alignment.h"
#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/sequence/multiple_alignment.h"

namespace warpseq {

/// Returns the rows with the traces that follow from the profile's map. Returns an error if the
/// profile has no checksum or no map, if the checksum shows that this is another alignment, or if a
/// row has missing data in its middle. Error messages name the alignment by `file` and the
/// command-line option by `option`.
Result<std::vector<AlignedSequence>> map_alignment(const ProfileHmm& hmm, const MultipleAlignment& alignment,
                                                   const std::string& file, const std::string& option);

}  // namespace warpseq
