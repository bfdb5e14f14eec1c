// `search hmmpress`: makes the pressed files of a file of profiles. Many profiles are read from
// them faster than from the file itself (formats/profiles/pressed_profiles.h).
#pragma once

#include <filesystem>

#include "apps/search/driver/division.h"
#include "formats/io/atomic_file.h"
#include "libcore/base/status.h"
#include "options/option_values.h"

namespace warpseq {

/// Runs the command. An error is returned, not printed. A division is a usage error, because the
/// command is not divided.
Status run_hmmpress_command(const OptionValues& values, Division* division = nullptr);

/// Presses a file of profiles, with HMMER's words on standard output and in errors. Without
/// `replace` a pressed file that exists is an error; otherwise `existing` says how it is treated.
Status press_profiles(const std::filesystem::path& file, bool replace, ExistingFile existing = ExistingFile::kReplace);

}  // namespace warpseq
