#include "libcore/sequence/nucleotide.h"

#include <algorithm>
#include <cstddef>
#include <utility>

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

void fill_ambiguous_nucleotides(SubstitutionMatrix::Table& table, const std::array<bool, kNucleotideCodes>& missing) {
    for (std::size_t q = 0; q < kNucleotideCodes; ++q) {
        for (std::size_t t = 0; t < kNucleotideCodes; ++t) {
            if (!missing[q] && !missing[t]) continue;
            int sum = 0, pairs = 0;
            for (std::size_t a = 0; a < kBases; ++a) {
                for (std::size_t b = 0; b < kBases; ++b) {
                    if (((kBasesOfNucleotide[q] >> a) & 1) == 0 || ((kBasesOfNucleotide[t] >> b) & 1) == 0) continue;
                    sum += table[a][b];
                    ++pairs;
                }
            }
            // ceil(sum / pairs - 1/2) = ceil((2 sum - pairs) / (2 pairs)); C++ rounds a quotient towards 0.
            const int numerator = 2 * sum - pairs, denominator = 2 * pairs;
            const int rounded = numerator / denominator + (numerator > 0 && numerator % denominator != 0);
            table[q][t] = static_cast<std::int8_t>(rounded);
        }
    }
}

SubstitutionMatrix nucleotide_matrix(std::string name, SubstitutionMatrix::Table table) {
    int lowest = table[0][0];
    for (std::size_t q = 0; q < kNucleotideCodes; ++q) {
        for (std::size_t t = 0; t < kNucleotideCodes; ++t) lowest = std::min<int>(lowest, table[q][t]);
    }
    for (std::size_t q = 0; q < kResidueTableSize; ++q) {
        for (std::size_t t = 0; t < kResidueTableSize; ++t) {
            if (q >= kNucleotideCodes || t >= kNucleotideCodes) table[q][t] = static_cast<std::int8_t>(lowest);
        }
    }
    return {std::move(name), table};
}

SubstitutionMatrix match_mismatch_matrix(int match_raw, int mismatch_raw) {
    SubstitutionMatrix::Table table{};
    std::array<bool, kNucleotideCodes> ambiguous{};
    for (std::size_t code = 0; code < kNucleotideCodes; ++code) ambiguous[code] = code >= kBases;
    for (std::size_t q = 0; q < kBases; ++q) {
        for (std::size_t t = 0; t < kBases; ++t)
            table[q][t] = static_cast<std::int8_t>(q == t ? match_raw : mismatch_raw);
    }
    fill_ambiguous_nucleotides(table, ambiguous);
    return nucleotide_matrix(std::to_string(match_raw) + "/" + std::to_string(mismatch_raw), table);
}

}  // namespace warpseq
