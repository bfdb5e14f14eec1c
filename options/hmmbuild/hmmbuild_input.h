// The input of hmmbuild as its options say: the engine's settings, the letters that alignments may
// have, and the names of profiles.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "engines/build/hmm_build_engine.h"
#include "formats/alignments/alignment_reader.h"
#include "libcore/base/status.h"
#include "libcore/sequence/multiple_alignment.h"
#include "options/hmmbuild/hmmbuild_options.h"

namespace warpseq {

/// Returns the engine's settings, with the date of now. Reads the file of a substitution matrix if
/// the options name one. A seed of 0 becomes a random one.
Result<HmmBuildSettings> build_settings_of(const HmmbuildOptions& options);

/// Checks that the letters are those of proteins, unless options.is_protein. An alignment whose
/// letters could be anything is refused, too. Opens the reader and leaves the alignments unread.
Status check_letters(const HmmbuildOptions& options, AlignmentReader& reader);

/// Names the alignments as they are read. Only a single alignment may lack a name of its own.
class AlignmentNames {
   public:
    /// `given` is the name that the user gave the only alignment, if any. `of_file` is the name of
    /// an alignment without a name; empty: none.
    AlignmentNames(std::optional<std::string> given, std::string of_file)
        : given_(std::move(given)), of_file_(std::move(of_file)) {}

    /// Sets the name of the next alignment. An alignment that must have a name and has none is an
    /// error in HMMER's words.
    Status name(MultipleAlignment& alignment);

   private:
    std::optional<std::string> given_;
    std::string of_file_;
    std::uint64_t read_ = 0, named_ = 0;
};

/// Returns the name of a profile whose alignment has none: the file's name without folder and
/// suffix. Standard input has none.
std::string profile_name_of(const std::filesystem::path& file);

}  // namespace warpseq
