// The parsers behind AlignmentReader, one per family of formats. Each reads one alignment from the
// lines: true, false at the end of the input, or an error in Easel's words, which the reader
// completes with file and line (that of the last line read). Where the source fails, lines.status()
// is the error and what a parser says of a file that ended too early does not matter.
//
// Rows keep the letters of the file; what is a gap in one format only becomes '.' (a blank in
// SELEX), and missing data '~'.
#pragma once

#include <cstddef>
#include <optional>

#include "formats/alignments/alignment_format.h"
#include "formats/alignments/alignment_lines.h"
#include "libcore/base/status.h"
#include "libcore/sequence/multiple_alignment.h"

namespace warpseq {

Result<bool> parse_stockholm(AlignmentLines& lines, MultipleAlignment& alignment);
Result<bool> parse_aligned_fasta(AlignmentLines& lines, MultipleAlignment& alignment);
/// The reference line has 'x' at consensus columns and '.' at others.
Result<bool> parse_a2m(AlignmentLines& lines, MultipleAlignment& alignment);
/// The reference line has 'x' where letters are upper case, '.' where they are lower, '-' where
/// there are none.
Result<bool> parse_psiblast(AlignmentLines& lines, MultipleAlignment& alignment);
Result<bool> parse_clustal(AlignmentLines& lines, bool strict, MultipleAlignment& alignment);
Result<bool> parse_selex(AlignmentLines& lines, MultipleAlignment& alignment);
Result<bool> parse_phylip(AlignmentLines& lines, bool sequential, std::size_t name_width, MultipleAlignment& alignment);

/// Strict PHYLIP's.
inline constexpr std::size_t kPhylipNameWidth = 10;

/// The first line of a PHYLIP file: two numbers.
struct PhylipHeader {
    std::int32_t rows = 0, columns = 0;
};
/// Which of its numbers is none: 1, 2, or 3 where the second is missing.
struct PhylipHeaderFault {
    int field;
};
std::optional<PhylipHeaderFault> parse_phylip_header(std::string_view line, PhylipHeader& header);

struct PhylipKind {
    AlignmentFormat format;
    std::size_t name_width;
};
/// Looks at all of the lines to come and leaves them unread. None, and *ambiguous set, where they
/// fit both kinds; none where they fit neither.
std::optional<PhylipKind> sniff_phylip(AlignmentLines& lines, bool& ambiguous);

}  // namespace warpseq
