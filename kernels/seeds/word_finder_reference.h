// kernels/seeds/word_finder.h by its words: each pair of positions is asked whether it is a hit.
#pragma once

#include <memory>
#include <span>

#include "kernels/seeds/word_finder.h"

namespace warpseq::reference {

std::unique_ptr<WordFinder> make_word_finder(std::span<const ResidueCode> query,
                                             std::span<const QueryStretch> stretches, const WordRule& rule,
                                             const SubstitutionMatrix& matrix, const WordFinderSettings& settings);

}  // namespace warpseq::reference
