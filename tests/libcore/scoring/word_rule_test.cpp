// Word rules: the matrix as it is, and the classes of compressed alphabets.
#include "libcore/scoring/word_rule.h"

#include <doctest/doctest.h>

#include "libcore/scoring/builtin_matrices.h"
#include "libcore/statistics/karlin_altschul.h"

using namespace warpseq;

namespace {

ResidueCode code(char letter) { return encode_residues(std::string_view(&letter, 1)).front(); }

}  // namespace

TEST_CASE("up to five residues, scores are the matrix's, and thresholds lose their fractions") {
    const auto matrix = *builtin_matrix("BLOSUM62");
    const WordRule rule = WordRule::uncompressed(matrix, 3, 11.9);
    CHECK(rule.threshold == 11);
    CHECK(WordRule::uncompressed(matrix, 3, 0.5).threshold == 0);
    // Words reach a threshold beyond int, but no other high one.
    CHECK(WordRule::uncompressed(matrix, 3, 2'147'483'647.5).threshold == 1'000'000);
    CHECK(WordRule::uncompressed(matrix, 5, 2'147'483'648).threshold < 5 * matrix.lowest_raw());
    CHECK(WordRule::uncompressed(*builtin_matrix("PAM30"), 5, 1e300).threshold <
          5 * builtin_matrix("PAM30")->lowest_raw());
    CHECK(rule.pair_score[code('W')][code('W')] == 11);
    CHECK(rule.pair_score[code('A')][code('W')] == -3);
    CHECK(rule.letter_class[code('X')] != WordRule::kNoClass);
    CHECK(rule.letter_class[kPaddingCode] == WordRule::kNoClass);
}

TEST_CASE("compressed alphabets: fifteen classes for six residues, ten for seven") {
    const ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    const double lambda = AlignmentStatistics::find(scheme)->ungapped().lambda;
    for (const int residues : {6, 7}) {
        const WordRule rule = WordRule::compressed(scheme.matrix, residues, 21, lambda);
        CHECK(rule.threshold == 2100);
        int classes = 0;
        for (const char letter : std::string_view("ACDEFGHIKLMNPQRSTVWYBJZ")) {
            classes = std::max(classes, rule.letter_class[code(letter)] + 1);
            // The score of a class is what its letters have in common. So it is about the matrix's
            // score in hundredths.
            CHECK(rule.pair_score[code(letter)][code(letter)] > 100);
        }
        CHECK(classes == (residues == 6 ? 15 : 10));
        CHECK(rule.letter_class[code('I')] == rule.letter_class[code('V')]);
        CHECK((rule.letter_class[code('L')] == rule.letter_class[code('V')]) == (residues == 7));
        CHECK(rule.pair_score[code('W')][code('I')] == rule.pair_score[code('W')][code('V')]);
        CHECK(rule.pair_score[code('I')][code('W')] < 0);
        // W is alone in its class. Its score is the log of its frequency ratio over lambda, in
        // hundredths. The matrix rounds it to 11.
        CHECK(rule.pair_score[code('W')][code('W')] > 1000);
        CHECK(rule.pair_score[code('W')][code('W')] < 1250);
        for (const char letter : std::string_view("XUO*")) CHECK(rule.letter_class[code(letter)] == WordRule::kNoClass);
    }
}
