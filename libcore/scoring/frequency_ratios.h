// Target frequencies behind the built-in matrices: how much more often BLAST expects a pair of
// letters in related sequences than by chance.
//
// ratio[a][b] = q(a, b) / (p(a) p(b)); the matrix's score is about its logarithm. NCBI's values.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Rows and columns are residue codes; symmetric.
using FrequencyRatios = std::array<std::array<double, kResidueCodes>, kResidueCodes>;

/// Of a built-in matrix, by its name in capitals; nullptr for others.
const FrequencyRatios* frequency_ratios(std::string_view matrix_name);

/// Background frequencies of amino acids, of Robinson and Robinson, PNAS 88:8880 (1991); they sum
/// to 1.
const std::array<double, kAminoAcids>& background_frequencies();

}  // namespace warpseq
