// Frequency ratios behind the built-in matrices: how much more often BLAST expects a pair of
// letters in related sequences than by chance.
//
// ratio[a][b] = q(a, b) / (p(a) p(b)). The matrix's score is about its logarithm. Values are
// NCBI's.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// A symmetric table of ratios. Rows and columns are residue codes.
using FrequencyRatios = std::array<std::array<double, kResidueCodes>, kResidueCodes>;

/// Returns the ratios of a built-in matrix by its name in capitals, or nullptr for other matrices.
const FrequencyRatios* frequency_ratios(std::string_view matrix_name);

/// Returns the background frequencies of amino acids of Robinson and Robinson, PNAS 88:8880 (1991),
/// which sum to 1.
const std::array<double, kAminoAcids>& background_frequencies();

}  // namespace warpseq
