// Multiple alignments as text, in the bytes of HMMER 3.3.2 for each format, and A3M.
//
//   Stockholm     blocks of 200 columns (stockholm_writer.h); Pfam: one block
//   A2M, A3M      consensus columns (letters and digits of the reference) in upper case or '-', others in lower case or nothing;
//                 A2M 60 letters a line and X for O, A3M a row a line and X for what is no letter
//   PSI-BLAST     blocks of 60 columns, likewise in case, '-' for gaps of any kind
//   SELEX         blocks of 60 columns, with #=CS, #=RF, #=MM before the rows and #=SS, #=SA behind theirs
//   AFA           the rows as they are, 60 columns a line
//   Clustal       blocks of 60 columns, with '*' below columns of one residue
//   PHYLIP        60 columns a line, names cut to 10 letters, upper case, '-' for gaps and '?' for missing data
//
// Formats without a place for them lose annotation. Where there is no reference, the letters of the
// first row are consensus.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "formats/alignments/alignment_format.h"
#include "libcore/base/status.h"
#include "libcore/sequence/multiple_alignment.h"

namespace warpseq {

/// Takes text piece by piece, in order.
using TakeText = std::function<Status(std::string_view)>;

/// Hands over the text in pieces of about a megabyte. The first error of `take` ends it.
Status write_alignment(const MultipleAlignment& alignment, AlignmentFormat format, const TakeText& take);
void append_alignment(const MultipleAlignment& alignment, AlignmentFormat format, std::string& out);

}  // namespace warpseq
