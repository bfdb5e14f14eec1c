// Small integers as bit patterns of half-precision numbers.
#include "kernels/gpu/half_bits.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

using namespace warpseq::cuda;

namespace {

/// Returns the value of a half-precision number: sign, 5 bits of exponent, 10 bits of fraction.
double value_of(std::uint32_t bits) {
    const int exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
    const double magnitude = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 != 0 ? -magnitude : magnitude;
}

}  // namespace

TEST_CASE("integers are the half-precision numbers n * 2^-24") {
    for (int n = -2048; n <= 2048; ++n) {
        CHECK(half_bits(n) <= 0xffff);
        CHECK(value_of(half_bits(n)) == std::ldexp(n, -24));
    }
    CHECK(value_of(half_bits(2049)) != std::ldexp(2049, -24));  // the first one whose bits stand for another number
}
