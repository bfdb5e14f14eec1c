// What blastp's structured reports, XML and JSON, say of a run, a query, its hits and their HSPs:
// gathered here once, so that each format is only another notation of it. Positions count from 1,
// ends are included. All text is UTF-8: bytes of titles that are not become U+FFFD.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/scoring/scoring.h"
#include "reports/alignment_text.h"
#include "reports/blast/blastp_report.h"

namespace warpseq {

struct RunRecord {
    std::string version;    // of the program
    std::string reference;  // with an HTML entity in it, as blastp has it
    std::string databases;  // as given, separated by blanks
    bool are_subjects;      // no database: then what follows of one is 0
    std::string matrix;
    double evalue;  // the limit
    int gap_open, gap_extend;
    bool is_ungapped;      // then only format 5 names gap costs, as blastp does
    std::string filter;    // blastp's word for what masks queries: "F" for nothing, "L;" for SEG
    int composition_mode;  // of composition-based statistics, 0 for none
    std::uint64_t database_sequences, database_residues;
};

struct HspRecord {
    double bits;  // like the E-value rounded to six significant digits
    std::int32_t score_raw;
    double evalue;  // 0 below 1e-180
    std::uint64_t query_from, query_to, target_from, target_to;
    AlignmentCounts counts;
    /// Masked residues of the query are lower-case letters, but for a stretch that the alignment
    /// begins in.
    AlignmentText text;
};

struct HitRecord {
    std::string id, accession;  // of the sequence's position in the input, from 0: "gnl|BL_ORD_ID|7" and "7", or
                                // its name and "Subject_8"
    std::string title;          // may be empty; merged definition lines with ">" and identifiers between them
    struct Description {
        std::string id, accession, title;
        std::uint64_t taxid;          // 0: not known
        bool is_public;               // has an identifier, and no local one
        std::string scientific_name;  // of the taxon; empty: not known
    };
    std::vector<Description> descriptions;  // one for each definition line
    std::uint64_t residues;
    std::vector<HspRecord> hsps;
};

struct QueryRecord {
    std::uint64_t number;  // in the run, from 1
    std::string id;        // "Query_1", or as name_query() has it
    std::string title;     // may be empty
    std::uint64_t residues;
    std::vector<QueryStretch> masked;  // none where nothing else is left
    std::uint64_t length_adjustment;
    std::uint64_t effective_search_space;
    double k, lambda, h;       // of what is reported; -1 where the query could not be searched with
    std::string message;       // blastp's warnings, and "No hits found"
    bool is_in_invalid_group;  // no query of its group could be searched with
};

/// Bytes that are not UTF-8 become U+FFFD.
std::string valid_utf8(const std::string& text);

/// What blastp warns of in a query: "Query_1 NAME: Sequence contains no data " and the like; empty
/// for a sound one.
std::string query_warning(const BlastpNames& names, const BlastpQuery& query, std::uint64_t number);
/// The same where lists leave nothing to search.
std::string empty_database_warning(const BlastpNames& names, const BlastpQuery& query, std::uint64_t number);

/// What it warns of where a sequence given for the run is empty; `position` counts from 0.
std::string empty_subject_warning(const BlastpNames& names, std::uint64_t position, std::string_view header);

RunRecord describe_run(const BlastpRun& run);
QueryRecord describe_query(const BlastpRun& run, const BlastpResult& result);
/// `hit` is an index into result.hits. One at a time: the alignments of all, as text, may take more
/// memory than anything else.
HitRecord describe_hit(const BlastpRun& run, const BlastpResult& result, std::size_t hit);

}  // namespace warpseq
