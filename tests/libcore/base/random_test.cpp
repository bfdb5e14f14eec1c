#include "libcore/base/random.h"

#include <doctest/doctest.h>

using namespace warpseq;

TEST_CASE("the published sequence of SplitMix64") {
    Random random(1234567);
    CHECK(random.next() == 6457827717110365317u);
    CHECK(random.next() == 3203168211198807973u);
    CHECK(random.next() == 9817491932198370423u);
}

TEST_CASE("ranges and moments") {
    Random random(1);
    double sum = 0, squares = 0, uniform = 0;
    constexpr int kDraws = 100000;
    for (int i = 0; i < kDraws; ++i) {
        CHECK(random.below(7) < 7);
        const double normal = random.normal();
        sum += normal;
        squares += normal * normal;
        uniform += random.uniform();
    }
    CHECK(sum / kDraws == doctest::Approx(0).epsilon(0.02));
    CHECK(squares / kDraws == doctest::Approx(1).epsilon(0.02));
    CHECK(uniform / kDraws == doctest::Approx(0.5).epsilon(0.02));
}
