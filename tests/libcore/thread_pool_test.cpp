#include "libcore/thread_pool.h"

#include <doctest/doctest.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

using namespace warpseq;

TEST_CASE("every index once, loop after loop, with any number of threads") {
    for (const unsigned threads : {1u, 2u, 5u}) {
        ThreadPool pool(threads);
        CHECK(pool.threads() == threads);
        for (const std::uint64_t count : {0u, 1u, 2u, 1000u}) {
            std::vector<std::atomic<int>> seen(count);
            std::vector<std::atomic<int>> inside(threads);
            std::atomic<bool> clash = false;
            pool.parallel_for(count, [&](std::uint64_t index, unsigned thread) {
                if (thread >= threads || ++inside[thread] != 1) clash = true;
                ++seen[index];
                --inside[thread];
            });
            CHECK_FALSE(clash);
            for (const auto& times : seen) CHECK(times == 1);
        }
    }
}

TEST_CASE("loops of several callers side by side") {
    for (const unsigned threads : {1u, 3u}) {
        ThreadPool pool(threads);
        std::vector<std::atomic<int>> inside(threads);
        std::atomic<bool> clash = false;
        std::atomic<int> done = 0;
        std::vector<std::thread> callers;
        for (int caller = 0; caller < 4; ++caller) {
            callers.emplace_back([&] {
                for (int loop = 0; loop < 200; ++loop) {
                    int own = 0;
                    std::mutex mutex;
                    pool.parallel_for(7, [&](std::uint64_t, unsigned thread) {
                        if (thread >= threads || ++inside[thread] != 1) clash = true;
                        {
                            const std::lock_guard lock(mutex);
                            ++own;
                        }
                        --inside[thread];
                    });
                    if (own == 7) ++done;
                }
            });
        }
        for (std::thread& caller : callers) caller.join();
        CHECK_FALSE(clash);
        CHECK(done == 4 * 200);
    }
}

TEST_CASE("this machine has a thread") { CHECK(ThreadPool::hardware_threads() >= 1); }
