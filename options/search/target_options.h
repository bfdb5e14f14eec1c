// Options that restrict a search to some of the databases' sequences: lists of identifiers and of
// taxonomy IDs.
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

/// A file of sequence identifiers that says which sequences of the databases are searched, or which are not. Each word is a sequence's
/// name, perhaps behind '>': "sp|P12345|FOO_HUMAN", "lcl|name" or the accession in it, which may be all there is of it, whose letters may be
/// capitals or not, but for PDB's, with or without its version. What follows a word that begins with '#' does not count, up to the line's end. Or what NCBI's
/// blastdb_aliastool makes of such a file.
struct SequenceList {
    std::string option;  // as messages call it
    std::filesystem::path file;
    bool are_left_out = false;
};

/// Taxonomy IDs, in order.
struct TaxonList {
    std::string option;
    std::vector<std::uint64_t> taxids;
    bool are_left_out = false;
};

/// One in each line of a file, as parse_taxids() has them (options/arguments.h).
Result<std::vector<std::uint64_t>> read_taxids(const std::filesystem::path& file);

/// Where taxonomy IDs of a database's sequences are.
struct TaxidsOfDatabase {
    bool are_in_lines = true;  // " [taxid=N]" at the end of definition lines (formats/blast/blast_database.h)
    std::uint64_t taxid = 0;   // of lines without; 0: not known
};

/// Sequences of a database by their places in its input, from 0.
struct RepeatedSequences {
    std::size_t database = 0;
    std::uint64_t first = 0, end = 0;
};

/// What a command line says of it.
struct TargetChoice {
    std::optional<SequenceList> sequences = {};
    std::optional<TaxonList> taxa = {};
    std::vector<std::pair<std::string, std::filesystem::path>> files = {};  // lists, with the options that name them
    // No option sets these: what a database shares with one before it, which is searched once; what
    // is known of the databases' taxonomy IDs; and whether nothing may be left to search.
    std::vector<RepeatedSequences> repeated = {};
    std::vector<TaxidsOfDatabase> taxids_of_databases = {};
    bool may_be_empty = false;

    /// Of headers as marked_header() has them, where the database has a section of taxonomy IDs.
    TaxidsOfDatabase taxids_of(const WsdbReader& reader, std::size_t database) const {
        TaxidsOfDatabase taxids =
            database < taxids_of_databases.size() ? taxids_of_databases[database] : TaxidsOfDatabase();
        taxids.are_in_lines = taxids.are_in_lines || reader.has_taxids();
        return taxids;
    }
    bool is_everything() const { return !sequences && !taxa && repeated.empty(); }
};

/// Adds --seqidlist and the like to the group "Targets".
void add_target_options(OptionSet& options);
/// Adds --taxids and the like alone.
void add_taxid_options(OptionSet& options, const std::string& group);
/// Reads them back; none where they are not defined.
Result<TargetChoice> read_target_options(const OptionValues& parsed);
void add_inputs(const TargetChoice& choice, RunFiles& files);

}  // namespace warpseq
