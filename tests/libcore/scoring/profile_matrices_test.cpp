#include "libcore/scoring/profile_matrices.h"

#include <doctest/doctest.h>

#include "libcore/scoring/builtin_matrices.h"
#include "libcore/sequence/alphabet.h"

using namespace warpseq;

namespace {

int score(const SubstitutionMatrix& matrix, char query, char target) {
    return matrix.score_raw(kSymbolTable[static_cast<unsigned char>(query)],
                            kSymbolTable[static_cast<unsigned char>(target)]);
}

}  // namespace

TEST_CASE("two matrices more than BLAST has, and BLOSUM80 in third bits") {
    CHECK(profile_matrix_names().size() == builtin_matrix_names().size() + 2);
    const auto blosum80 = *profile_matrix("blosum80");  // names are found in either case
    CHECK(score(blosum80, 'A', 'A') == 7);
    CHECK(score(blosum80, 'W', 'W') == 16);
    CHECK(score(blosum80, 'Q', 'H') == 1);
    const auto pam120 = *profile_matrix("PAM120");
    CHECK(score(pam120, 'W', 'W') == 12);
    CHECK(score(pam120, 'A', 'R') == -3);
    CHECK(score(pam120, 'F', 'Y') == 4);
    const auto pam240 = *profile_matrix("PAM240");
    CHECK(score(pam240, 'W', 'W') == 17);
    CHECK(score(pam240, 'C', 'C') == 12);
    CHECK(score(pam240, 'A', 'R') == -2);
    CHECK_FALSE(profile_matrix("PAM1"));
}

TEST_CASE("HMMER's names are a part of ours, in upper case") {
    for (const std::string_view name : profile_matrix_names()) {
        CAPTURE(name);
        CHECK(is_hmmer_matrix(name) == (name != "PAM250" && name != "IDENTITY"));
    }
    CHECK_FALSE(is_hmmer_matrix("blosum62"));
    CHECK_FALSE(is_hmmer_matrix("BLOSUM100"));
    CHECK_FALSE(is_hmmer_matrix(""));
}

TEST_CASE("all are symmetric, and the others are the built-in ones") {
    for (const std::string_view name : profile_matrix_names()) {
        CAPTURE(name);
        const auto matrix = profile_matrix(name);
        REQUIRE(matrix);
        CHECK(matrix->name() == name);
        const auto builtin = builtin_matrix(name);
        for (ResidueCode a = 0; a < kAminoAcids; ++a) {
            CHECK(matrix->score_raw(a, a) > 0);
            for (ResidueCode b = 0; b < kAminoAcids; ++b) {
                CHECK(matrix->score_raw(a, b) == matrix->score_raw(b, a));
                if (builtin && name != "BLOSUM80") CHECK(matrix->score_raw(a, b) == builtin->score_raw(a, b));
            }
        }
    }
}
