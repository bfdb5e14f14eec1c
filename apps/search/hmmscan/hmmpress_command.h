// `search hmmpress`: makes of a file of profiles what many of them are opened by at once
// (formats/profiles/pressed_profiles.h).
#pragma once

#include <filesystem>

#include "apps/common/option_set.h"
#include "apps/search/division.h"
#include "formats/io/atomic_file.h"
#include "libcore/base/status.h"

namespace warpseq {

OptionSet make_hmmpress_options();
Status run_hmmpress_command(int argc, char** argv, Division* division = nullptr);

/// Presses, with HMMER's words on standard output and in errors. With `replace` false files that
/// are there already are an error; else `existing` is what becomes of them.
Status press_profiles(const std::filesystem::path& file, bool replace, ExistingFile existing = ExistingFile::kReplace);

}  // namespace warpseq
