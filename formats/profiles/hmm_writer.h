// Writes profile HMMs in HMMER 3's text format (formats/profiles/hmm_file.h), with the digits that
// HMMER 3.3.2 writes. A profile that is written, read and written again gives the same bytes.
#pragma once

#include <string>

#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// The versions of the format, HMMER3/a to HMMER3/f. The current one is HMMER3/f. Older versions
/// lack some tags and columns.
enum class HmmFormat : char { k3a = 'a', k3b = 'b', k3c = 'c', k3d = 'd', k3e = 'e', k3f = 'f' };

/// Appends a profile to `out`. Its format line, such as "HMMER3/f [3.3.2 | warpseq 0.1.0]", names
/// the version of HMMER whose format and digits are used, and the program that wrote the profile.
void append_hmm(const ProfileHmm& hmm, std::string& out, HmmFormat format = HmmFormat::k3f);

}  // namespace warpseq
