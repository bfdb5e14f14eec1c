// The settings that NCBI's programs read from a file besides the command line. The file, ".ncbirc",
// is a text of sections, names and values.
//
//   [BLAST]
//   BLASTDB=/data/blast:/data/more
//
// The first file that is there of ./.ncbirc, ~/.ncbirc, $NCBI/.ncbirc and /etc/.ncbirc counts. The
// file that $NCBI_CONFIG_OVERRIDES names goes before it, and NCBI_CONFIG__BLAST__BLASTDB in the
// environment before both. If NCBI_CONFIG_PATH is a list of folders, these are searched instead. If
// NCBI_DONT_USE_LOCAL_CONFIG is set, neither the current nor the home folder is searched.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "libcore/base/status.h"

namespace warpseq {

/// The values of one section of such a text, by their names in capitals. Sections and names are the
/// same in any letters; of values with one name the last one counts. A line that begins with ';' or
/// '#' is a comment. A value may stand in double quotes; a backslash goes before quotes,
/// backslashes, and the end of a line that the value goes beyond. An error says which line is
/// wrong.
Result<std::map<std::string, std::string>> read_blast_settings(std::string_view text, std::string_view section);

/// The value of a name in section BLAST; nothing where there is none. A file with a mistake counts
/// for nothing.
std::optional<std::string> blast_setting(const std::string& name);

}  // namespace warpseq
