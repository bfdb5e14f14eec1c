// A writer of multiple alignments in Stockholm format 1.0, as Pfam, HMMER and Easel write them:
//
//   # STOCKHOLM 1.0
//   #=GF ID name             also AC, DE, AU, GA, NC, TC: annotation of the whole
//   <blank>
//   #=GS row WT 1.00         then AC accession, then DE description;
//                            a blank line follows each of these lists
//   row           ACDEF..ghi
//   #=GR row PP   79***..999 also SS, SA
//   #=GC PP_cons  79***..999 also SS_cons, SA_cons
//   #=GC RF       xxxxx...xx then MM
//   //
#pragma once

#include <cstddef>
#include <string>

#include "formats/io/text_pieces.h"
#include "libcore/sequence/multiple_alignment.h"

namespace warpseq {

/// Writes the alignment in blocks of `block_columns` columns, or in one block if that is 0. If the
/// names of rows are not unique, all rows are written with their number before the name, as
/// "07|name". A comment in the output says that.
void write_stockholm(const MultipleAlignment& alignment, std::size_t block_columns, TextPieces& pieces);
/// Does the same, and appends the text to `out`.
void append_stockholm(const MultipleAlignment& alignment, std::size_t block_columns, std::string& out);

}  // namespace warpseq
