// kernels/seeds/word_finder.h in vectors.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "kernels/seeds/word_finder.h"

namespace warpseq {

struct KernelTable;

namespace cpu {

/// Target positions that are searched at once: all of an ordinary protein's.
inline constexpr std::size_t kWordSegmentResidues = 16 << 10;

std::unique_ptr<WordFinder> make_word_finder(const KernelTable& kernels, std::span<const ResidueCode> query,
                                             std::span<const QueryStretch> stretches, const WordRule& rule,
                                             const SubstitutionMatrix& matrix, const WordFinderSettings& settings);

}  // namespace cpu
}  // namespace warpseq
