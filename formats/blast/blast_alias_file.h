// Reads alias files of BLAST databases (formats/blast/blast_database.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

/// The content of an alias file.
struct BlastAliasFile {
    std::string title = {};
    std::vector<std::string> names = {};  // the databases that the alias stands for (DBLIST)
    std::optional<std::uint64_t> sequences = {}, residues = {};
    std::string other_word = {};  // the first word that is none of TITLE, DBLIST, NSEQ and LENGTH; empty if none
};

/// Whether `file` is a regular file that is not too large for an alias.
bool is_alias_size(const std::filesystem::path& file);

/// Reads an alias file. Fails if it cannot be read, is too large for an alias, or has a total that
/// is no number.
Result<BlastAliasFile> read_blast_alias(const std::filesystem::path& file);

}  // namespace warpseq
