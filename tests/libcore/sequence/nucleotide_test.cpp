// The nucleotide alphabet: letters and complements.
#include "libcore/sequence/nucleotide.h"

#include <doctest/doctest.h>

namespace warpseq {
namespace {

std::vector<ResidueCode> codes(std::string_view letters) {
    const auto encoded = encode_nucleotides(letters);
    REQUIRE(encoded.has_value());
    return *encoded;
}

std::string text(std::span<const ResidueCode> nucleotides) {
    std::string letters;
    for (const ResidueCode code : nucleotides) letters += kNucleotideLetters[code];
    return letters;
}

TEST_CASE("letters become codes and back; U is T, no other letter is one") {
    CHECK(text(codes("ACGTRYSWKMBDHVN")) == "ACGTRYSWKMBDHVN");
    CHECK(text(codes("acguryswkmbdhvn")) == "ACGTRYSWKMBDHVN");
    for (const char letter : std::string_view("EFIJLOPQXZ*-?1 "))
        CHECK_FALSE(encode_nucleotides({&letter, 1}).has_value());
    for (ResidueCode residue = 0; residue < kResidueCodes; ++residue) {
        const char letter = residue_letter(residue);
        const auto encoded = encode_nucleotides({&letter, 1});
        CHECK((kNucleotideOfResidue[residue] == kNotNucleotide) == !encoded.has_value());
        if (encoded) CHECK(kNucleotideOfResidue[residue] == encoded->front());
    }
}

TEST_CASE("complements are IUPAC's") {
    CHECK(text(reverse_complement(codes("ACGT"))) == "ACGT");
    CHECK(text(reverse_complement(codes("AACCCG"))) == "CGGGTT");
    CHECK(text(reverse_complement(codes("RYSWKMBDHVN"))) == "NBDHVKMWSRY");
    CHECK(reverse_complement({}).empty());
    for (ResidueCode code = 0; code < kNucleotideCodes; ++code) CHECK(kComplement[kComplement[code]] == code);
}

}  // namespace
}  // namespace warpseq
