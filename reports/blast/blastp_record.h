// The contents of blastp's structured reports, XML and JSON: records of a run, a query, its hits
// and their HSPs. Each format writes the same records in its own notation. Positions count from 1
// and ends are included. All text is UTF-8. Bytes of titles that are not UTF-8 become U+FFFD.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/scoring/scoring.h"
#include "reports/alignment_text.h"
#include "reports/blast/blastp_report.h"

namespace warpseq {

/// The settings of a run and the databases that it searched.
struct RunRecord {
    std::string version;    // the program's version
    std::string reference;  // the paper to cite, with an HTML entity in it, as in blastp's own reports
    std::string databases;  // names as given, separated by blanks
    bool are_subjects;      // whether sequences were given instead of a database; the database's counts are 0 then
    std::string matrix;
    double evalue;  // the limit on E-values
    int gap_open, gap_extend;
    bool is_ungapped;      // if true, only format 5 names gap costs, as in blastp
    std::string filter;    // blastp's word for what masks queries: "F" if nothing does, "L;" for SEG
    int composition_mode;  // mode of composition-based statistics, or 0 if they are off
    std::uint64_t database_sequences, database_residues;
};

/// An HSP.
struct HspRecord {
    double bits;  // rounded to six significant digits
    std::int32_t score_raw;
    double evalue;  // rounded to six significant digits; 0 if below 1e-180
    std::uint64_t query_from, query_to, target_from, target_to;
    AlignmentCounts counts;
    /// The alignment. Masked residues of the query are lower-case letters, except in a masked
    /// stretch that begins before the alignment does.
    AlignmentText text;
};

/// A hit: a sequence and its HSPs.
struct HitRecord {
    /// The identifiers, and the accession. A sequence without identifiers is named by its position
    /// in the input. In a database the eighth sequence has "gnl|BL_ORD_ID|7" and "7". If sequences
    /// were given for the run, it has its name and "Subject_8".
    std::string id, accession;
    std::string title;  // may be empty; merged definition lines have ">" and identifiers between them
    struct Description {
        std::string id, accession, title;
        std::uint64_t taxid;          // 0 if not known
        bool is_public;               // whether its identifier is another one than a local name
        std::string scientific_name;  // the taxon's name, or empty if not known
    };
    std::vector<Description> descriptions;  // one for each definition line
    std::uint64_t residues;
    std::vector<HspRecord> hsps;
};

/// A query and the statistics of its search.
struct QueryRecord {
    std::uint64_t number;  // its number in the run, from 1
    std::string id;        // "Query_1", or the name that name_query() returns
    std::string title;     // may be empty
    std::uint64_t residues;
    std::vector<QueryStretch> masked;  // masked stretches; empty if one stretch is the whole query, as in blastp
    std::uint64_t length_adjustment;
    std::uint64_t effective_search_space;
    double k, lambda, h;       // statistics of the reported scores; -1 if the query could not be searched
    std::string message;       // blastp's warnings, and "No hits found" if there are no hits
    bool is_in_invalid_group;  // whether no query of its group could be searched
};

/// Returns `text` with U+FFFD in place of bytes that are not UTF-8.
std::string valid_utf8(const std::string& text);

/// Returns blastp's warning about a query, such as "Query_1 NAME: Sequence contains no data ".
/// Returns an empty string if nothing is wrong.
std::string query_warning(const BlastpNames& names, const BlastpSettings& settings, const BlastpQuery& query,
                          std::uint64_t number);
/// Returns blastp's warning about a query for which lists of sequences leave nothing to search.
std::string empty_database_warning(const BlastpNames& names, const BlastpQuery& query, std::uint64_t number);

/// Returns blastp's warning about an empty sequence that was given for the run. `position` is its
/// number in the input, from 0.
std::string empty_subject_warning(const BlastpNames& names, std::uint64_t position, std::string_view header);

/// Return the records of a run and of a query.
RunRecord describe_run(const BlastpRun& run);
QueryRecord describe_query(const BlastpRun& run, const BlastpResult& result);
/// Returns the record of result.hits[hit]. A caller should hold the record of one hit at a time,
/// because the alignments of all hits as text may take more memory than anything else.
HitRecord describe_hit(const BlastpRun& run, const BlastpResult& result, std::size_t hit);

}  // namespace warpseq
