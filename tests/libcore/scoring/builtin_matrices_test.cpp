#include "libcore/scoring/builtin_matrices.h"

#include <doctest/doctest.h>

using namespace warpseq;

namespace {

int score(const SubstitutionMatrix& matrix, char query, char target) {
    return matrix.score_raw(kSymbolTable[static_cast<unsigned char>(query)],
                            kSymbolTable[static_cast<unsigned char>(target)]);
}

}  // namespace

TEST_CASE("all nine matrices are there, symmetric, with padding below every score's gain") {
    const auto names = builtin_matrix_names();
    CHECK(names.size() == 9);
    for (const std::string_view name : names) {
        CAPTURE(name);
        const auto matrix = builtin_matrix(name);
        REQUIRE(matrix);
        CHECK(matrix->name() == name);
        CHECK(matrix->highest_raw() > 0);
        CHECK(matrix->lowest_raw() < 0);
        for (ResidueCode a = 0; a < kResidueTableSize; ++a) {
            for (ResidueCode b = 0; b < kResidueTableSize; ++b) {
                CHECK(matrix->score_raw(a, b) == matrix->score_raw(b, a));
                if (a >= kResidueCodes) CHECK(matrix->score_raw(a, b) == SubstitutionMatrix::kPaddingScore);
            }
            if (a < kAminoAcids) CHECK(matrix->score_raw(a, a) > 0);
        }
    }
}

TEST_CASE("single entries as NCBI publishes them") {
    const auto blosum62 = *builtin_matrix("blosum62");  // names are found in either case
    CHECK(score(blosum62, 'W', 'W') == 11);
    CHECK(score(blosum62, 'A', 'R') == -1);
    CHECK(score(blosum62, 'I', 'V') == 3);
    CHECK(score(blosum62, 'B', 'N') == 4);
    CHECK(score(blosum62, 'X', 'A') == -1);
    CHECK(score(blosum62, 'J', 'L') == 3);
    CHECK(score(blosum62, '*', '*') == 1);
    CHECK(score(blosum62, '*', 'A') == -4);
    CHECK(score(*builtin_matrix("BLOSUM80"), 'A', 'A') == 5);  // in half bits, as NCBI's
    CHECK(score(*builtin_matrix("BLOSUM45"), 'C', 'C') == 12);
    CHECK(score(*builtin_matrix("BLOSUM50"), 'P', 'P') == 10);
    CHECK(score(*builtin_matrix("BLOSUM90"), 'W', 'W') == 11);
    CHECK(score(*builtin_matrix("PAM30"), 'W', 'W') == 13);
    CHECK(score(*builtin_matrix("PAM70"), 'H', 'H') == 8);
    CHECK(score(*builtin_matrix("PAM250"), 'W', 'W') == 17);
    const auto identity = *builtin_matrix("IDENTITY");
    CHECK(score(identity, 'A', 'A') == 9);
    CHECK(score(identity, 'I', 'L') == -5);
    CHECK(score(identity, 'B', 'B') == 9);
    CHECK(score(identity, 'X', 'X') == -5);
    CHECK(score(identity, '*', '*') == 9);
}

TEST_CASE("U scores as C and O as X, as in BLAST") {
    for (const std::string_view name : builtin_matrix_names()) {
        const auto matrix = *builtin_matrix(name);
        for (ResidueCode t = 0; t < kResidueCodes; ++t) {
            CHECK(matrix.score_raw(kCodeU, t) == matrix.score_raw(kSymbolTable['C'], t));
            CHECK(matrix.score_raw(kCodeO, t) == matrix.score_raw(kCodeX, t));
        }
    }
}

TEST_CASE("an unknown name gives no matrix") {
    CHECK_FALSE(builtin_matrix("BLOSUM61"));
    CHECK_FALSE(builtin_matrix(""));
}
