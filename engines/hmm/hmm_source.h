// The source from which a batch makes one of its profiles. It has a whole profile or, if that comes
// from a pressed file, only the data for the first filters. The rest of most profiles is never
// read, because no target passes their first filters.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "libcore/profile/plan7_profile.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

class PressedProfiles;  // formats/profiles/pressed_profiles.h

/// The place of the rest of a pressed profile.
struct HmmPressedPlace {
    std::shared_ptr<const PressedProfiles> file;
    std::size_t profile = 0;
};

struct HmmSource {
    ProfileHmm hmm;                      // with statistics; whole if `rest` is empty, otherwise as in FirstForm
    std::optional<MsvProfile> msv = {};  // set if `rest` is
    std::optional<HmmPressedPlace> rest = {};
};

}  // namespace warpseq
