// `search hmmpress`: makes of a file of profiles what many of them are opened by at once
// (formats/profiles/pressed_profiles.h).
#pragma once

#include <filesystem>

#include "apps/search/driver/division.h"
#include "formats/io/atomic_file.h"
#include "libcore/base/status.h"
#include "options/option_values.h"

namespace warpseq {

Status run_hmmpress_command(const OptionValues& values, Division* division = nullptr);

/// Presses, with HMMER's words on standard output and in errors. With `replace` false files that
/// are there already are an error; else `existing` is what becomes of them.
Status press_profiles(const std::filesystem::path& file, bool replace, ExistingFile existing = ExistingFile::kReplace);

}  // namespace warpseq
