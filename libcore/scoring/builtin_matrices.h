// The built-in substitution matrices with NCBI BLAST's values: BLOSUM45, 50, 62, 80, 90, PAM30, 70,
// 250 (Henikoff and Henikoff 1992; Dayhoff, Schwartz and Orcutt 1978) and IDENTITY. IDENTITY gives
// a positive score to equal letters alone.
//
// B, Z, J, X and * have rows of their own, as in NCBI's files. U scores as C and O as X, as in
// BLAST.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "libcore/scoring/scoring.h"

namespace warpseq {

/// Returns the matrix of a name in either letter case, or nothing if the name is unknown.
std::optional<SubstitutionMatrix> builtin_matrix(std::string_view name);

/// Returns the names of the built-in matrices.
std::vector<std::string_view> builtin_matrix_names();

}  // namespace warpseq
