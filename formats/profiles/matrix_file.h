// Reads substitution matrices in NCBI's text format. A file has '#' comments, a line of column
// letters, and then a row per letter.
//
// Columns and rows may come in any order. The matrix need not be symmetric; its rows are for the
// query. '#' comments and blank lines may stand anywhere.
//
// In a matrix of proteins, a letter that is missing as a row or as a column gets these scores:
//
//   U   the scores of C, as in BLAST.
//   O   the scores of X, as in BLAST.
//   J   the rounded-down mean of I and L, as in BLAST.
//   B   the rounded-down mean of D and N.
//   Z   the rounded-down mean of E and Q.
//   X   -1.
//   *   the lowest score of the file, and 1 against itself.
//
// The last four rules are warpseq's own. BLAST needs none, because all of its matrices have these
// letters.
//
// A matrix of nucleotides needs A, C, G and T (or U) as rows and columns. IUPAC's other letters are
// taken from the file if it has both their row and their column. Otherwise they score the mean of
// their bases (libcore/sequence/nucleotide.h). U is ignored if the file has T. Letters that are no
// nucleotides are ignored, too.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "libcore/base/status.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/nucleotide.h"

namespace warpseq {

/// Parses the text of a matrix. Messages name `source`, the line and what was expected. The text
/// must have rows and columns for the 20 amino acids, or for the four bases. Scores are whole
/// numbers from -127 to 127.
Result<SubstitutionMatrix> parse_matrix(std::string_view text, std::string name, std::string_view source,
                                        Alphabet alphabet = Alphabet::kProtein);

/// Reads a matrix from `file`, which may be compressed. The matrix gets the file's name without the
/// folder.
Result<SubstitutionMatrix> read_matrix_file(const std::filesystem::path& file, Alphabet alphabet = Alphabet::kProtein);

}  // namespace warpseq
