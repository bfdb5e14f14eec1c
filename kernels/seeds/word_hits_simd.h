// The word hit finder of the vector back ends (kernels/seeds/word_hits.h).
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "kernels/seeds/word_hits.h"

namespace warpseq {

struct KernelTable;

namespace cpu {

/// Target positions that are searched at a time. Ordinary proteins have fewer residues.
inline constexpr std::size_t kWordSegmentResidues = 16 << 10;

std::unique_ptr<WordHitFinder> make_word_hit_finder(const KernelTable& kernels, std::span<const ResidueCode> query,
                                                    std::span<const QueryStretch> stretches, const WordRule& rule,
                                                    const SubstitutionMatrix& matrix, const WordHitSettings& settings);

}  // namespace cpu
}  // namespace warpseq
