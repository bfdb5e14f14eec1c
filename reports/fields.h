// The columns of --outfmt 6, 7 and 10, with blastp's names and meaning.
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

/// One row's material. Counts, text and CIGAR are filled only if some field needs them.
struct Row {
    std::string_view query_header;
    std::uint64_t query_residues = 0;
    std::string_view target_header;
    std::uint64_t target_residues = 0;
    std::int64_t score_raw = 0;
    std::optional<double> evalue, bits;  // nothing: not known
    // Positions of the first and the last column's residues, from 1. The query runs forward; on the
    // minus strand the target does not.
    std::uint64_t query_start = 0, query_end = 0, target_start = 0, target_end = 0;
    std::optional<bool> minus;  // of nucleotides alone
    AlignmentCounts counts;
    AlignmentText text;
    std::string cigar;
    // What parse_blastp_fields()'s columns take instead of making it of the above.
    std::string_view query_id, query_accession, query_bare_accession, query_gi = "0";
    std::string_view target_id, target_accession, target_bare_accession, target_title;
    std::string_view target_gi = "0";
    TaxonNames taxa = {};  // where a field needs them
    std::string_view target_all_ids, target_all_accessions, target_all_gis = "0", target_all_titles;
    std::string_view bits_text;
    int hsp_coverage_percent = 0, target_coverage_percent = 0;  // of the query
    // What parse_hmm_fields()'s columns take besides.
    struct Domain {
        std::string_view query_accession;
        double target_evalue = 0, target_bits = 0, target_bias_bits = 0;  // of the whole target
        int number = 0, count = 0;                                        // which of how many of the target, from 1
        double conditional_evalue = 0, bias_bits = 0, accuracy = 0;
        std::int64_t envelope_from = 0, envelope_to = 0;
    };
    Domain domain;
};

/// What a field needs besides scores and lengths.
enum FieldNeeds : unsigned {
    kNeedsNothing = 0,
    kNeedsHeader = 1,
    kNeedsAlignment = 2,
    kNeedsText = 4 | kNeedsAlignment,
    kNeedsCigar = 8 | kNeedsAlignment,
    kNeedsTaxids = 16 | kNeedsHeader,
    kNeedsTaxa = 32 | kNeedsTaxids,      // names of them
    kNeedsAllTaxids = 64 | kNeedsTaxids  // of all definition lines
};

struct Field {
    std::string_view name;   // as on the command line
    std::string_view title;  // as in the comments of format 7
    unsigned needs;          // FieldNeeds
    void (*append)(const Row& row, std::string& out);
};

/// blastp's twelve columns, "std".
inline constexpr std::string_view kStandardFields =
    "qaccver saccver pident length mismatch gapopen qstart qend sstart send evalue bitscore";

/// "6 FIELD ..." as format and fields; refuse_fields() is an error where there are fields.
std::pair<std::string_view, std::string_view> split_outfmt(std::string_view outfmt);
Status refuse_fields(std::string_view outfmt);

/// Parses names separated by blanks, "std" among them standing for kStandardFields; no names at
/// all: those of `defaults`.
Result<std::vector<const Field*>> parse_fields(std::string_view names, std::string_view defaults = kStandardFields);

/// Those of rows that are domains: for profiles what blastp's columns are for sequences, and what
/// HMMER's tables have besides.
Result<std::vector<const Field*>> parse_hmm_fields(std::string_view names);
/// The same of a search by Smith-Waterman, with columns about taxa.
Result<std::vector<const Field*>> parse_sw_fields(std::string_view names);

struct BlastpFields {
    std::vector<const Field*> fields;
    std::optional<std::string> separator;  // if one was given
    std::vector<std::string> unknown;      // names that are none
};

/// blastp's language: "delim=X" may come first, "-NAME" takes a column out again, and of a repeated
/// column the first one counts. Names that are none are left out, and where nothing is left the
/// columns are "std". All its columns are known, those that proteins have nothing for too, and
/// "qtitle" and "cigar" besides.
Result<BlastpFields> parse_blastp_fields(std::string_view names);

/// The columns of a table: the one writer of its rows.
class FieldTable {
   public:
    FieldTable(std::vector<const Field*> fields, std::string separator);

    /// Whether a column needs this, of FieldNeeds.
    bool needs(unsigned need) const { return (needs_ & need) == need; }
    /// What columns need of an alignment's counts and text.
    void fill_alignment(const Alignment& alignment, std::span<const ResidueCode> query,
                        std::span<const ResidueCode> aligned_target, const SubstitutionMatrix& matrix, Row& row,
                        std::string_view letters = kResidueLetters) const;

    void append_row(const Row& row, std::string& out) const;
    /// The comment that names the columns.
    void append_titles(std::string& out) const;

   private:
    std::vector<const Field*> fields_;
    std::string separator_;
    unsigned needs_ = kNeedsNothing;  // of all of them together
};

}  // namespace warpseq
