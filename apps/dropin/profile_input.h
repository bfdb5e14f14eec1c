// Opens files of profiles, and reports what is wrong with them, in the words of HMMER's programs
// that read profiles alone: hmmstat, hmmconvert and hmmemit.
#pragma once

#include <optional>
#include <string>

#include "formats/profiles/hmm_file.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Opens a file of profiles, or its pressed form if the file does not exist. "-" is standard input.
/// A file that is missing, empty or in another format is an error.
Result<HmmFileReader> open_profiles(const std::string& file);

/// Returns HMMER's message about a profile that could not be read. `error` is that of
/// HmmFileReader::next(). Returns nothing if `error` says more than HMMER: if the system failed, or
/// if the first profile is not one of proteins, which HMMER reads.
std::optional<std::string> bad_profile_message(const HmmFileReader& profiles, const std::string& file,
                                               const Status& error);

}  // namespace warpseq
