// Profiles in HMMER 3's text format (formats/profiles/hmm_file.h), with the digits that HMMER 3.3.2
// writes. Reading what was written and writing it again gives the same bytes.
#pragma once

#include <string>

#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// The versions of the format: HMMER3/a to HMMER3/f, which is today's. Older ones do not have all
/// tags and columns.
enum class HmmFormat : char { k3a = 'a', k3b = 'b', k3c = 'c', k3d = 'd', k3e = 'e', k3f = 'f' };

/// Appends a profile. Its format line is "HMMER3/f [3.3.2 | warpseq 0.1.0]": the HMMER whose format and numbers these are, and who
/// wrote them.
void append_hmm(const ProfileHmm& hmm, std::string& out, HmmFormat format = HmmFormat::k3f);

}  // namespace warpseq
