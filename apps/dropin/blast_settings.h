// Reads the settings that NCBI's programs take from a file besides the command line. The file,
// ".ncbirc", is a text of sections, names and values.
//
//   [BLAST]
//   BLASTDB=/data/blast:/data/more
//
// A setting such as BLASTDB is looked for in three places. The first that has it counts.
//  - The environment variable NCBI_CONFIG__BLAST__BLASTDB.
//  - The file that $NCBI_CONFIG_OVERRIDES names.
//  - The first existing file of ./.ncbirc, ~/.ncbirc, $NCBI/.ncbirc and /etc/.ncbirc.
// If NCBI_CONFIG_PATH is a list of folders, .ncbirc is looked for in these instead. If
// NCBI_DONT_USE_LOCAL_CONFIG is set, neither the current nor the home folder is searched.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "libcore/base/status.h"

namespace warpseq {

/// Returns the values of one section of such a text, by their names in capitals. The case of
/// sections and names does not matter. If a name has several values, the last one counts. A line
/// that begins with ';' or '#' is a comment. A value may stand in double quotes. A backslash goes
/// before quotes, backslashes, and the end of a line if the value continues on the next one. An
/// error says which line is wrong.
Result<std::map<std::string, std::string>> read_blast_settings(std::string_view text, std::string_view section);

/// Returns the value of a name in section BLAST, or nothing if there is none. A file with a mistake
/// counts as empty.
std::optional<std::string> blast_setting(const std::string& name);

}  // namespace warpseq
