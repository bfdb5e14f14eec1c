// Presses files of profiles: makes the files by which many profiles are opened at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>

#include "formats/io/atomic_file.h"
#include "libcore/base/status.h"

namespace warpseq {

/// The profiles that were pressed, and those among them that have an accession.
struct PressedCounts {
    std::uint64_t profiles = 0, accessions = 0;
};

struct PressSettings {
    bool replace = false;  // whether pressed files that exist are replaced; otherwise they are an error
    ExistingFile existing = ExistingFile::kReplace;  // how they are replaced
    /// Called once the file is known to have profiles and the outputs are open. May be empty. An
    /// error that it returns ends the work.
    std::function<Status()> on_start = {};
    std::stop_token stop = {};  // ends the work with Status::interrupted(); no file appears then
};

/// Makes the pressed files of `file` (formats/profiles/pressed_profiles.h). Profiles of HMMER2 are
/// calibrated first. Errors have HMMER's words.
Result<PressedCounts> press_profile_file(const std::filesystem::path& file, const PressSettings& settings);

}  // namespace warpseq
