// The protein alphabet: the residue code of each letter of a FASTA file, the same in every program.
//
// A residue is kept as a 5-bit residue code. Codes 0..19 are the amino acids in the alphabetical
// order of their one-letter symbols. Codes 20..26 are the other letters that protein files hold.
// Code 31 is padding, which fills the rest of a tile. Codes 27..30 are unassigned, and a valid
// database never holds them. The codes are part of the file format (docs/format.md) and do not
// change.
//
//   code    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 | 20 21 22 23 24 25 26 | 31
//   letter  A C D E F G H I K L  M  N  P  Q  R  S  T  V  W  Y |  B  J  Z  O  U  X  * | (padding)
//
// B is D or N, J is I or L, Z is E or Q, O pyrrolysine, U selenocysteine, X any, * a stop.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpseq {

using ResidueCode = std::uint8_t;

inline constexpr int kAminoAcids = 20;
inline constexpr int kResidueCodes = 27;      // codes that stand for a letter: 0 .. 26
inline constexpr int kResidueTableSize = 32;  // tables indexed by residue code have this many entries
inline constexpr ResidueCode kPaddingCode = 31;
inline constexpr std::string_view kResidueLetters = "ACDEFGHIKLMNPQRSTVWYBJZOUX*";

inline constexpr ResidueCode kCodeC = 1, kCodeB = 20, kCodeJ = 21, kCodeZ = 22, kCodeO = 23, kCodeU = 24, kCodeX = 25,
                             kCodeStop = 26;

/// The class of a byte in a FASTA sequence line that is not a residue. The values lie above all
/// residue codes, so kSymbolTable can hold both.
enum SymbolClass : std::uint8_t {
    kSymbolGap = 64,    // '-' and '.': removed and counted
    kSymbolSpace = 65,  // blank, tab, vertical tab, form feed, carriage return, newline: skipped
    kSymbolBad = 66,    // anything else: an error
};

/// The residue code (in either letter case) or the SymbolClass of each byte.
extern const std::array<std::uint8_t, 256> kSymbolTable;

/// Returns the letter of a residue code, or '?' for a code that stands for no letter.
constexpr char residue_letter(ResidueCode code) { return code < kResidueCodes ? kResidueLetters[code] : '?'; }

/// Returns the letters of residue codes.
std::string decode_residues(std::span<const ResidueCode> residues);

/// Returns the residue codes of letters that are known to be residues (for tests and built-in
/// data). Any other letter becomes X.
std::vector<ResidueCode> encode_residues(std::string_view letters);

}  // namespace warpseq
