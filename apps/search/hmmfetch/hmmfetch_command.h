// `search hmmfetch`: profiles out of a file of them, by name or accession.
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

Status run_hmmfetch_command(const OptionValues& values, Division* division = nullptr);

/// The files of a run, and what messages call them.
struct HmmfetchFiles {
    std::string profiles;
    std::optional<std::string> keys;  // a file of them
    std::optional<std::filesystem::path> output;
    ExistingFile existing = ExistingFile::kReplace;
    std::string profiles_option = "the profiles", keys_option = "--list", output_option = "-o";
};
/// A usage error where the output is a file that is read, or that stands beside the profiles; an
/// error where it cannot be opened.
Status check_fetch_files(const HmmfetchFiles& files);

// The work, as hmmfetch does it, with its words in errors.

/// The first word of each line of a file ("-": standard input), without what follows a #; one that
/// is there twice is an error.
Result<std::vector<std::string>> read_profile_keys(const std::string& file);

/// The first profile with that name or accession, as text.
Result<std::string> fetch_profile(const std::string& file, const std::string& key);

struct FetchedProfiles {
    std::string text;
    std::uint64_t count = 0;
};
/// Those with such names or accessions. By an index, of hmmfetch or of pressed files, in the order
/// of keys, each of which has to be there; else in the order of the file.
Result<FetchedProfiles> fetch_profiles(const std::string& file, const std::vector<std::string>& keys);

/// Writes FILE.ssi, and HMMER's words about it to standard output.
Status index_profiles(const std::string& file);

}  // namespace warpseq
