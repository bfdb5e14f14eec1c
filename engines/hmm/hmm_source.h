// A profile as a batch is made of it. It is whole or, if it comes from a pressed file, only what
// the first filters need of it. Nothing more is ever read of many profiles, because few targets get
// further, and none of most profiles.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "libcore/profile/plan7_profile.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

class PressedProfiles;  // formats/profiles/pressed_profiles.h

/// The place of the rest of a profile.
struct HmmPressedPlace {
    std::shared_ptr<const PressedProfiles> file;
    std::size_t profile = 0;
};

struct HmmSource {
    ProfileHmm hmm;                      // with statistics; whole without `rest`, as in FirstForm with it
    std::optional<MsvProfile> msv = {};  // set if `rest` is
    std::optional<HmmPressedPlace> rest = {};
};

}  // namespace warpseq
