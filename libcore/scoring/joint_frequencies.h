// How often two amino acids stand opposite each other in the alignments that a built-in matrix was
// made of: what composition-based adjustment starts from. NCBI's values; they sum to 1, and their
// row sums are the matrix's background.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Symmetric.
using JointFrequencies = std::array<std::array<double, kAminoAcids>, kAminoAcids>;

/// Of a built-in matrix, by its name in capitals; nothing for those that have none (PAM120 and
/// others).
std::optional<JointFrequencies> joint_frequencies(std::string_view matrix_name);

}  // namespace warpseq
