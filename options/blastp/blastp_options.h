// The options of `search blastp`. They have the names and meanings of NCBI blastp's options, with
// two dashes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engines/blastp/blastp_settings.h"
#include "formats/fasta/fasta.h"
#include "libcore/base/status.h"
#include "options/option_set.h"
#include "options/search/common_options.h"
#include "reports/blast/blastp_layout.h"

namespace warpseq {

/// The settings of a run of `search blastp`.
struct BlastpOptions {
    CommonOptions common;
    BlastpSettings settings;
    BlastpLayout layout = {};
    std::string outfmt = "0";
    bool has_header = false;                       // whether a table begins with the names of its columns
    std::optional<ResidueRange> query_range = {};  // residues of each query that are used; no option sets it
    // No option sets the members from here to counted_databases.

    FastaOptions query_reading = {};  // how queries are read
    /// Functions that take warnings. on_query_warning gets those about queries that cannot be
    /// searched with as they are. on_subject_warning gets those about empty sequences that were
    /// given for this run instead of a database.
    std::function<void(const std::string&)> on_query_warning = {}, on_subject_warning = {};
    /// Called before the warnings about a group of queries (engines/blastp/query_parts.h), with the
    /// numbers of its first and its last one, from 1.
    std::function<void(std::uint64_t first, std::uint64_t last)> on_query_group = {};
    /// Called for each query, behind its warnings, if no database knows the names of taxa.
    std::function<void()> on_unknown_taxa = {};
    /// Called with the number of queries, instead of warnings, if none of them has a residue. Its
    /// error ends the search.
    std::function<Status(std::uint64_t)> on_no_query_residues = {};
    /// Whether E-values count a database's sequences, by index of database. If empty, they count
    /// all sequences that are searched.
    std::vector<bool> counted_databases = {};
    std::vector<std::string> warnings = {};  // warnings about options, such as those without effect
};

OptionSet make_blastp_options();
/// The separators of the names of columns in --outfmt.
enum class ColumnBlanks : std::uint8_t {
    kAny,      // any number of blanks and tabs
    kAsBlastp  // a single blank, before which "delim=" has to stand; a tab is part of a name
};
/// A format of --outfmt in the form that make_blastp_report() takes.
struct BlastpOutfmt {
    std::string text;
    std::vector<std::string> unknown_columns;  // names that are left out
};
/// Returns the format that `text` states. A separator of columns that blastp refuses is a usage
/// error. Other wrong formats are errors of make_blastp_report().
Result<BlastpOutfmt> read_blastp_outfmt(std::string text, ColumnBlanks blanks = ColumnBlanks::kAny);
/// Returns a warning about unknown columns. Empty if there are none.
std::string unknown_columns_warning(const BlastpOutfmt& outfmt);
/// Returns the settings that the options state. Wrong values are usage errors, and so are gap costs
/// without statistics and other settings that blastp refuses.
Result<BlastpOptions> read_blastp_options(const OptionValues& parsed, ColumnBlanks blanks = ColumnBlanks::kAny);

}  // namespace warpseq
