// Draws all alignments of a query in one picture (formats 1 to 4): the query's residues, and below
// them the residues of hits that are aligned with them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engines/blastp/blastp_query.h"
#include "engines/blastp/blastp_search.h"

namespace warpseq {

/// An HSP as a row of the picture.
struct AnchoredRow {
    std::string label;
    const Hsp* hsp;
    std::span<const ResidueCode> aligned;  // target residues target_begin .. target_end - 1
};

/// How the picture looks.
struct AnchoredStyle {
    std::string query_label;
    bool has_points = false;         // whether letters equal to the query's are shown as points
    bool is_flat = false;            // whether insertions have columns of their own; if not, lines below their row
    bool is_html = false;            // whether masked residues are grey
    std::uint64_t line_length = 60;  // columns in a line
    std::uint64_t query_begin = 0;   // residues of the whole query before the first of `query`
    std::uint64_t target_begin = 0;  // residues of each target before the part that was searched
};

/// Appends blocks of up to `line_length` columns, each followed by an empty line. Appends nothing
/// if there are no rows. Masked residues of the query are lower-case letters.
void append_anchored_alignments(const BlastpQuery& query, std::span<const AnchoredRow> rows, const AnchoredStyle& style,
                                std::string& out);

}  // namespace warpseq
