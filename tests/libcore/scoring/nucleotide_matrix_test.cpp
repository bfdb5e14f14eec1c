// Scores of nucleotides, and of letters that stand for several bases.
#include "libcore/scoring/nucleotide_matrix.h"

#include <doctest/doctest.h>

#include <cmath>

namespace warpseq {
namespace {

TEST_CASE("letters score the mean of their bases, to the nearest, halves down") {
    for (const auto& [match, mismatch] :
         {std::pair(2, -3), std::pair(5, -4), std::pair(1, -1), std::pair(127, -127), std::pair(0, 0)}) {
        const SubstitutionMatrix matrix = match_mismatch_matrix(match, mismatch);
        CHECK(matrix.name() == std::to_string(match) + "/" + std::to_string(mismatch));
        CHECK(matrix.highest_raw() == match);
        CHECK(matrix.lowest_raw() == mismatch);
        for (ResidueCode q = 0; q < kNucleotideCodes; ++q) {
            for (ResidueCode t = 0; t < kNucleotideCodes; ++t) {
                int both = 0, all = 0;
                for (int a = 0; a < kBases; ++a) {
                    for (int b = 0; b < kBases; ++b) {
                        if ((kBasesOfNucleotide[q] >> a & 1) == 0 || (kBasesOfNucleotide[t] >> b & 1) == 0) continue;
                        ++all;
                        both += a == b;
                    }
                }
                const double mean = (both * match + (all - both) * mismatch) / static_cast<double>(all);
                CHECK(matrix.score_raw(q, t) == static_cast<int>(std::ceil(mean - 0.5)));
                CHECK(matrix.score_raw(q, t) == matrix.score_raw(t, q));
            }
        }
    }
    const SubstitutionMatrix matrix = match_mismatch_matrix(2, -3);
    const auto score = [&](char q, char t) {
        return matrix.score_raw(encode_nucleotides({&q, 1})->front(), encode_nucleotides({&t, 1})->front());
    };
    CHECK(score('A', 'A') == 2);
    CHECK(score('A', 'G') == -3);
    CHECK(score('T', 'U') == 2);
    CHECK(score('A', 'R') == -1);  // -0.5
    CHECK(score('A', 'N') == -2);  // -1.75
    CHECK(score('N', 'N') == -2);
    CHECK(score('R', 'Y') == -3);
}

TEST_CASE("codes that stand for nothing score no more than those that do") {
    const SubstitutionMatrix matrix = match_mismatch_matrix(-2, -5);
    CHECK(matrix.highest_raw() == -2);
    CHECK(matrix.lowest_raw() == -5);
    CHECK(matrix.score_raw(kPaddingCode, 0) == SubstitutionMatrix::kPaddingScore);
}

}  // namespace
}  // namespace warpseq
