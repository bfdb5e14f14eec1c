// Substitution matrices in NCBI's text format: '#' comments, a line of column letters, then a row per letter.
// Columns may come in any order, the matrix need not be symmetric (row = query), '#' comments and blank lines may stand anywhere.
// A letter that the file lacks as a row or as a column is filled in as BLAST does: U scores as C, O as X, J as the
// rounded-down mean of I and L; beyond BLAST, whose matrices all have them, B as that of D and N, Z as that of E and Q, X as -1,
// and * as the file's lowest score, 1 against itself.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "libcore/scoring.h"
#include "libcore/status.h"

namespace warpseq {

/// Parses text; `source` names it in messages (file, line, what was expected). The 20 amino acids have to be there as rows
/// and columns; scores are whole numbers from -127 to 127.
Result<SubstitutionMatrix> parse_matrix(std::string_view text, std::string name, std::string_view source);

/// Reads a file, which may be compressed; the matrix is called by its name without the folder.
Result<SubstitutionMatrix> read_matrix_file(const std::filesystem::path& file);

}  // namespace warpseq
