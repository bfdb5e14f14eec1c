// Reads the profile tests/golden/hmm/every-field-3f.hmm, which has 11 nodes and every field.
#pragma once

#include <doctest/doctest.h>

#include "formats/profiles/hmm_file.h"
#include "tests/support/golden_folder.h"

namespace warpseq::testing {

inline ProfileHmm golden_profile() {
    HmmFileReader reader(golden_folder() / "hmm" / "every-field-3f.hmm");
    ProfileHmm hmm;
    const auto read = reader.next(hmm);
    REQUIRE((read.ok() && *read));
    return hmm;
}

}  // namespace warpseq::testing
