#include "libcore/base/draw_seed.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <set>

using namespace warpseq;

TEST_CASE("seeds are not 0 and differ") {
    std::set<std::uint32_t> seeds;
    for (int draw = 0; draw < 100; ++draw) seeds.insert(draw_seed());
    CHECK(seeds.count(0) == 0);
    CHECK(seeds.size() > 90);  // two equal ones of 100 have a probability of one in a million
}
