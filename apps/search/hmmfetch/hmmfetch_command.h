// `search hmmfetch`: fetches profiles from a file of them, by name or accession.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/search/driver/division.h"
#include "formats/io/atomic_file.h"
#include "libcore/base/status.h"
#include "options/option_values.h"

namespace warpseq {

/// Runs the command. An error is returned, not printed. A division is a usage error, because the
/// command is not divided.
Status run_hmmfetch_command(const OptionValues& values, Division* division = nullptr);

/// The files of a run that fetches profiles, and their names in messages.
struct HmmfetchFiles {
    std::string profiles;
    std::optional<std::string> keys;  // a file of keys
    std::optional<std::filesystem::path> output;
    ExistingFile existing = ExistingFile::kReplace;
    std::string profiles_option = "the profiles", keys_option = "--list", output_option = "-o";
};
/// Checks that the output can be opened, and that it is no file that is read or that belongs to the
/// file of profiles. Otherwise returns the error of RunFiles::check().
Status check_fetch_files(const HmmfetchFiles& files);

// The functions below do the work as HMMER's hmmfetch does it. Their errors have hmmfetch's words.

/// Returns the first word of each line of a file ("-" is standard input). Text after a # is
/// skipped. A key that occurs twice is an error.
Result<std::vector<std::string>> read_profile_keys(const std::string& file);

/// Returns the first profile with this name or accession, as text. If there is none, that is an
/// error.
Result<std::string> fetch_profile(const std::string& file, const std::string& key);

/// Profiles as text, and their number.
struct FetchedProfiles {
    std::string text;
    std::uint64_t count = 0;
};
/// Returns the profiles with these names or accessions. If the file has an index, which hmmfetch or
/// hmmpress has made, they come in the order of the keys, and a missing key is an error. Otherwise
/// they come in the order of the file, and missing keys are skipped.
Result<FetchedProfiles> fetch_profiles(const std::string& file, const std::vector<std::string>& keys);

/// Writes FILE.ssi, and prints HMMER's words about it on standard output.
Status index_profiles(const std::string& file);

}  // namespace warpseq
