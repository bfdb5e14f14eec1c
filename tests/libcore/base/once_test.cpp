#include "libcore/base/once.h"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

TEST_CASE("work is done once, and every thread that asked for it sees what it made") {
    warpseq::Once once;
    std::atomic<int> runs = 0;
    int made = 0;
    std::atomic<int> wrong = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back([&] {
                once.call([&] {
                    ++runs;
                    std::this_thread::yield();
                    made = 42;
                });
                if (made != 42) ++wrong;
            });
    }
    CHECK(runs == 1);
    CHECK(wrong == 0);
}

TEST_CASE("work that throws is tried again by the next call") {
    warpseq::Once once;
    int runs = 0;
    const auto work = [&] {
        if (++runs == 1) throw std::runtime_error("no memory");
    };
    CHECK_THROWS_AS(once.call(work), std::runtime_error);
    once.call(work);
    once.call(work);
    CHECK(runs == 2);
}
