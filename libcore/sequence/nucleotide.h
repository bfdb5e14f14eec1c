// The nucleotide alphabet: codes for the bases and for IUPAC's letters for sets of bases. The codes
// of a sequence do not show to which alphabet they belong. The owner of the sequence knows its
// Alphabet.
//
//   code    0 1 2 3 | 4   5   6   7   8   9   10   11   12   13   14
//   letter  A C G T | R   Y   S   W   K   M   B    D    H    V    N
//   bases           | AG  CT  CG  AT  GT  AC  CGT  AGT  ACT  ACG  ACGT
//
// U is read as T, and printed as T. Letter case is not kept. No other letter is a nucleotide: X and
// * are refused. The letters are those of the Nomenclature Committee of the International Union of
// Biochemistry (1985).
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

/// The bases that a code stands for: bit 0 is A, 1 is C, 2 is G, 3 is T. Codes from
/// kNucleotideCodes on stand for none.
inline constexpr std::array<std::uint8_t, kNucleotideCodes> kBasesOfNucleotide{1,  2, 4,  8,  5,  10, 6, 9,
                                                                               12, 3, 14, 13, 11, 7,  15};

/// Returns the letters of an alphabet's codes, in the order of the codes.
constexpr std::string_view letters_of(Alphabet alphabet) {
    return alphabet == Alphabet::kProtein ? kResidueLetters : kNucleotideLetters;
}

/// The nucleotide code of each protein residue code (libcore/sequence/alphabet.h), by the same
/// letter. FASTA is read as residue codes. kNotNucleotide marks a letter that is no nucleotide.
inline constexpr ResidueCode kNotNucleotide = 0xff;
extern const std::array<ResidueCode, kResidueCodes> kNucleotideOfResidue;

/// The code of the complement of each code: A and T, C and G, R and Y, K and M, B and V, D and H
/// pair with each other.
extern const std::array<ResidueCode, kNucleotideCodes> kComplement;

/// Returns the complements of the codes, in reverse order.
std::vector<ResidueCode> reverse_complement(std::span<const ResidueCode> nucleotides);

/// Returns the codes of letters in either case, or nothing if one of them is no nucleotide.
std::optional<std::vector<ResidueCode>> encode_nucleotides(std::string_view letters);

}  // namespace warpseq
