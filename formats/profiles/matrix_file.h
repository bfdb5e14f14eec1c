// Substitution matrices in NCBI's text format: '#' comments, a line of column letters, then a row
// per letter. Columns may come in any order, the matrix need not be symmetric (row = query), '#'
// comments and blank lines may stand anywhere. A letter that the file lacks as a row or as a column
// is filled in as BLAST does: U scores as C, O as X, J as the rounded-down mean of I and L; beyond
// BLAST, whose matrices all have them, B as that of D and N, Z as that of E and Q, X as -1, and *
// as the file's lowest score, 1 against itself.
//
// A matrix of nucleotides needs A, C, G and T (or U) as rows and columns. IUPAC's other letters are
// taken from the file where it has both their row and their column, else they score the mean of
// their bases (libcore/sequence/nucleotide.h); U is left out beside T, and so is any letter that is
// no nucleotide.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "libcore/base/status.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/nucleotide.h"

namespace warpseq {

/// Parses text; `source` names it in messages (file, line, what was expected). The 20 amino acids,
/// or the four bases, have to be there as rows and columns; scores are whole numbers from -127 to
/// 127.
Result<SubstitutionMatrix> parse_matrix(std::string_view text, std::string name, std::string_view source,
                                        Alphabet alphabet = Alphabet::kProtein);

/// Reads a file, which may be compressed; the matrix is called by its name without the folder.
Result<SubstitutionMatrix> read_matrix_file(const std::filesystem::path& file, Alphabet alphabet = Alphabet::kProtein);

}  // namespace warpseq
