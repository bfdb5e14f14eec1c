// The word hit finder of kernels/seeds/word_hits.h in plain scalar code. It checks each pair of
// positions for a hit. Tests compare every other back end with it.
#pragma once

#include <memory>
#include <span>

#include "kernels/seeds/word_hits.h"

namespace warpseq::reference {

std::unique_ptr<WordHitFinder> make_word_hit_finder(std::span<const ResidueCode> query,
                                                    std::span<const QueryStretch> stretches, const WordRule& rule,
                                                    const SubstitutionMatrix& matrix, const WordHitSettings& settings);

}  // namespace warpseq::reference
