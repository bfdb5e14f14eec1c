#include "libcore/base/ordered_sample.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace warpseq {
namespace {

TEST_CASE("samples rise and stay below the population") {
    std::mt19937_64 generator(42);
    for (const std::uint64_t population : {1u, 2u, 10u, 1000u, 100'000u}) {
        for (const std::uint64_t count :
             {std::uint64_t{1}, std::uint64_t{2}, population / 20, population / 2, population}) {
            if (count == 0 || count > population) continue;
            const std::vector<std::uint64_t> sample = ordered_sample(generator, count, population);
            REQUIRE(sample.size() == count);
            CHECK(sample.back() < population);
            for (std::size_t i = 1; i < sample.size(); ++i) REQUIRE(sample[i - 1] < sample[i]);
        }
    }
}

TEST_CASE("every number is drawn as often as any other") {
    constexpr std::uint64_t kCount = 3, kPopulation = 60, kDraws = 20'000;  // methods D and then A
    std::mt19937_64 generator(1);
    std::vector<int> drawn(kPopulation);
    for (std::uint64_t i = 0; i < kDraws; ++i) {
        for (const std::uint64_t number : ordered_sample(generator, kCount, kPopulation)) ++drawn[number];
    }
    for (const int count : drawn) {
        CHECK(count > 850);
        CHECK(count < 1150);
    }
}

TEST_CASE("a seed gives the numbers that HMMER draws") {
    std::mt19937_64 generator(42);
    const std::vector<std::uint64_t> sample = ordered_sample(generator, 10'000, 60'000);
    CHECK(std::vector(sample.begin(), sample.begin() + 8) == std::vector<std::uint64_t>{2, 4, 15, 16, 29, 33, 39, 47});
    CHECK(sample.back() == 59996);
}

}  // namespace
}  // namespace warpseq
