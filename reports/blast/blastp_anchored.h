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

/// The layout of the picture.
struct AnchoredStyle {
    std::string query_label;
    bool has_points = false;  // whether letters equal to the query's are shown as points
    /// Whether insertions have columns of their own. If not, they are in lines below their row.
    bool is_flat = false;
    bool is_html = false;            // whether masked residues are marked as masked_in_grey() does
    std::uint64_t line_length = 60;  // columns in a line
    std::uint64_t query_begin = 0;   // position of the first residue of `query` in the whole query, from 0
    std::uint64_t target_begin = 0;  // position in each target where the searched part begins, from 0
};

/// Appends blocks of up to `line_length` columns, each followed by an empty line. Appends nothing
/// if there are no rows. Masked residues of the query are lower-case letters.
void append_anchored_alignments(const BlastpQuery& query, std::span<const AnchoredRow> rows, const AnchoredStyle& style,
                                std::string& out);

}  // namespace warpseq
