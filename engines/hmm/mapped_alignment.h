// The rows of the alignment that a profile was made of, as rows of a new one: hmmalign's --mapali.
#pragma once

#include <vector>

#include "engines/hmm/hmm_alignment.h"
#include "libcore/base/status.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/sequence/multiple_alignment.h"

namespace warpseq {

/// The rows, with the traces that the profile's map gives them. An error where the profile has no
/// checksum or no map, where the alignment is another one (by that checksum), or where a row has
/// missing data in its middle. `file` names the alignment in messages, `option` what it was given
/// with.
Result<std::vector<AlignedSequence>> map_alignment(const ProfileHmm& hmm, const MultipleAlignment& alignment,
                                                   const std::string& file, const std::string& option);

}  // namespace warpseq
