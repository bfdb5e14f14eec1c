#include "libcore/base/memory_budget.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

using namespace warpseq;

TEST_CASE("threads that share a budget never hold more than it has, unless one is alone") {
    MemoryBudget budget(100);
    std::atomic<int> held = 0, holders = 0, most_held = 0, oversized_in_company = 0, grants = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (int round = 0; round < 500; ++round) {
                const int bytes = t == 0 && round % 10 == 0 ? 250 : 1 + (37 * round + 11 * t) % 100;
                const auto grant = budget.take(static_cast<std::uint64_t>(bytes));
                const int now = held += bytes;
                const int company = ++holders;
                if (bytes > 100) {
                    oversized_in_company += company > 1;
                } else {
                    for (int most = most_held; most < now && !most_held.compare_exchange_weak(most, now);) {
                    }
                }
                ++grants;
                std::this_thread::yield();
                --holders;
                held -= bytes;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(grants == 2000);
    CHECK(most_held <= 100);
    CHECK(most_held > 50);
    CHECK(oversized_in_company == 0);
}

TEST_CASE("a grant is given back when it goes, or when another takes its place") {
    MemoryBudget budget(10);
    {
        MemoryBudget::Grant a = budget.take(6);
        MemoryBudget::Grant b = std::move(a);
        a = budget.take(4);
        b = MemoryBudget::Grant();
        const auto c = budget.take(6);
    }
    const auto all = budget.take(10);  // would wait for ever
}
