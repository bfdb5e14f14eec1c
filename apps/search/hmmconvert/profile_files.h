// The files of a run that reads profiles and writes one output: hmmconvert, hmmemit, hmmstat.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "formats/io/atomic_file.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Checks that the output can be opened, and that it is neither the file of profiles nor one that
/// belongs to it. Otherwise returns the error of RunFiles::check(). `input_option` and
/// `output_option` are the files' names in messages. `existing` is for an output that exists.
Status check_profile_files(const std::string& profiles, const std::string& input_option,
                           const std::optional<std::filesystem::path>& output, const std::string& output_option,
                           ExistingFile existing = ExistingFile::kReplace);

}  // namespace warpseq
