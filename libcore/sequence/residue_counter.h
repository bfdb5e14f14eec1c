// How often each letter stands in packed words.
//
// With AVX-512 and its population counts: 80 words hold 480 residues. Bit b of all of them is
// gathered in one vector, for b = 0 to 4; in which order does not matter. A letter is then where
// five vectors have its bits, so it takes one operation to find and one to count.
//
//     vector b, word lane l:   bit 5 r + j = bit b of residue r of word l of the j-th vector of 16 words; bits 30 and 31 are 1
//
// Without: pairs of residues index a table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

class ResidueCounter {
   public:
    /// Words of tiles that is_sound() has approved: residue codes below kResidueCodes, and padding,
    /// which is not counted.
    void add(std::span<const std::uint32_t> words);
    /// Of all that was added, by residue code.
    std::array<std::uint64_t, kResidueTableSize> counts() const;

    /// The same by one way or the other, for tests; false: this machine has not what it takes.
    void add_pairs(std::span<const std::uint32_t> words);
    bool add_bits(std::span<const std::uint32_t> words);

   private:
    static constexpr std::size_t kParts = 8;  // of each letter's count: 64-bit lanes of a vector
    alignas(64) std::array<std::array<std::uint64_t, kParts>, kResidueCodes> letters_{};
    /// Of residues 0 and 1, 2 and 3, 4 and 5 of words: first + 32 * second.
    std::array<std::uint64_t, std::size_t{kResidueTableSize} * kResidueTableSize> pairs_{};
};

}  // namespace warpseq
