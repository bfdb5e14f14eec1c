// Defines the columns of --outfmt 6, 7 and 10, with blastp's names and meanings.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/status.h"
#include "reports/alignment_text.h"
#include "reports/taxon_names.h"

namespace warpseq {

/// The values of one row. Counts, text and CIGAR are set only if a field needs them.
struct Row {
    std::string_view query_header;
    std::uint64_t query_residues = 0;
    std::string_view target_header;
    std::uint64_t target_residues = 0;
    std::int64_t score_raw = 0;
    std::optional<double> evalue, bits;  // nothing if not known
    // Positions of the residues in the first and the last column, from 1. The query runs forward.
    // On the minus strand the target runs backward.
    std::uint64_t query_start = 0, query_end = 0, target_start = 0, target_end = 0;
    std::optional<bool> minus;  // set for nucleotides only
    AlignmentCounts counts;
    AlignmentText text;
    std::string cigar;
    // Values for the columns of parse_blastp_fields(), which are not derived from the members
    // above.
    std::string_view query_id, query_accession, query_bare_accession, query_gi = "0";
    std::string_view target_id, target_accession, target_bare_accession, target_title;
    std::string_view target_gi = "0";
    TaxonNames taxa = {};  // set if a field needs them
    std::string_view target_all_ids, target_all_accessions, target_all_gis = "0", target_all_titles;
    std::string_view bits_text;
    /// Percentages of the query that this row's alignment covers, and that all alignments with the
    /// target cover together.
    int hsp_coverage_percent = 0, target_coverage_percent = 0;
    // Values for the columns that only parse_hmm_fields() has.
    struct Domain {
        std::string_view query_accession;
        double target_evalue = 0, target_bits = 0, target_bias_bits = 0;  // values of the whole target
        int number = 0, count = 0;  // the domain's number in its target, from 1, and the target's number of domains
        double conditional_evalue = 0, bias_bits = 0, accuracy = 0;
        std::int64_t envelope_from = 0, envelope_to = 0;
    };
    Domain domain;
};

/// Data that a field needs besides scores and lengths.
enum FieldNeeds : unsigned {
    kNeedsNothing = 0,
    kNeedsHeader = 1,
    kNeedsAlignment = 2,
    kNeedsText = 4 | kNeedsAlignment,
    kNeedsCigar = 8 | kNeedsAlignment,
    kNeedsTaxids = 16 | kNeedsHeader,
    kNeedsTaxa = 32 | kNeedsTaxids,      // names of taxa
    kNeedsAllTaxids = 64 | kNeedsTaxids  // taxonomy IDs of all definition lines
};

/// A column.
struct Field {
    std::string_view name;   // the name on the command line
    std::string_view title;  // the name in the comments of format 7
    unsigned needs;          // a combination of FieldNeeds
    void (*append)(const Row& row, std::string& out);
};

/// The twelve columns that blastp prints by default, named "std" on the command line.
inline constexpr std::string_view kStandardFields =
    "qaccver saccver pident length mismatch gapopen qstart qend sstart send evalue bitscore";

/// Splits a text such as "6 FIELD ..." into the format, "6", and the rest, which may be empty.
std::pair<std::string_view, std::string_view> split_outfmt(std::string_view outfmt);
/// Returns a usage error if `outfmt` has fields.
Status refuse_fields(std::string_view outfmt);

/// The layout of a table.
struct TableLayout {
    std::string separator = "\t";  // text between columns
    bool comments = false;         // whether comments stand around the rows of each query
    /// Whether the first row has the names of the columns. A field then stands between double
    /// quotes if it has a separator, a double quote or a line end. Double quotes in it are doubled,
    /// as RFC 4180 says.
    bool header = false;
};

/// Returns the layout of format "6" (columns separated by tabs), "7" (with comments) or "10"
/// (columns separated by commas), or nothing for other formats. Fields are quoted in format 10, and
/// in format 6 if it has a header. A header in a format without one is a usage error.
Result<std::optional<TableLayout>> table_layout(std::string_view format, bool header);

/// Parses field names, separated by blanks. "std" stands for kStandardFields. If there is no name,
/// the names in `defaults` are parsed instead. An unknown name is a usage error, here and in the
/// two functions below.
Result<std::vector<const Field*>> parse_fields(std::string_view names, std::string_view defaults = kStandardFields);

/// Parses the field names of a search with profiles, whose rows are domains. Besides blastp's
/// columns there are columns for what HMMER's tables have, and for taxa.
Result<std::vector<const Field*>> parse_hmm_fields(std::string_view names);
/// Parses the field names of a search by Smith-Waterman. Besides the columns of parse_fields()
/// there are columns for taxa.
Result<std::vector<const Field*>> parse_sw_fields(std::string_view names);

/// The columns of a blastp table.
struct BlastpFields {
    std::vector<const Field*> fields;
    std::optional<std::string> separator;  // the separator of columns, if one was given
    std::vector<std::string> unknown;      // the unknown names
};

/// Parses blastp's language for columns. "delim=X" may come first and sets the separator; an empty
/// X sets none. Names are separated by blanks. "-NAME" removes a column. If a column is repeated,
/// only the first one counts. Unknown names are left out. If no column is left, the columns are
/// "std". All of blastp's columns are known, including those that have no value for proteins. So
/// are "qtitle" and "cigar". A "delim" without "=" is a usage error with blastp's message, and so
/// is a separator that blastp uses within one of the columns.
Result<BlastpFields> parse_blastp_fields(std::string_view names);

/// A table with these columns. Every row of a table is written by this class.
class FieldTable {
   public:
    FieldTable(std::vector<const Field*> fields, TableLayout layout);

    bool has_comments() const { return layout_.comments; }
    /// Whether the columns together need all data in `need`, a combination of FieldNeeds.
    bool needs(unsigned need) const { return (needs_ & need) == need; }
    /// Sets the counts and the text of an alignment in `row`, as far as columns need them.
    void fill_alignment(const Alignment& alignment, std::span<const ResidueCode> query,
                        std::span<const ResidueCode> aligned_target, const SubstitutionMatrix& matrix, Row& row,
                        std::string_view letters = kResidueLetters) const;

    /// Appends the row of the names of the columns, if the layout has one.
    void append_header(std::string& out) const;
    /// Appends a row with its line end.
    void append_row(const Row& row, std::string& out) const;
    /// Appends the comment that names the columns.
    void append_titles(std::string& out) const;

   private:
    template <typename Append>
    void append_fields(Append append, std::string& out) const;

    std::vector<const Field*> fields_;
    TableLayout layout_;
    unsigned needs_ = kNeedsNothing;  // the needs of all columns together
};

}  // namespace warpseq
