// Null models, bias and tail probabilities, compared with values that HMMER 3.3.2's own functions
// gave.
#include "libcore/statistics/null_model.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <limits>

#include "formats/profiles/hmm_file.h"
#include "libcore/base/compensated_sum.h"
#include "libcore/base/linear_congruential.h"
#include "libcore/statistics/extreme_value.h"
#include "tests/support/golden_folder.h"

using namespace warpseq;

TEST_CASE("null1, bit for bit") {
    CHECK(null1_score_nats(1) == -0x1.62e43p+0f);
    CHECK(null1_score_nats(2) == -0x1.e8d7c8p+0f);
    CHECK(null1_score_nats(100) == -0x1.670cc2p+2f);
    CHECK(null1_score_nats(400) == -0x1.bf889ep+2f);
    CHECK(null1_score_nats(35213) == -0x1.6f039p+3f);
}

TEST_CASE("the bias filter, bit for bit, degenerate letters included") {
    HmmFileReader reader(testing::golden_folder() / "hmm" / "every-field-3f.hmm");
    ProfileHmm hmm;
    const auto read = reader.next(hmm);
    REQUIRE((read.ok() && *read));
    const auto target = encode_residues("MKVLAWWWDDEEXBCCHHHHHHUOGGPSTYQQQNRRIIFF");
    CHECK(BiasFilter(hmm.length, hmm.composition).score_nats(target) == -0x1.2da8ap-3f);
    // A model with unknown composition explains less than null1.
    std::array<float, kAminoAcids> unknown;
    unknown.fill(kUnknownComposition);
    CHECK(BiasFilter(hmm.length, unknown).score_nats(target) < null1_score_nats(target.size()));
}

TEST_CASE("the table of log(1 + e^x), bit for bit") {
    CHECK(table_logsum_nats(0, -20) == 0.0f);
    CHECK(table_logsum_nats(0, -5.5412f) == 0x1.00919cp-8f);
    CHECK(table_logsum_nats(0, -0.1f) == 0x1.49ee5cp-1f);
    CHECK(table_logsum_nats(0, 0) == 0x1.62e43p-1f);
    CHECK(table_logsum_nats(0, 3.25f) == 0x1.a4de8ap+1f);
    CHECK(table_logsum_nats(12.5f, 0) == 0x1.900008p+3f);
    CHECK(table_logsum_nats(0, 15.65f) == 0x1.f4ccccp+3f);
    CHECK(table_logsum_nats(0, 15.75f) == 0x1.f8p+3f);
    CHECK(table_logsum_nats(-std::numeric_limits<float>::infinity(), 2.0f) == 2.0f);
}

TEST_CASE("tail probabilities and E-values") {
    CHECK(gumbel_survival(std::numeric_limits<double>::infinity(), -4, 0.7) == 0.0);
    CHECK(gumbel_survival(-4, -4, 0.7) == doctest::Approx(1 - std::exp(-1.0)));
    CHECK(gumbel_survival(40, -4, 0.7) == doctest::Approx(std::exp(-0.7 * 44)));
    CHECK(exponential_survival(-5, -3, 0.7) == 1.0);
    CHECK(exponential_survival(5, -3, 0.7) == doctest::Approx(std::exp(-5.6)));
    CHECK(exponential_log_survival(5, -3, 0.7) == doctest::Approx(-5.6));
    CHECK(evalue_of(std::log(1e-10), 1000) == doctest::Approx(1e-7));
    // Below the least normal double, P and E are 0.
    CHECK(evalue_of(-720, 1e12) == 0.0);
    CHECK(evalue_of(-690, 1e-20) == 0.0);
    CHECK(evalue_of(-700, 1) > 0.0);
}

TEST_CASE("compensated sums keep what plain ones lose") {
    std::vector<float> values(100001, 1e-4f);
    values[0] = 1e4f;
    float plain = 0;
    for (const float value : values) plain += value;
    CHECK(compensated_sum(values) == doctest::Approx(10010.0).epsilon(1e-7));
    CHECK(plain != doctest::Approx(10010.0).epsilon(1e-5));
}

TEST_CASE("the generator is linear and congruent") {
    LinearCongruential a(42), b(42), c(43);
    const double first = a.uniform();
    CHECK(first == b.uniform());
    CHECK(first != c.uniform());
    const auto state = static_cast<std::uint32_t>(first * 4294967296.0);
    CHECK(a.uniform() == static_cast<double>(state * 69069u + 1u) / 4294967296.0);
}
