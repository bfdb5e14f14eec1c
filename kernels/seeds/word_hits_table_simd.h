// The vector kernel behind kernels/seeds/word_hits_simd.h. It finds where in a target the word at
// one place of a query scores above a limit.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpseq {

/// A task of the kernel. Score is std::int8_t or std::int16_t, and sums are held at its ends.
template <class Score>
struct WordHitTask {
    static constexpr std::size_t kBlock = 64;  // target positions; rows are readable to the end of the last block
    static constexpr std::size_t kMostResidues = 7;

    /// Row k has the scores of the word's residue k with target residues k, k + 1, ...; unaligned.
    const Score* rows[kMostResidues];
    std::size_t residues;  // 2 .. kMostResidues
    std::size_t blocks;
    Score limit;
    std::uint64_t* hits;  // out: a bit per target position, set where the rows' sum is above the limit
};

}  // namespace warpseq
