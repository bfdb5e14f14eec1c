// Writes profile HMMs in HMMER 3's text format (formats/profiles/hmm_file.h), with the digits that
// HMMER 3.3.2 writes. A profile that is written, read and written again gives the same bytes.
#pragma once

#include <string>
#include <string_view>

#include "formats/profiles/hmm_format.h"
#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// Appends a profile to `out`. Its format line, such as "HMMER3/f [3.3.2 | warpseq 0.1.0]", names
/// the version of HMMER whose format and digits are used, and the program that wrote the profile.
/// `program` replaces the latter.
void append_hmm(const ProfileHmm& hmm, std::string& out, HmmFormat format = HmmFormat::k3f,
                std::string_view program = {});

}  // namespace warpseq
