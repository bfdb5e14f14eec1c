// Karlin and Altschul's lambda in cases with a closed form, and in cases without a lambda.
#include "libcore/statistics/score_distribution.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace warpseq;

TEST_CASE("scores of plus and minus one: lambda is the logarithm of the odds") {
    const ScoreDistribution scores(-1, {0.7, 0.1, 0.2});
    CHECK(scores.highest() == 1);
    CHECK(scores.mean() == doctest::Approx(-0.5));
    CHECK(scores.step() == 1);
    for (const double guess : {0.1, 0.5, 3.0})
        CHECK(*scores.lambda(guess) == doctest::Approx(std::log(0.7 / 0.2)).epsilon(1e-4));
}

TEST_CASE("a common divisor of the scores divides lambda") {
    const ScoreDistribution scores(-3, {0.7, 0, 0, 0.1, 0, 0, 0.2});
    CHECK(scores.step() == 3);
    CHECK(*scores.lambda(0.5) == doctest::Approx(std::log(0.7 / 0.2) / 3).epsilon(1e-4));
}

TEST_CASE("no lambda for scores that are not negative on average, or never negative") {
    CHECK(!ScoreDistribution(-1, {0.5, 0, 0.5}).lambda(0.5));
    CHECK(!ScoreDistribution(-1, {0.2, 0, 0.8}).lambda(0.5));
    CHECK(!ScoreDistribution(0, {1.0}).lambda(0.5));
}
