#include "libcore/scoring/nucleotide_matrix.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace warpseq {

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
            // ceil(sum / pairs - 1/2) = ceil((2 sum - pairs) / (2 pairs)). C++ rounds a quotient
            // towards 0.
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
