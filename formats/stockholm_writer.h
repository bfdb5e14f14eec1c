// Multiple alignments in Stockholm format 1.0, as Pfam, HMMER and Easel write them:
//
//   # STOCKHOLM 1.0
//   #=GF ID name             also AC, DE, AU: what is known of the whole
//   <blank>
//   #=GS row AC accession    then DE description, each list followed by a blank line
//   row           ACDEF..ghi
//   #=GR row PP   79***..999
//   #=GC PP_cons  79***..999
//   #=GC RF       xxxxx...xx
//   //
#pragma once

#include <cstddef>
#include <string>

#include "libcore/sequence/multiple_alignment.h"

namespace warpseq {

/// Appends the alignment in blocks of `block_columns` columns; 0: one block. Rows whose names are not unique are all written
/// with their number before the name, as "07|name", and a comment says so.
void append_stockholm(const MultipleAlignment& alignment, std::size_t block_columns, std::string& out);

}  // namespace warpseq
