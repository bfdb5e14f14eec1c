#include "libcore/base/thread_pool.h"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <pthread.h>
#include <memory>
#include <stop_token>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <limits>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {
/// The number of further threads that the system starts before it refuses.
std::atomic<unsigned> threads_left = std::numeric_limits<unsigned>::max();
}  // namespace

/// Replaces the C library's pthread_create(), also for std::thread.
extern "C" [[gnu::visibility("default")]] int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                                             void* (*start)(void*), void* argument) noexcept {
    static const auto create = reinterpret_cast<decltype(&pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"));
    if (threads_left == 0) return EAGAIN;
    --threads_left;
    return create(thread, attributes, start, argument);
}

using namespace warpseq;

TEST_CASE("every index once, loop after loop, with any number of threads") {
    for (const unsigned threads : {1u, 2u, 5u}) {
        ThreadPool pool(threads);
        CHECK(pool.threads() == threads);
        for (const std::uint64_t count : {0u, 1u, 2u, 1000u}) {
            std::vector<std::atomic<int>> seen(count);
            std::vector<std::atomic<int>> inside(threads);
            std::atomic<bool> clash = false;
            const Status status = pool.parallel_for(count, [&](std::uint64_t index, unsigned thread) {
                if (thread >= threads || ++inside[thread] != 1) clash = true;
                ++seen[index];
                --inside[thread];
            });
            CHECK(status.ok());
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
                    const Status status = pool.parallel_for(7, [&](std::uint64_t, unsigned thread) {
                        if (thread >= threads || ++inside[thread] != 1) clash = true;
                        {
                            const std::lock_guard lock(mutex);
                            ++own;
                        }
                        --inside[thread];
                    });
                    if (status.ok() && own == 7) ++done;
                }
            });
        }
        for (std::thread& caller : callers) caller.join();
        CHECK_FALSE(clash);
        CHECK(done == 4 * 200);
    }
}

TEST_CASE("the error of the lowest index, returned or thrown, ends a loop; it does not affect the next loop") {
    for (const unsigned threads : {1u, 2u, 5u}) {
        ThreadPool pool(threads);
        for (int kind = 0; kind < 4; ++kind) {
            std::atomic<std::uint64_t> done = 0;
            const auto work = [&](std::uint64_t index, unsigned) -> Status {
                if (index < 40) std::this_thread::sleep_for(std::chrono::microseconds(index % 7 * 10));
                ++done;
                if (index < 40 || index % 2 == 1) return {};
                if (kind == 1) throw std::bad_alloc();
                if (kind == 2) throw std::runtime_error("at " + std::to_string(index));
                if (kind == 3) throw kind;
                return Status::io("at " + std::to_string(index));
            };
            const Status status = pool.parallel_for(std::uint64_t{1} << 40, work);
            CHECK(done >= 41);
            CHECK(done <= 41 + 2 * threads);
            const StatusCode code = kind == 0   ? StatusCode::kIo
                                    : kind == 1 ? StatusCode::kOutOfMemory
                                                : StatusCode::kUnavailable;
            CHECK(status.code() == code);
            if (kind == 0 || kind == 2) CHECK(status.message() == "at 40");
            if (kind == 1) CHECK(status.message() == "out of memory");
            CHECK(pool.parallel_for(100, [&](std::uint64_t, unsigned) { ++done; }).ok());
        }
    }
}

TEST_CASE("an error of one caller's loop is not another's") {
    ThreadPool pool(3);
    std::vector<std::thread> callers;
    std::atomic<int> right = 0;
    for (int caller = 0; caller < 4; ++caller) {
        callers.emplace_back([&, caller] {
            for (int loop = 0; loop < 100; ++loop) {
                const Status status = pool.parallel_for(20, [&](std::uint64_t index, unsigned) {
                    if (caller % 2 == 1 && index >= 5) throw std::runtime_error(std::to_string(index));
                });
                if (caller % 2 == 1 ? status.message() == "5" : status.ok()) ++right;
            }
        });
    }
    for (std::thread& caller : callers) caller.join();
    CHECK(right == 400);
}

TEST_CASE("a loop that is stopped hands out no more indices and says so; others of the same threads go on") {
    ThreadPool pool(3);
    for (const std::uint64_t stop_at : {0U, 1U, 500U}) {
        std::stop_source source;
        const ThreadPool stoppable = pool.with_stop(source.get_token());
        CHECK(stoppable.threads() == pool.threads());
        if (stop_at == 0) source.request_stop();
        std::atomic<std::uint64_t> called = 0, called_after_stop = 0;
        const Status status = stoppable.parallel_for(1'000'000, [&](std::uint64_t, unsigned) {
            if (source.stop_requested()) ++called_after_stop;
            if (++called == stop_at) source.request_stop();
        });
        CHECK(status.code() == StatusCode::kInterrupted);
        CHECK(called >= stop_at);
        // A thread may have looked for the stop just before it came, but only once.
        CHECK(called_after_stop <= pool.threads());
        CHECK(pool.parallel_for(10, [&](std::uint64_t, unsigned) { ++called; }).ok());
    }
    // The first failure is reported.
    std::stop_source source;
    const Status status = pool.with_stop(source.get_token()).parallel_for(1000, [&](std::uint64_t index, unsigned) {
        if (index == 7) source.request_stop();
        return index == 7 ? Status::invalid_input("seven") : Status();
    });
    CHECK(status.code() == StatusCode::kInvalidInput);
    // Work that is finished when the stop comes counts as done.
    std::stop_source late;
    CHECK(pool.with_stop(late.get_token()).parallel_for(5, [](std::uint64_t, unsigned) {}).ok());
}

TEST_CASE("a loop that waits for threads at work on another one hears of its stop") {
    ThreadPool pool(2);
    std::atomic<bool> begun = false, ends = false;
    std::thread other([&] {
        CHECK(pool.parallel_for(2,
                                [&](std::uint64_t, unsigned) {
                                    begun = true;
                                    while (!ends) std::this_thread::yield();
                                })
                  .ok());
    });
    while (!begun) std::this_thread::yield();
    std::stop_source source;
    std::thread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        source.request_stop();
    });
    // Both threads are busy until this returns.
    std::atomic<int> called = 0;
    const Status status =
        pool.with_stop(source.get_token()).parallel_for(5, [&](std::uint64_t, unsigned) { ++called; });
    CHECK(status.code() == StatusCode::kInterrupted);
    CHECK(called == 0);
    ends = true;
    stopper.join();
    other.join();
    CHECK(pool.parallel_for(10, [&](std::uint64_t, unsigned) { ++called; }).ok());
}

TEST_CASE("threads live as long as the last pool that shares them") {
    std::unique_ptr<ThreadPool> pool = std::make_unique<ThreadPool>(3);
    const ThreadPool other = pool->with_stop({});
    pool.reset();
    std::atomic<int> called = 0;
    CHECK(other.parallel_for(100, [&](std::uint64_t, unsigned) { ++called; }).ok());
    CHECK(called == 100);
}

TEST_CASE("a loop within the same pool's work is refused, in another's not") {
    for (const unsigned threads : {1u, 3u}) {
        ThreadPool pool(threads), other(2);
        std::atomic<int> refused = 0, nested = 0;
        const Status status = pool.parallel_for(8, [&](std::uint64_t, unsigned) {
            const auto count = [&](std::uint64_t, unsigned) { ++nested; };
            if (!pool.parallel_for(2, count).ok()) ++refused;
            return other.parallel_for(2, count);
        });
        CHECK(status.ok());
        CHECK(refused == 8);
        CHECK(nested == 16);
        const Status passed_on = pool.parallel_for(
            8, [&](std::uint64_t, unsigned) { return pool.parallel_for(1, [](std::uint64_t, unsigned) {}); });
        CHECK(passed_on.message().find("a parallel loop within another") != std::string::npos);
    }
}

TEST_CASE("threads that cannot be started are done without") {
    pthread_attr_t usual, huge;
    REQUIRE(pthread_getattr_default_np(&usual) == 0);
    REQUIRE(pthread_attr_init(&huge) == 0);
    REQUIRE(pthread_attr_setstacksize(&huge, std::size_t{1} << 47) == 0);  // more than there are addresses
    REQUIRE(pthread_setattr_default_np(&huge) == 0);
    {
        ThreadPool pool(4);
        CHECK(pool.threads() == 1);
        std::uint64_t sum = 0;
        CHECK(pool.parallel_for(10, [&](std::uint64_t index, unsigned thread) { sum += index + thread; }).ok());
        CHECK(sum == 45);
    }
    CHECK(pthread_setattr_default_np(&usual) == 0);
    pthread_attr_destroy(&huge);
    pthread_attr_destroy(&usual);
}

TEST_CASE("a pool is idle except while a loop is worked on") {
    for (const unsigned threads : {1u, 3u}) {
        const ThreadPool pool(threads);
        CHECK(pool.is_idle());
        CHECK(pool.parallel_for(5, [&](std::uint64_t, unsigned) { CHECK_FALSE(pool.is_idle()); }).ok());
        CHECK(pool.is_idle());
    }
}

TEST_CASE("this machine has a thread") { CHECK(ThreadPool::hardware_threads() >= 1); }

TEST_CASE("threads that the system refuses are done without") {
    for (const unsigned started : {0u, 1u, 3u, 7u}) {
        CAPTURE(started);
        threads_left = started;
        ThreadPool pool(8);
        threads_left = std::numeric_limits<unsigned>::max();
        CHECK(pool.threads() == started + 1);
        std::vector<std::atomic<int>> calls(1000);
        std::atomic<bool> unknown_thread = false;
        const Status status = pool.parallel_for(calls.size(), [&](std::uint64_t i, unsigned thread) {
            if (thread > started) unknown_thread = true;
            ++calls[i];
        });
        CHECK(status.ok());
        CHECK_FALSE(unknown_thread);
        CHECK(std::ranges::all_of(calls, [](const auto& count) { return count == 1; }));
    }
}
