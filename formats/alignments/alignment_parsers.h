// The parsers that AlignmentReader uses, one for each family of formats. Each parser reads one
// alignment from the lines. It returns true, false at the end of the input, or an error in Easel's
// words. AlignmentReader adds the file and the number of the last line read to the error. If the
// source fails, lines.status() is the error, and the parser's error about a file that ended too
// early is ignored.
//
// Rows keep the letters of the file. A character that stands for a gap only in one format, such as
// the blank in SELEX, becomes '.'. Missing data becomes '~'.
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
/// Parses A2M. The reference line has 'x' at consensus columns and '.' at others.
Result<bool> parse_a2m(AlignmentLines& lines, MultipleAlignment& alignment);
/// Parses PSI-BLAST's format. The reference line has 'x' where letters are upper case, '.' where
/// they are lower case, and '-' where there are none.
Result<bool> parse_psiblast(AlignmentLines& lines, MultipleAlignment& alignment);
Result<bool> parse_clustal(AlignmentLines& lines, bool strict, MultipleAlignment& alignment);
Result<bool> parse_selex(AlignmentLines& lines, MultipleAlignment& alignment);
/// Parses PHYLIP, interleaved or sequential, whose names have `name_width` letters.
Result<bool> parse_phylip(AlignmentLines& lines, bool sequential, std::size_t name_width, MultipleAlignment& alignment);

/// The width of names in strict PHYLIP.
inline constexpr std::size_t kPhylipNameWidth = 10;

/// The two numbers in the first line of a PHYLIP file.
struct PhylipHeader {
    std::int32_t rows = 0, columns = 0;
};
/// The number of the PHYLIP header that is not valid: 1 or 2, or 3 if the second one is missing.
struct PhylipHeaderFault {
    int field;
};
/// Parses the first line of a PHYLIP file into `header`. Returns what is wrong with it, or nothing
/// if it is valid.
std::optional<PhylipHeaderFault> parse_phylip_header(std::string_view line, PhylipHeader& header);

/// One kind of PHYLIP: the format, and the width of names in letters.
struct PhylipKind {
    AlignmentFormat format;
    std::size_t name_width;
};
/// Returns whether the remaining lines are interleaved or sequential PHYLIP, and the width of their
/// names. Reads all of them, and then goes back so that they can be read again. Returns nothing if
/// they fit neither format. Returns nothing and sets `ambiguous` if they fit both.
std::optional<PhylipKind> sniff_phylip(AlignmentLines& lines, bool& ambiguous);

}  // namespace warpseq
