// The nucleotide alphabet: bases and IUPAC's letters for sets of bases, as codes of their own. A
// sequence's codes do not say which alphabet they are of; whoever holds it knows (Alphabet).
//
//   code    0 1 2 3 | 4   5   6   7   8   9   10   11   12   13   14
//   letter  A C G T | R   Y   S   W   K   M   B    D    H    V    N
//   bases           | AG  CT  CG  AT  GT  AC  CGT  AGT  ACT  ACG  ACGT
//
// U is read as T, and printed as T. Letter case is not kept. No other letter is a nucleotide: X and
// * are refused, not guessed at. Nomenclature Committee of the International Union of Biochemistry
// (1985).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "libcore/sequence/alphabet.h"

namespace warpseq {

enum class Alphabet : std::uint8_t { kProtein, kNucleotide };

inline constexpr int kBases = 4;
inline constexpr int kNucleotideCodes = 15;
inline constexpr std::string_view kNucleotideLetters = "ACGTRYSWKMBDHVN";

/// The bases that a code stands for: bit 0 A, 1 C, 2 G, 3 T. Codes from kNucleotideCodes on stand
/// for none.
inline constexpr std::array<std::uint8_t, kNucleotideCodes> kBasesOfNucleotide{1,  2, 4,  8,  5,  10, 6, 9,
                                                                               12, 3, 14, 13, 11, 7,  15};

/// The letters of an alphabet's codes, in the order of the codes.
constexpr std::string_view letters_of(Alphabet alphabet) {
    return alphabet == Alphabet::kProtein ? kResidueLetters : kNucleotideLetters;
}

/// For each protein residue code (libcore/sequence/alphabet.h), which is how FASTA is read: the
/// nucleotide code of the same letter; kNotNucleotide where there is none.
inline constexpr ResidueCode kNotNucleotide = 0xff;
extern const std::array<ResidueCode, kResidueCodes> kNucleotideOfResidue;

/// The code of what pairs with the bases of `code`: A and T, C and G, R and Y, K and M, B and V, D
/// and H.
extern const std::array<ResidueCode, kNucleotideCodes> kComplement;

std::vector<ResidueCode> reverse_complement(std::span<const ResidueCode> nucleotides);

/// The codes of letters in either case; nothing if one is no nucleotide.
std::optional<std::vector<ResidueCode>> encode_nucleotides(std::string_view letters);

}  // namespace warpseq
