// Counts each letter in packed words.
//
// With AVX-512 and its population counts, 80 words are a group that holds 480 residues. Bit b of
// all residues is gathered in one vector, for b = 0 to 4. The order of the residues within a vector
// does not matter. A letter stands at the places where the five vectors have its bits, so it takes
// one operation to find and one to count.
//
//     vector b, word lane l:   bit 5 r + j = bit b of residue r of word l
//                              of the j-th vector of 16 words; bits 30 and 31 are 1
//
// Without AVX-512, pairs of residues index a table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Counts of residues by residue code, which grow with each add(). Not thread-safe.
class ResidueCounter {
   public:
    /// Adds words of tiles that is_sound() has approved. They hold residue codes below
    /// kResidueCodes, and padding, which is not counted.
    void add(std::span<const std::uint32_t> words);
    /// Returns the counts of everything that was added, by residue code.
    std::array<std::uint64_t, kResidueTableSize> counts() const;

    /// Add words in one of the two ways, for tests: by a table of pairs, or by AVX-512. add_bits()
    /// returns false, and adds nothing, if this machine lacks AVX-512.
    void add_pairs(std::span<const std::uint32_t> words);
    bool add_bits(std::span<const std::uint32_t> words);

   private:
    static constexpr std::size_t kParts = 8;  // parts of each letter's count: 64-bit lanes of a vector
    alignas(64) std::array<std::array<std::uint64_t, kParts>, kResidueCodes> letters_{};
    /// Counts of pairs, at index first + 32 * second. The pairs are residues 0 and 1, 2 and 3, 4
    /// and 5 of a word.
    std::array<std::uint64_t, std::size_t{kResidueTableSize} * kResidueTableSize> pairs_{};
};

}  // namespace warpseq
