#include "libcore/base/stop_scope.h"

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <stop_token>
#include <thread>

#include "libcore/base/async_in_scope.h"
#include "libcore/base/thread_pool.h"

using namespace warpseq;

TEST_CASE("a scope gives its thread a stop token, and scopes nest") {
    std::stop_source outer, inner;
    CHECK(!StopScope::current().stop_possible());
    {
        const StopScope scope(outer.get_token());
        CHECK(StopScope::current() == outer.get_token());
        {
            const StopScope nested(inner.get_token());
            CHECK(StopScope::current() == inner.get_token());
        }
        CHECK(StopScope::current() == outer.get_token());
        bool is_possible_elsewhere = true;
        std::thread([&] { is_possible_elsewhere = StopScope::current().stop_possible(); }).join();
        CHECK(!is_possible_elsewhere);
    }
    CHECK(!StopScope::current().stop_possible());
}

TEST_CASE("work that is started in a scope has its token, in a thread of its own or a deferred one") {
    for (const std::launch policy : {std::launch::async, std::launch::deferred}) {
        std::stop_source source;
        auto token = [&] {
            const StopScope scope(source.get_token());
            return async_in_scope(policy, [] { return StopScope::current(); });
        }();
        CHECK(token.get() == source.get_token());
        CHECK(!StopScope::current().stop_possible());
    }
}

TEST_CASE("the threads of a pool have the token of the thread that runs the loop") {
    std::stop_source source;
    const ThreadPool pool(4);
    std::atomic<int> with_token = 0, with_others = 0;
    const auto count = [&] {
        return pool.parallel_for(1000, [&](std::uint64_t, unsigned) {
            ++(StopScope::current() == source.get_token() ? with_token : with_others);
            std::this_thread::yield();
        });
    };
    {
        const StopScope scope(source.get_token());
        REQUIRE(count().ok());
    }
    CHECK(with_token == 1000);
    REQUIRE(count().ok());
    CHECK(with_others == 1000);
}
