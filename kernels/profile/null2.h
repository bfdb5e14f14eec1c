// The odds of null2, the null model of biased composition by which a domain's score is corrected.
// The back ends of kernels/profile/forward_backward.h share this code.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "libcore/sequence/alphabet.h"
#include "libcore/statistics/null_model.h"

namespace warpseq {

/// Completes odds that are given for the amino acids. A degenerate code gets the mean of the amino
/// acids that it may stand for. A code that stands for nothing gets 1.
inline void complete_null2_odds(std::array<float, kResidueTableSize>& odds) {
    for (std::size_t code = kAminoAcids; code < kResidueTableSize; ++code) {
        float sum = 0, amino_acids = 0;
        for (std::uint32_t rest = kAminoAcidsOfCode[code]; rest != 0; rest &= rest - 1) {
            sum += odds[static_cast<std::size_t>(std::countr_zero(rest))];
            amino_acids += 1;
        }
        odds[code] = amino_acids > 0 ? sum / amino_acids : 1.0f;
    }
}

}  // namespace warpseq
