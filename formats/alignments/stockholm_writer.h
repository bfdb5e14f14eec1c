// Multiple alignments in Stockholm format 1.0, as Pfam, HMMER and Easel write them:
//
//   # STOCKHOLM 1.0
//   #=GF ID name             also AC, DE, AU, GA, NC, TC: what is known of the whole
//   <blank>
//   #=GS row WT 1.00         then AC accession, then DE description, each list followed by a blank line
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

/// The alignment in blocks of `block_columns` columns; 0: one block. Rows whose names are not unique are all written with their
/// number before the name, as "07|name", and a comment says so.
void write_stockholm(const MultipleAlignment& alignment, std::size_t block_columns, TextPieces& pieces);
void append_stockholm(const MultipleAlignment& alignment, std::size_t block_columns, std::string& out);

}  // namespace warpseq
