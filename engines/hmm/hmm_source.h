// A profile as a batch is made of it: whole, or, of pressed files, what the first filters need of
// it. Of many profiles that is all that is ever read: few targets get further, and none of most
// profiles.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "libcore/profile/plan7_profile.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

class PressedProfiles;  // formats/profiles/pressed_profiles.h

/// Where the rest of a profile is.
struct HmmPressedPlace {
    std::shared_ptr<const PressedProfiles> file;
    std::size_t profile = 0;
};

struct HmmSource {
    ProfileHmm hmm;                      // with statistics; without `rest` whole, else as in FirstForm
    std::optional<MsvProfile> msv = {};  // there with `rest`
    std::optional<HmmPressedPlace> rest = {};
};

}  // namespace warpseq
