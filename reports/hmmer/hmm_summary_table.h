// The table of HMMER's hmmstat: a row with the figures of each profile.
#pragma once

#include <cstdint>
#include <string>

#include "libcore/profile/profile_hmm.h"

namespace warpseq {

/// Appends the lines above the rows.
void append_summary_heading(std::string& out);

/// Appends the row of a profile. `number` is its number in the file, from 1.
void append_summary_row(std::uint64_t number, const ProfileHmm& hmm, std::string& out);

}  // namespace warpseq
