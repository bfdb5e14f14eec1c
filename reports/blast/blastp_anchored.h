// All alignments of a query in one picture: the query's residues, and below them those of the hits
// that they are aligned with.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engines/blastp/blastp_query.h"
#include "engines/blastp/blastp_search.h"

namespace warpseq {

/// One HSP, as a row of the picture.
struct AnchoredRow {
    std::string label;
    const Hsp* hsp;
    std::span<const ResidueCode> aligned;  // target residues target_begin .. target_end - 1
};

struct AnchoredStyle {
    std::string query_label;
    bool has_points = false;         // where a letter is the query's
    bool is_flat = false;            // insertions have columns of their own, else lines below their row
    bool is_html = false;            // masked residues are grey
    std::uint64_t line_length = 60;  // columns
    std::uint64_t query_begin = 0;   // residues of the query before the first of `query`
    std::uint64_t target_begin = 0;  // of each target before those that were searched
};

/// Appends blocks of up to `line_length` columns, each with an empty line behind it; nothing where
/// there are no rows. Masked residues of the query are lower-case letters.
void append_anchored_alignments(const BlastpQuery& query, std::span<const AnchoredRow> rows, const AnchoredStyle& style,
                                std::string& out);

}  // namespace warpseq
