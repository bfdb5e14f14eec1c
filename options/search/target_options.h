// Options that restrict a search to some of the databases' sequences, by lists of identifiers and
// of taxonomy IDs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/io/run_files.h"
#include "formats/wsdb/wsdb_reader.h"
#include "libcore/base/status.h"
#include "options/option_set.h"

namespace warpseq {

/// A file of sequence identifiers that says which sequences of the databases are searched, or which
/// are not.
///
/// Each word is a sequence's name, which may follow a '>': "sp|P12345|FOO_HUMAN", "lcl|name", or
/// the accession in it alone. Accessions match in either letter case, except those of PDB, and with
/// or without their version. A word that begins with '#' starts a comment up to the end of the
/// line. The file may also be what NCBI's blastdb_aliastool makes of such a file.
struct SequenceList {
    std::string option;  // name of the option in messages
    std::filesystem::path file;
    bool are_left_out = false;  // whether the listed sequences are left out instead of searched
};

/// The taxonomy IDs that an option names, ascending.
struct TaxonList {
    std::string option;  // name of the option in messages
    std::vector<std::uint64_t> taxids;
    bool are_left_out = false;  // whether sequences with these IDs are left out instead of searched
};

/// Reads a file with a taxonomy ID on each line and returns the IDs, ascending and without repeats
/// (parse_taxids(), options/arguments.h). A file with other text is invalid input.
Result<std::vector<std::uint64_t>> read_taxids(const std::filesystem::path& file);

/// How the taxonomy IDs of a database's sequences are found.
struct TaxidsOfDatabase {
    bool are_in_lines = true;  // " [taxid=N]" at the end of definition lines (formats/blast/blast_database.h)
    std::uint64_t taxid = 0;   // ID of lines that have none of their own; 0 if not known
};

/// A range of a database's sequences, by their places in its input, from 0.
struct RepeatedSequences {
    std::size_t database = 0;
    std::uint64_t first = 0, end = 0;
};

/// The restriction of a search that a command line states.
struct TargetChoice {
    std::optional<SequenceList> sequences = {};
    std::optional<TaxonList> taxa = {};
    std::vector<std::pair<std::string, std::filesystem::path>> files = {};  // the options that name lists; the lists
    // No option sets the members below.

    /// Sequences that an earlier database has, too. They are not searched again.
    std::vector<RepeatedSequences> repeated = {};
    std::vector<TaxidsOfDatabase> taxids_of_databases = {};  // by index of database; may be shorter
    bool may_be_empty = false;  // whether the choice may leave nothing to search; if not, that is an error

    /// Returns how the taxonomy IDs of a database are found. If the database has a section of
    /// taxonomy IDs, this holds for headers that marked_header() has made.
    TaxidsOfDatabase taxids_of(const WsdbReader& reader, std::size_t database) const {
        TaxidsOfDatabase taxids =
            database < taxids_of_databases.size() ? taxids_of_databases[database] : TaxidsOfDatabase();
        taxids.are_in_lines = taxids.are_in_lines || reader.has_taxids();
        return taxids;
    }
    bool is_everything() const { return !sequences && !taxa && repeated.empty(); }
};

/// Adds --seqidlist and the related options to the group "Targets".
void add_target_options(OptionSet& options);
/// Adds --taxids and the related options alone.
void add_taxid_options(OptionSet& options, const std::string& group);
/// Returns the choice that the options state. Options that the command does not define are skipped.
/// Wrong values, and options that exclude each other, are usage errors. A file of taxonomy IDs is
/// read, and an error in it is invalid input.
Result<TargetChoice> read_target_options(const OptionValues& parsed);
/// Adds the files of the lists to the inputs in `files`.
void add_inputs(const TargetChoice& choice, RunFiles& files);

}  // namespace warpseq
