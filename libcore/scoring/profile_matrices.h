// The substitution matrices that a sequence query may become a profile by, under the names that
// phmmer of HMMER 3 knows.
//
// They are those of libcore/scoring/builtin_matrices.h and two more, PAM120 and PAM240 (Dayhoff,
// Schwartz and Orcutt 1978), but for BLOSUM80: HMMER's is in third bits, BLAST's in half bits. A
// profile is made of scores' ratios to each other, and rounding to third bits keeps other ones.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "libcore/scoring/scoring.h"

namespace warpseq {

/// The matrix of a name, in either letter case; nothing for an unknown one. Scores of letters other
/// than the 20 amino acids, which no profile is made of, are there as far as builtin_matrix() has
/// them, else 0.
std::optional<SubstitutionMatrix> profile_matrix(std::string_view name);

std::vector<std::string_view> profile_matrix_names();

}  // namespace warpseq
