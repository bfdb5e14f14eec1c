// The substitution matrices by which a sequence query can become a profile, under the names that
// phmmer of HMMER 3 uses.
//
// They are the matrices of libcore/scoring/builtin_matrices.h, and PAM120 and PAM240 (Dayhoff,
// Schwartz and Orcutt 1978). BLOSUM80 differs: HMMER's is in third bits, BLAST's in half bits. A
// profile depends on the ratios between scores, and rounding to third bits gives other ratios.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "libcore/scoring/scoring.h"

namespace warpseq {

/// Returns the matrix of a name in either letter case, or nothing if the name is unknown. Letters
/// other than the 20 amino acids, from which no profile is made, have builtin_matrix()'s scores
/// where it has them, else 0.
std::optional<SubstitutionMatrix> profile_matrix(std::string_view name);

/// Whether HMMER has a matrix of exactly this name. It has neither PAM250 nor IDENTITY, and names
/// in upper case only.
bool is_hmmer_matrix(std::string_view name);

/// Returns the names that profile_matrix() knows.
std::vector<std::string_view> profile_matrix_names();

}  // namespace warpseq
