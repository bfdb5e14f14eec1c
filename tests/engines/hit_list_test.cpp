#include "engines/hit_list.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "engines/query_set.h"
#include "libcore/base/random.h"

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

TEST_CASE("a list never holds more than it says, and one that was merged holds no hits") {
    Random random(6);
    HitList list(10), other(10);
    for (std::uint64_t i = 0; i < 5000; ++i) {
        HitList& to = i % 2 == 0 ? list : other;
        to.add({0, static_cast<std::int32_t>(random.below(100)), 0, i, i});
    }
    list.merge(std::move(other));
    CHECK(list.take_sorted().size() == 10);
    CHECK(other.take_sorted().empty());  // NOLINT(bugprone-use-after-move): merge() leaves it empty
    CHECK(HitList::most_held(500) == 2024);
    CHECK(HitList::most_held(std::numeric_limits<std::uint64_t>::max()) > std::uint64_t{1} << 48);
}

TEST_CASE("expected hits: relatives and chance, and never more than there are sequences") {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    CHECK(expected_hits(10, 100) == 100);
    CHECK(expected_hits(kInfinity, 123'456'789) == 123'456'789);
    CHECK(expected_hits(0, 1'000'000) == 10'000);
    CHECK(expected_hits(1000, 1'000'000) == 50'000);
}

TEST_CASE("a batch has as many queries as there is room for what they find, and one at least") {
    const QueryBatchLimits limits{.queries = 100, .residues = 5000};
    CHECK(limits.within(1000, 10).queries == 100);
    CHECK(limits.within(1000, 11).queries == 90);
    CHECK(limits.within(1000, 5000).queries == 1);
    CHECK(limits.within(1000, 0).queries == 100);
    CHECK(limits.within(1000, 11).residues == 5000);
}
