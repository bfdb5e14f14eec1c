// Profiles of single sequences, compared with the output of HMMER 3.3.2. The options are hmmbuild
// --singlemx --popen 0.02 --pextend 0.4. For the last case they are --mx PAM30 --popen 0.05
// --pextend 0.3.
#include "libcore/profile/sequence_profile.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "libcore/scoring/builtin_matrices.h"
#include "libcore/statistics/null_model.h"

namespace warpseq {
namespace {

/// Returns a probability as in a profile file: -ln p with five decimals, or * for 0.
template <typename Probabilities>
std::string printed(const Probabilities& probabilities) {
    std::string text;
    for (const float p : probabilities) {
        char number[32] = "*";
        if (p > 0) std::snprintf(number, sizeof number, "%.5f", p == 1 ? 0.0 : static_cast<double>(-std::log(p)));
        text += (text.empty() ? "" : " ") + std::string(number);
    }
    return text;
}

ReplacementProbabilities replacements_of(std::string_view matrix) {
    Result<ReplacementProbabilities> replacements = replacement_probabilities(*builtin_matrix(matrix));
    REQUIRE_MESSAGE(replacements.ok(), replacements.status().message());
    return *replacements;
}

TEST_CASE("a query with every odd letter") {
    const ProfileHmm hmm =
        profile_of_sequence(encode_residues("MABJZOUXCWHKDEFGXHBCIL"), "odd", "letters", replacements_of("BLOSUM62"));
    CHECK(hmm.name == "odd");
    CHECK(hmm.description == "letters");
    CHECK(hmm.length == 22);
    CHECK(hmm.sequences == 1);
    CHECK(!(hmm.statistics || hmm.effective_sequences || hmm.gathering));
    REQUIRE(hmm.match.size() == 23);
    REQUIRE(hmm.insert.size() == 23);
    REQUIRE(hmm.transitions.size() == 23);
    struct Row {
        std::size_t node;
        const char* matches;
    };
    const Row rows[] = {
        {1,
         "2.82260 4.47078 3.84525 3.30524 3.18998 3.58392 4.37539 2.47585 3.10444 1.66736 2.11323 3.78318 3.63016 "
         "3.19357 3.19865 2.96500 3.19919 2.34376 4.75465 3.77456"},
        {3,
         "3.20431 5.17044 1.47418 2.32703 4.20760 2.86048 3.79347 3.81141 3.01690 3.48754 4.56931 1.89873 3.50250 "
         "3.25733 3.25262 2.55951 3.11165 3.67932 5.77226 4.32293"},
        {4,
         "2.84380 4.49198 4.05149 3.64440 3.21118 3.92307 4.71454 1.88828 3.55277 1.24952 3.19747 4.12233 3.96931 "
         "3.95986 3.64698 3.30415 3.22039 2.07415 5.20298 3.79576"},
        {5,
         "2.91784 5.38956 2.54308 1.43438 4.23908 3.36121 3.83474 3.84290 2.56378 3.22205 4.14860 3.24252 3.40746 "
         "2.18706 2.84562 2.74229 3.29443 3.39286 5.35547 4.05744"},
        {6,
         "2.90017 5.18426 3.28692 2.42896 4.22141 3.34354 4.13501 3.82522 1.27430 3.01674 4.09851 3.22485 3.38978 "
         "2.95319 2.32237 2.72462 3.27676 3.37519 5.46812 4.17009"},
        {7,
         "2.34737 1.13399 3.68797 3.78387 3.66861 3.42664 4.53606 2.95447 3.58306 2.46394 3.86366 3.94385 3.79083 "
         "3.99015 3.67727 2.80772 3.04191 2.82238 4.91532 3.93523"},
        {8,
         "2.53043 4.38264 2.90010 2.62062 3.35049 2.67017 3.80585 2.85195 2.78144 2.35044 3.77552 3.15613 3.03788 "
         "3.21638 2.95904 2.63344 2.90342 2.69756 4.60206 3.53822"},
        {10,
         "3.36566 4.69589 4.07036 3.53035 2.77919 3.17312 4.28255 3.65481 3.64750 2.84633 3.92810 4.32624 4.17322 "
         "3.73664 3.74171 3.50806 3.42430 3.52272 0.84639 2.72787"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.node);
        CHECK(printed(hmm.match[row.node]) == row.matches);
    }
    CHECK(hmm.match[0] == ProfileHmm::Residues{});
    for (const ProfileHmm::Residues& insert : hmm.insert) CHECK(insert == kBackgroundFrequencies);
    for (std::size_t k = 0; k < 22; ++k) {
        CHECK(printed(hmm.transitions[k]) == "0.04082 3.91202 3.91202 0.51083 0.91629 0.51083 0.91629");
    }
    CHECK(printed(hmm.transitions[22]) == "0.02020 3.91202 * 0.51083 0.91629 0.00000 *");
    CHECK(hmm.consensus == "mabjzouxcwhkdefgxhbcil");
    CHECK(printed(hmm.composition) ==
          "2.65214 2.99961 2.69131 2.59890 3.22802 2.81358 3.20103 2.91704 2.75511 2.36942 3.70916 3.15590 3.54841 "
          "3.30471 3.15185 2.82263 3.18989 2.86230 3.68520 3.58405");
}

TEST_CASE("one residue; a stop, which nothing replaces") {
    const ReplacementProbabilities replacements = replacements_of("blosum62");
    const ProfileHmm one = profile_of_sequence(encode_residues("W"), "one", "", replacements);
    CHECK(one.length == 1);
    CHECK(printed(one.transitions[0]) == "0.04082 3.91202 3.91202 0.51083 0.91629 0.51083 0.91629");
    CHECK(printed(one.transitions[1]) == "0.02020 3.91202 * 0.51083 0.91629 0.00000 *");
    CHECK(one.match[1] == replacements[encode_residues("W")[0]]);

    const ProfileHmm stop = profile_of_sequence(encode_residues("MKVL*HCAEWGT"), "stop", "", replacements);
    CHECK(stop.match[5] == ProfileHmm::Residues{});
    CHECK(stop.consensus == "mkvl*hcaewgt");
}

TEST_CASE("another matrix and other gaps; residues that mostly keep are in upper case") {
    const ProfileHmm hmm = profile_of_sequence(encode_residues("MKVLHCAEWGT"), "short", "", replacements_of("PAM30"),
                                               {.open = 0.05, .extend = 0.3});
    CHECK(printed(hmm.match[2]) ==
          "4.74283 8.75266 4.11744 3.89539 7.78981 4.86825 5.64030 4.69460 0.30138 4.87883 4.25428 3.36119 4.89506 "
          "4.08224 2.75723 3.87310 3.76991 5.57465 8.36177 6.36955");
    CHECK(printed(hmm.transitions[3]) == "0.10536 2.99573 2.99573 0.35667 1.20397 0.35667 1.20397");
    CHECK(printed(hmm.transitions[11]) == "0.05129 2.99573 * 0.35667 1.20397 0.00000 *");
    CHECK(hmm.consensus == "MKVLHCAEWGT");
    CHECK(printed(hmm.composition) ==
          "2.50841 2.61654 3.95206 2.53934 4.95349 2.56938 2.81679 3.62381 2.59504 2.33018 2.64397 4.01754 4.42179 "
          "4.01683 3.98838 3.41563 2.65927 2.52897 2.54425 5.01810");
}

TEST_CASE("the case of a letter for several amino acids depends on the next residue, as in HMMER") {
    const auto consensus = [](const char* residues) {
        return profile_of_sequence(encode_residues(residues), "rare", "", replacements_of("PAM30")).consensus;
    };
    CHECK(consensus("BCJDZEOFUGXHA") == "BCJDZEOFUGXHA");
    CHECK(consensus("BAJAZAOAUAXA") == "bAjAzAoAuAxA");
    CHECK(consensus("CBDJEZFOGUHX") == "CbDjEzFoGuHx");
    CHECK(consensus("XB") == "xb");
    CHECK(consensus("*CX*H") == "*Cx*H");
}

TEST_CASE("every built-in matrix has probabilities that add up to 1") {
    for (const std::string_view name : builtin_matrix_names()) {
        CAPTURE(name);
        const ReplacementProbabilities replacements = replacements_of(name);
        for (ResidueCode code = 0; code < kResidueTableSize; ++code) {
            float sum = 0;
            for (const float p : replacements[code]) sum += p;
            CHECK(sum == doctest::Approx(kAminoAcidsOfCode[code] == 0 ? 0 : 1).epsilon(1e-6));
        }
    }
}

TEST_CASE("a matrix without a scale is refused") {
    const auto uniform = [](int diagonal, int other) {
        SubstitutionMatrix::Table table{};
        for (std::size_t a = 0; a < kAminoAcids; ++a) {
            for (std::size_t b = 0; b < kAminoAcids; ++b) {
                table[a][b] = static_cast<std::int8_t>(a == b ? diagonal : other);
            }
        }
        return SubstitutionMatrix("uniform", table);
    };
    CHECK(replacement_probabilities(uniform(5, -4)).ok());
    for (const auto& [diagonal, other] : {std::pair{5, 1}, {-1, -1}, {0, 0}, {0, -1}}) {
        const Result<ReplacementProbabilities> refused = replacement_probabilities(uniform(diagonal, other));
        REQUIRE_FALSE(refused.ok());
        CHECK(
            refused.status().message() ==
            "the matrix uniform cannot be turned into probabilities: its mean score has to be negative and its highest "
            "positive; use BLOSUM62 or another matrix of that kind");
    }
}

}  // namespace
}  // namespace warpseq
