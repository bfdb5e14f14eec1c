// kernels/word_finder.h in vectors of whatever the compiler's baseline has.
#pragma once

#include <memory>
#include <span>

#include "kernels/word_finder.h"

namespace warpseq::cpu {

std::unique_ptr<WordFinder> make_word_finder(std::span<const ResidueCode> query, std::span<const QueryStretch> stretches, const WordRule& rule,
                                             const SubstitutionMatrix& matrix, const WordFinderSettings& settings);

}  // namespace warpseq::cpu
