// Joint frequencies of two amino acids in the alignments from which a built-in matrix was made.
// Composition-based adjustment starts from them. Values are NCBI's. They sum to 1, and their row
// sums are the matrix's background.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// A symmetric table of frequencies. Rows and columns are amino acids.
using JointFrequencies = std::array<std::array<double, kAminoAcids>, kAminoAcids>;

/// Returns the frequencies of a built-in matrix by its name in capitals, or nothing for a matrix
/// without any (such as PAM120).
std::optional<JointFrequencies> joint_frequencies(std::string_view matrix_name);

}  // namespace warpseq
