// Sets of positions: their elements, and how many are below each.
#include "formats/io/position_set.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <set>

namespace warpseq {
namespace {

TEST_CASE("The index of a position is the number of positions below it") {
    std::mt19937_64 random(11);
    for (const std::uint64_t range : {1u, 63u, 64u, 65u, 511u, 512u, 513u, 5000u}) {
        for (const std::uint64_t begun : {std::uint64_t{0}, range / 2, range}) {
            PositionSet set;
            std::set<std::uint64_t> expected;
            set.insert_all_below(begun);
            for (std::uint64_t position = 0; position < begun; ++position) expected.insert(position);
            for (std::uint64_t n = 0; n < range / 2 + 1; ++n) {
                const std::uint64_t position = random() % range;
                CHECK(set.has(position) == expected.contains(position));
                set.insert(position);
                expected.insert(position);
            }
            set.count();
            std::uint64_t index = 0;
            for (const std::uint64_t position : expected) CHECK(set.index_of(position) == index++);
            CHECK(!set.has(range + 1000));
        }
    }
}

}  // namespace
}  // namespace warpseq
