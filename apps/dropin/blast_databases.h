// Finds the databases that are named with -db, in the folders where BLAST+ looks. Besides BLAST
// databases, it finds .wsdb files and FASTA.
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

/// The database that was found for a name.
struct BlastDatabase {
    std::filesystem::path database;  // the file to open: a .wsdb file, a BLAST database's index or alias, or FASTA
    std::string title;
    std::string date;             // when it was made, as blast_date() shows it; empty if not known
    bool has_parsed_ids = false;  // whether it was made with -parse_seqids
    int version = 5;              // version of the BLAST database format, 4 or 5
    bool has_taxids = false;      // whether headers end with taxonomy IDs (formats/blast/blast_database.h)
    std::filesystem::path base;   // FOLDER/NAME, where FOLDER is the one in which it was found
    /// The files of a BLAST database. Empty for a .wsdb file and for FASTA.
    std::vector<std::filesystem::path> files = {};
    /// The volumes of a BLAST database, by name. Empty for a .wsdb file and for FASTA.
    std::vector<CountedVolume> volumes = {};
};

/// Returns a time as BLAST+ shows the dates of databases: "Nov 23, 2026  1:08 PM".
std::string blast_date(std::time_t time);

/// Splits a text such as "A B" into names, which blanks separate. A name in double quotes may hold
/// blanks. Quotes end a name that stands before them, and nothing needs to follow the last name.
std::vector<std::string> database_names(std::string_view text);
/// Returns the search path of names, such as "FOLDER:BLASTDB:": the current folder, those of
/// BLASTDB in the environment, and those of .ncbirc (apps/dropin/blast_settings.h).
std::string database_search_path();

/// Returns the folders of database_search_path().
std::vector<std::string> database_folders();

/// Finds the database NAME in the folders of database_search_path(), one after the other. NAME is
/// `given`, with slashes in place of backslashes. In each folder, the first of these files is
/// taken:
///  - The BLAST database NAME, by its index or alias. It is taken even if there is a NAME.wsdb. If
///    NAME.wsdb is a copy of the BLAST database, open_target() reads the copy instead.
///  - NAME.wsdb. If there is also a BLAST database NAME that cannot be read, NAME.wsdb is skipped
///    when it is older than that database or a copy of it.
///  - The file NAME itself.
/// Returns an error of StatusCode::kIo if there is none, and one of kInvalidInput if there is only
/// a BLAST database that cannot be read. BLAST+ ends with status 2 for these errors.
Result<BlastDatabase> find_blast_database(const std::string& given);

/// Prints that a text given to -db names no database. Returns the exit status.
int no_database_name(const std::string& text);

/// Returns the message of BLAST+ for a database that is not found. `kind` is "protein" or
/// "nucleotide".
std::string no_blast_database(std::string_view name, std::string_view kind);

/// Returns the files of a BLAST database, and the .wsdb file beside it if there is one. Returns
/// none for other databases.
std::vector<std::filesystem::path> all_files_of(const BlastDatabase& database);

}  // namespace warpseq
