// A writer of multiple alignments as text. Its output has the same bytes as that of HMMER 3.3.2 for
// each format; A3M is an addition.
//
//   Stockholm     Blocks of 200 columns (stockholm_writer.h). Pfam has one block.
//   A2M, A3M      Letters in consensus columns (letters and digits of the reference) are upper
//                 case, and gaps are '-'. In other columns letters are lower case, and gaps are
//                 left out. A2M has 60 letters a line and X for O. A3M has one line for each row
//                 and X for '*'.
//   PSI-BLAST     Blocks of 60 columns. The case is the same as in A2M. Any gap is '-'.
//   SELEX         Blocks of 60 columns, with #=CS, #=RF and #=MM before the rows and #=SS and
//                 #=SA behind the rows that they are of.
//   AFA           The rows without changes, 60 columns a line.
//   Clustal       Blocks of 60 columns, with '*' below columns with the same residue in all rows.
//   PHYLIP        60 columns a line. Names are cut to 10 letters. Letters are upper case, gaps
//                 are '-', and missing data is '?'.
//
// Annotation for which a format has no place is left out. If there is no reference, the letters of
// the first row mark the consensus columns.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "formats/alignments/alignment_format.h"
#include "libcore/base/status.h"
#include "libcore/sequence/multiple_alignment.h"

namespace warpseq {

/// A callback that takes the text piece by piece, in order.
using TakeText = std::function<Status(std::string_view)>;

/// Passes the text to `take` in pieces of about a megabyte. Stops at the first error of `take` and
/// returns it.
Status write_alignment(const MultipleAlignment& alignment, AlignmentFormat format, const TakeText& take);
/// Appends the text of the alignment to `out`.
void append_alignment(const MultipleAlignment& alignment, AlignmentFormat format, std::string& out);

}  // namespace warpseq
