#include "libcore/base/progress_counter.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <thread>
#include <vector>

using namespace warpseq;

namespace {

class Told final : public Progress {
   public:
    void update(std::uint64_t done) override { all.push_back(done); }
    std::vector<std::uint64_t> all;
};

}  // namespace

TEST_CASE("the units of all threads add up, and the sum never decreases") {
    Told told;
    ProgressCounter counter(told);
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&] {
                for (int i = 0; i < 1000; ++i) counter.add(3);
            });
        }
    }
    counter.add(0);
    CHECK(std::ranges::is_sorted(told.all));
    CHECK(told.all.back() == 12'000);
}

TEST_CASE("a stage counts for its units, whatever its weight") {
    Told told;
    ProgressCounter counter(told);
    {
        ProgressStage stage(counter, 100, 3);
        for (const std::uint64_t done : {33u, 66u, 99u}) {
            stage.add(1);
            CHECK(told.all.back() == done);
        }
        stage.add(5);  // more than there is
        CHECK(told.all.back() == 100);
    }
    CHECK(told.all.back() == 100);
    { const ProgressStage without_work(counter, 50, 0); }
    CHECK(told.all.back() == 150);
    { ProgressStage(counter, 0, 7).add(7); }
    CHECK(told.all.back() == 150);
}
