// What a name given to -db means: where BLAST+ looks, what makeblastdb leaves there, and what else warpseq reads.
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/blast_alias.h"
#include "libcore/base/status.h"

namespace warpseq {

/// What makeblastdb says of a database in the marker NAME.pin: one line of JSON, which other markers repeat.
struct BlastMarker {
    std::filesystem::path database;  // the .wsdb file; in the marker, relative to the marker's folder
    std::string title;
    std::string date;             // blast_date() of when it was made
    bool has_parsed_ids = false;  // made with -parse_seqids
    int version = 5;              // -blastdb_version
    std::uint64_t taxid = 0;      // of all sequences; 0: not known
    bool has_taxids = false;      // headers end with taxonomy IDs of their own (formats/blast_database.h)
};

struct BlastDatabase : BlastMarker {
    std::filesystem::path base;  // the name, with the folder where it was found
    /// Files of NCBI's database that this is; none: it is one of warpseq's, or FASTA.
    std::vector<std::filesystem::path> files = {};
    /// Its volumes, by name; none as well.
    std::vector<CountedVolume> volumes = {};
};

/// As the line of a marker; `database` is written as it is.
std::string marker_line(const BlastMarker& marker);
/// Nothing where the file is none, as a real BLAST database's is.
std::optional<BlastMarker> read_marker(const std::filesystem::path& file);

/// As BLAST+ shows the dates of databases: "Nov 23, 2026  1:08 PM".
std::string blast_date(std::time_t time);

/// "A B" as names; double quotes keep blanks.
std::vector<std::string> database_names(std::string_view text);
/// "FOLDER:BLASTDB:", where a name is looked for.
std::string database_search_path();

/// In turn in the current folder and those of BLASTDB: what NAME.pin marks; NAME.wsdb, unless it is older than a real
/// BLAST database NAME, or a copy of it; that BLAST database, by its index or alias, which are newer; the file NAME
/// itself. An error, which BLAST+ ends with status 2, where there is none, or only a BLAST database that cannot be read;
/// `kind` is "protein", or what else the message calls it.
Result<BlastDatabase> find_blast_database(const std::string& name, std::string_view kind = "protein");

/// The marker files of a database that are there, or NCBI's own.
std::vector<std::filesystem::path> markers_of(const BlastDatabase& database);

/// The endings of the files that makeblastdb makes.
std::vector<std::string> marker_endings(int version, bool has_parsed_ids, bool has_hashes);

}  // namespace warpseq
