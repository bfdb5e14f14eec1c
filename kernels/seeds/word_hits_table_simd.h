// The arguments of the vector kernel behind kernels/seeds/word_hits_simd.h. The kernel takes one
// word of a query and finds the target positions at which it scores above a limit.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpseq {

/// A task of the kernel. Score is std::int8_t or std::int16_t, and sums saturate at its limits.
template <class Score>
struct WordHitTask {
    static constexpr std::size_t kBlock = 64;  // target positions; rows are readable to the end of the last block
    static constexpr std::size_t kMostResidues = 7;

    /// Row k has the scores of the word's residue k with the target residues k, k + 1 and so on.
    /// Rows need no alignment.
    const Score* rows[kMostResidues];
    std::size_t residues;  // 2 .. kMostResidues
    std::size_t blocks;
    Score limit;
    std::uint64_t* hits;  // out: a bit per target position, set where the rows' sum is above the limit
};

}  // namespace warpseq
