#include "apps/search/hit_list.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

#include "libcore/random.h"

using namespace warpseq;

TEST_CASE("E-value first, then score, then database and input position") {
    const Hit better{1e-9, 50, 1, 9, 9}, higher{1e-3, 60, 1, 9, 9}, lower{1e-3, 50, 0, 0, 5}, later{1e-3, 50, 0, 0, 6};
    CHECK(reported_before(better, higher));
    CHECK(reported_before(higher, lower));
    CHECK(reported_before(lower, later));
    CHECK_FALSE(reported_before(later, lower));
    CHECK_FALSE(reported_before(lower, lower));
}

TEST_CASE("the best of many, whatever the order and however they are split") {
    Random random(5);
    std::vector<Hit> all;
    for (std::uint64_t i = 0; i < 20000; ++i) {
        const auto score = static_cast<std::int32_t>(random.below(300));
        all.push_back({1.0 / (1 + score), score, static_cast<std::uint32_t>(random.below(2)), i, i});
    }
    auto sorted = all;
    std::ranges::sort(sorted, reported_before);
    for (const std::uint64_t limit : {0u, 1u, 100u, 19999u, 30000u}) {
        for (int round = 0; round < 3; ++round) {
            for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
            HitList one(limit), two(limit);
            for (std::size_t i = 0; i < all.size(); ++i) (i % 3 == 0 ? one : two).add(all[i]);
            one.merge(std::move(two));
            const auto hits = one.take_sorted();
            const std::size_t expected = limit == 0 ? all.size() : std::min<std::size_t>(limit, all.size());
            REQUIRE(hits.size() == expected);
            bool same = true;
            for (std::size_t i = 0; i < expected; ++i)
                same = same && hits[i].input_position == sorted[i].input_position;
            CHECK(same);
        }
    }
}
