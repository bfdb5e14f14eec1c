#include "libcore/sequence/alphabet.h"

#include <doctest/doctest.h>

#include <cctype>

using namespace warpseq;

TEST_CASE("every letter is a residue, in either case, and comes back") {
    for (int letter = 'A'; letter <= 'Z'; ++letter) {
        const std::uint8_t upper = kSymbolTable[static_cast<std::size_t>(letter)];
        CHECK(upper < kResidueCodes);
        CHECK(residue_letter(upper) == static_cast<char>(letter));
        CHECK(kSymbolTable[static_cast<std::size_t>(std::tolower(letter))] == upper);
    }
    CHECK(kSymbolTable['*'] == kCodeStop);
}

TEST_CASE("the twenty amino acids come first, in alphabetical order") {
    for (int code = 1; code < kAminoAcids; ++code) {
        CHECK(residue_letter(static_cast<ResidueCode>(code - 1)) < residue_letter(static_cast<ResidueCode>(code)));
    }
    CHECK(residue_letter(kCodeB) == 'B');
    CHECK(residue_letter(kCodeJ) == 'J');
    CHECK(residue_letter(kCodeZ) == 'Z');
    CHECK(residue_letter(kCodeO) == 'O');
    CHECK(residue_letter(kCodeU) == 'U');
    CHECK(residue_letter(kCodeX) == 'X');
}

TEST_CASE("bytes that are not residues are gaps, space or bad") {
    int residues = 0, gaps = 0, spaces = 0, bad = 0;
    for (const std::uint8_t symbol : kSymbolTable) {
        residues += symbol < kResidueCodes;
        gaps += symbol == kSymbolGap;
        spaces += symbol == kSymbolSpace;
        bad += symbol == kSymbolBad;
    }
    CHECK(residues == 2 * 26 + 1);
    CHECK(gaps == 2);
    CHECK(spaces == 6);
    CHECK(residues + gaps + spaces + bad == 256);
}

TEST_CASE("letters to codes and back") {
    CHECK(decode_residues(encode_residues("ACDEFGHIKLMNPQRSTVWYBJZOUX*")) == "ACDEFGHIKLMNPQRSTVWYBJZOUX*");
    CHECK(decode_residues(encode_residues("acx?1")) == "ACXXX");
    CHECK(encode_residues("").empty());
    CHECK(residue_letter(kPaddingCode) == '?');
}
