// The look-up of names given to -db: the places where BLAST+ looks, and what else warpseq reads.
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/blast/blast_alias.h"
#include "libcore/base/status.h"

namespace warpseq {

struct BlastDatabase {
    std::filesystem::path database;  // what is opened: a .wsdb file, the index or alias of a BLAST database, FASTA
    std::string title;
    std::string date;             // blast_date() of when it was made; empty: not known
    bool has_parsed_ids = false;  // made with -parse_seqids
    int version = 5;              // -blastdb_version
    bool has_taxids = false;      // headers end with taxonomy IDs (formats/blast/blast_database.h)
    std::filesystem::path base;   // the name, with the folder where it was found
    /// Files of NCBI's database that this is; none: it is one of warpseq's, or FASTA.
    std::vector<std::filesystem::path> files = {};
    /// Its volumes, by name; none as well.
    std::vector<CountedVolume> volumes = {};
};

/// As BLAST+ shows the dates of databases: "Nov 23, 2026  1:08 PM".
std::string blast_date(std::time_t time);

/// "A B" as names; double quotes keep blanks.
std::vector<std::string> database_names(std::string_view text);
/// "FOLDER:BLASTDB:", where a name is looked for: the current folder, those of the environment and
/// those of .ncbirc (apps/dropin/blast_settings.h).
std::string database_search_path();

/// Finds the database NAME in the folders of database_search_path(), one after the other. Each
/// folder is searched for, in this order:
///  - the BLAST database NAME, by its index or alias, whatever NAME.wsdb is beside it
///    (open_target() checks whether that is a copy);
///  - NAME.wsdb, unless it is a copy of a BLAST database that cannot be read, or older than that;
///  - the file NAME itself.
/// Returns an error, for which BLAST+ ends with status 2, if there is none, or only a BLAST
/// database that cannot be read. The message calls the database by its `kind`, such as "protein".
Result<BlastDatabase> find_blast_database(const std::string& name, std::string_view kind = "protein");

/// Says that a text given to -db names no database, and returns the exit status.
int no_database_name(const std::string& text);

/// Returns the message of BLAST+ for a database of this kind that is not found.
std::string no_blast_database(std::string_view name, std::string_view kind);

/// The files of a BLAST database, the copy beside it among them; none of others.
std::vector<std::filesystem::path> all_files_of(const BlastDatabase& database);

}  // namespace warpseq
