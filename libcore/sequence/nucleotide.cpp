#include "libcore/sequence/nucleotide.h"

#include <algorithm>
#include <cstddef>

namespace warpseq {

namespace {

constexpr ResidueCode code_of_bases(unsigned bases) {
    for (ResidueCode code = 0; code < kNucleotideCodes; ++code) {
        if (kBasesOfNucleotide[code] == bases) return code;
    }
    return kNotNucleotide;
}

constexpr std::array<ResidueCode, kNucleotideCodes> make_complement() {
    std::array<ResidueCode, kNucleotideCodes> complement{};
    for (std::size_t code = 0; code < kNucleotideCodes; ++code) {
        unsigned paired = 0;
        for (unsigned base = 0; base < kBases; ++base) {
            if (((kBasesOfNucleotide[code] >> base) & 1) != 0) paired |= 1u << (kBases - 1 - base);
        }
        complement[code] = code_of_bases(paired);
    }
    return complement;
}

constexpr std::array<ResidueCode, kResidueCodes> make_nucleotide_of_residue() {
    std::array<ResidueCode, kResidueCodes> table{};
    for (std::size_t residue = 0; residue < kResidueCodes; ++residue) {
        const char letter = kResidueLetters[residue] == 'U' ? 'T' : kResidueLetters[residue];
        const std::size_t code = kNucleotideLetters.find(letter);
        table[residue] = code == std::string_view::npos ? kNotNucleotide : static_cast<ResidueCode>(code);
    }
    return table;
}

}  // namespace

constinit const std::array<ResidueCode, kNucleotideCodes> kComplement = make_complement();
constinit const std::array<ResidueCode, kResidueCodes> kNucleotideOfResidue = make_nucleotide_of_residue();

std::vector<ResidueCode> reverse_complement(std::span<const ResidueCode> nucleotides) {
    std::vector<ResidueCode> result(nucleotides.size());
    std::transform(nucleotides.rbegin(), nucleotides.rend(), result.begin(),
                   [](ResidueCode code) { return kComplement[code]; });
    return result;
}

std::optional<std::vector<ResidueCode>> encode_nucleotides(std::string_view letters) {
    std::vector<ResidueCode> codes;
    codes.reserve(letters.size());
    for (const char letter : letters) {
        const std::uint8_t symbol = kSymbolTable[static_cast<unsigned char>(letter)];
        if (symbol >= kResidueCodes || kNucleotideOfResidue[symbol] == kNotNucleotide) return std::nullopt;
        codes.push_back(kNucleotideOfResidue[symbol]);
    }
    return codes;
}

}  // namespace warpseq
