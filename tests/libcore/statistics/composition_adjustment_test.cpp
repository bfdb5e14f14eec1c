// Composition-based adjustment, compared with alignments that blastp 2.12 printed. Also, properties
// of the adjusted scores.
#include "libcore/statistics/composition_adjustment.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string_view>

#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "libcore/sequence/seg.h"
#include "libcore/statistics/karlin_altschul.h"
#include "tests/support/random_proteins.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

constexpr std::uint64_t kDatabaseResidues = 9'055'569;

CompositionAdjuster adjuster(CompositionMode mode, std::string_view matrix = "BLOSUM62") {
    return *CompositionAdjuster::create(*builtin_matrix(matrix), mode);
}

/// An alignment without gaps that blastp printed with -comp_based_stats `mode`, with both whole
/// sequences.
struct Printed {
    CompositionMode mode;
    std::string_view query, target;
    std::size_t query_begin, target_begin, pairs;
    int score;
    double evalue;
};

constexpr std::string_view kDermaseptin = "ALWKDVLKKIGTVALHAGKAALGAVADTISQ";
constexpr std::string_view kDermaseptinPrecursor =
    "MDILKKSLFLVLFLGLVSLSICEEEKRENEDEEKQEDDEQSEMKRALWKTMLKKLGTMALHAGKAALGAAADTISQGTQ";
constexpr std::string_view kAtpSynthase =
    "MKKYSTAFIMLMMVAGAVSAAFAGEGATADAMARAIFYGGVAIGAGVAIGAAAGGGAAGLGNAIRGVLEGMARNPNMGGKLLTTMFIGMALIETFVLYGL"
    "LIAIIFLFTGIFDGKAGF";
constexpr std::string_view kAtpSynthaseOfAnother =
    "MDLVALKFIAIGLAVFGMLGAGLGIANIFSAMLNGIARNPESEGKMKSYVYIGAAMVEIMGLLAFVLAMLLIFAA";

const Printed kPrinted[] = {
    {CompositionMode::kScaled, kDermaseptin, kDermaseptinPrecursor, 0, 45, 31, 72, 6.23e-4},
    {CompositionMode::kConditional, kDermaseptin, kDermaseptinPrecursor, 0, 45, 31, 82, 1.88e-5},
    {CompositionMode::kOptimized, kDermaseptin, kDermaseptinPrecursor, 0, 45, 31, 82, 1.88e-5},
    {CompositionMode::kConditional, kAtpSynthase, kAtpSynthaseOfAnother, 54, 19, 54, 84, 1.67e-4},
};

}  // namespace

TEST_CASE("scores and E-values that blastp printed") {
    const ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    const auto statistics = *AlignmentStatistics::find(scheme);
    for (const Printed& printed : kPrinted) {
        const auto query = encode_residues(printed.query);
        auto target = encode_residues(printed.target);
        for (const SegStretch& stretch : seg_stretches(target, {10, 1.8, 2.1})) {
            for (std::size_t k = stretch.begin; k < stretch.end; ++k) target[k] = kCodeX;
        }
        ScoreTable scores;
        REQUIRE(adjuster(printed.mode)
                    .adjust(composition_of(query), query.size(), composition_of(target), target.size(), scores));
        int score = 0;
        for (std::size_t k = 0; k < printed.pairs; ++k)
            score += scores[query[printed.query_begin + k]][target[printed.target_begin + k]];
        CAPTURE(static_cast<int>(printed.mode));
        const double raw = static_cast<double>(score) / kAdjustedScale;
        CHECK(std::lround(raw) == printed.score);
        // One unit of the adjusted scores is 0.8 % of an E-value. Three digits were printed.
        CHECK(statistics.evalue(raw, query.size(), target.size(), kDatabaseResidues) ==
              doctest::Approx(printed.evalue).epsilon(0.004));
    }
}

TEST_CASE("compositions: U is C, what is not an amino acid does not count") {
    const Composition composition = composition_of(encode_residues("CCUAXBZ*OA"));
    CHECK(composition.residues == 5);
    CHECK(composition.frequency[kCodeC] == doctest::Approx(0.6));
    CHECK(composition.frequency[0] == doctest::Approx(0.4));
    CHECK(composition_of({}).residues == 0);
    CHECK(composition_of(encode_residues("XX*")).residues == 0);
}

TEST_CASE("without an amino acid there is nothing to adjust by") {
    ScoreTable scores;
    const Composition some = composition_of(encode_residues("MKTAYIAKQRQISFVKSHFSRQ")),
                      none = composition_of(encode_residues("XXXX"));
    for (const CompositionMode mode :
         {CompositionMode::kScaled, CompositionMode::kConditional, CompositionMode::kOptimized}) {
        CHECK(!adjuster(mode).adjust(none, 4, some, 22, scores));
        CHECK(!adjuster(mode).adjust(some, 22, none, 4, scores));
    }
}

TEST_CASE("scores are scaled only for unlike compositions and lengths, and never if two letters dominate") {
    ScoreTable scores;
    Random random(29);
    const Sequence usual = random_protein(random, 400);
    const Composition composition = composition_of(usual);
    const Composition odd = composition_of(encode_residues("WWCCHHYYMMFFPPQQNN"));
    const CompositionAdjuster conditional = adjuster(CompositionMode::kConditional);
    CHECK(conditional.adjust(composition, 400, composition, 400, scores) == CompositionAdjuster::Rule::kOptimized);
    CHECK(conditional.adjust(odd, 18, composition, 400, scores) == CompositionAdjuster::Rule::kScaled);
    CHECK(conditional.adjust(composition, 400, odd, 18, scores) == CompositionAdjuster::Rule::kScaled);
    CHECK(conditional.adjust(odd, 200, composition, 400, scores) == CompositionAdjuster::Rule::kOptimized);
    const Composition two_letters = composition_of(encode_residues("WWWWWWCCCCCC"));
    CHECK(conditional.adjust(two_letters, 60, composition, 400, scores) == CompositionAdjuster::Rule::kOptimized);
    CHECK(adjuster(CompositionMode::kOptimized).adjust(odd, 18, composition, 400, scores) ==
          CompositionAdjuster::Rule::kOptimized);
    CHECK(adjuster(CompositionMode::kScaled).adjust(composition, 400, composition, 400, scores) ==
          CompositionAdjuster::Rule::kScaled);
}

TEST_CASE("adjusted scores: symmetric in the sequences, U as C, O as X, and near the matrix for usual compositions") {
    Random random(31);
    for (const char* name : {"BLOSUM45", "BLOSUM50", "BLOSUM62", "BLOSUM80", "BLOSUM90", "PAM30", "PAM70", "PAM250"}) {
        CAPTURE(name);
        const SubstitutionMatrix matrix = *builtin_matrix(name);
        const Composition a = composition_of(random_protein(random, 2000)),
                          b = composition_of(random_protein(random, 2000));
        for (const CompositionMode mode : {CompositionMode::kScaled, CompositionMode::kConditional}) {
            ScoreTable one, other;
            REQUIRE(adjuster(mode, name).adjust(a, 2000, b, 2000, one));
            REQUIRE(adjuster(mode, name).adjust(b, 2000, a, 2000, other));
            double difference = 0;
            for (std::size_t q = 0; q < kResidueCodes; ++q) {
                CHECK(one[q][kCodeU] == one[q][kCodeC]);
                CHECK(one[q][kCodeO] == one[q][kCodeX]);
                for (std::size_t t = 0; t < kResidueCodes; ++t) {
                    // Newton's steps end within a tolerance, which may change how a score is
                    // rounded.
                    CHECK(std::abs(one[q][t] - other[t][q]) <= 1);
                    if (q >= kAminoAcids || t >= kAminoAcids) continue;
                    difference += std::abs(static_cast<double>(one[q][t]) / kAdjustedScale -
                                           matrix.score_raw(static_cast<ResidueCode>(q), static_cast<ResidueCode>(t)));
                }
            }
            if (mode == CompositionMode::kScaled) CHECK(difference / (kAminoAcids * kAminoAcids) < 0.5);
            CHECK(one[kPaddingCode][0] < -30'000);
        }
    }
}

TEST_CASE("matrices without frequencies have no adjuster") {
    const SubstitutionMatrix custom("custom", builtin_matrix("BLOSUM62")->table());
    CHECK(!CompositionAdjuster::create(custom, CompositionMode::kConditional));
}
