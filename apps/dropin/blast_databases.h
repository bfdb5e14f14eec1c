// What a name given to -db means: where BLAST+ looks, what makeblastdb leaves there, and what else warpseq reads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq {

/// What makeblastdb says of a database in the marker NAME.pin: one line of JSON, which other markers repeat.
struct BlastMarker {
    std::filesystem::path database;  // the .wsdb file; in the marker, relative to the marker's folder
    std::string title;
    std::string date;             // as "Nov 23, 2026  12:08 PM"
    bool has_parsed_ids = false;  // made with -parse_seqids
    int version = 5;              // -blastdb_version
    std::uint64_t taxid = 0;      // of all sequences; 0: not known
};

struct BlastDatabase : BlastMarker {
    std::filesystem::path base;  // the name, with the folder where it was found
};

/// As the line of a marker; `database` is written as it is.
std::string marker_line(const BlastMarker& marker);
/// Nothing where the file is none, as a real BLAST database's is.
std::optional<BlastMarker> read_marker(const std::filesystem::path& file);

/// "A B" as names; double quotes keep blanks.
std::vector<std::string> database_names(std::string_view text);
/// "FOLDER:BLASTDB:", where a name is looked for.
std::string database_search_path();

/// In turn in the current folder and those of BLASTDB: what NAME.pin marks, NAME.wsdb, or the file NAME itself. An error,
/// which BLAST+ ends with status 2, where there is none, or a real BLAST database only; `kind` is "protein", or what else
/// the message calls it.
Result<BlastDatabase> find_blast_database(const std::string& name, std::string_view kind = "protein");

/// The marker files of a database that are there.
std::vector<std::filesystem::path> markers_of(const BlastDatabase& database);

/// The endings of the files that makeblastdb makes.
std::vector<std::string> marker_endings(int version, bool has_parsed_ids, bool has_hashes);

}  // namespace warpseq
