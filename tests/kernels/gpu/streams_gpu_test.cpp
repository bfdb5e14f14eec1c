// Owners of streams and events, the fan of streams, and the guard of enqueued work. Functions on
// the host stand for kernels, because they can be as slow as a test needs.
#include "kernels/gpu/streams.cuh"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>

#include "tests/support/gpu.h"

using namespace warpseq;
using namespace warpseq::testing;
using cuda::Event;
using cuda::Stream;

namespace {

/// Enqueues a function that waits for a while and then counts up.
void enqueue_slow(cudaStream_t stream, std::atomic<int>& count) {
    const auto run = [](void* counter) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        ++*static_cast<std::atomic<int>*>(counter);
    };
    REQUIRE(cudaLaunchHostFunc(stream, run, &count) == cudaSuccess);
}

/// The count that a stream saw when it came to the point of enqueue_look().
struct Look {
    const std::atomic<int>& count;
    int seen = -1;
};
void enqueue_look(cudaStream_t stream, Look& look) {
    const auto run = [](void* to) {
        auto& at = *static_cast<Look*>(to);
        at.seen = at.count;
    };
    REQUIRE(cudaLaunchHostFunc(stream, run, &look) == cudaSuccess);
}

}  // namespace

TEST_CASE("streams and events move, and an event orders two streams") {
    if (!have_gpu()) return;
    Stream one, two;
    REQUIRE(one.open(0).ok());
    REQUIRE(two.open(0).ok());
    const cudaStream_t raw = one.get();
    CHECK(one.open(0).ok());  // does nothing
    CHECK(one.get() == raw);
    Stream moved(std::move(one));
    CHECK_FALSE(one.is_open());
    CHECK(moved.get() == raw);
    one = std::move(moved);
    CHECK(one.get() == raw);

    Event event;
    REQUIRE(event.open(0, Event::Kind::kOrder).ok());
    CHECK(event.wait("nothing failed").ok());  // never recorded
    std::atomic<int> count{0};
    Look look{count};
    enqueue_slow(one.get(), count);
    REQUIRE(event.record(one.get()).ok());
    const auto happened = event.has_happened("nothing failed");
    REQUIRE(happened.ok());
    CHECK_FALSE(*happened);
    CHECK(cudaGetLastError() == cudaSuccess);
    REQUIRE(event.delay(two.get()).ok());
    enqueue_look(two.get(), look);
    REQUIRE(two.wait("nothing failed").ok());
    CHECK(look.seen == 1);
    CHECK(*event.has_happened("nothing failed"));
}

TEST_CASE("events of a kind have a time") {
    if (!have_gpu()) return;
    Stream stream;
    Event begun, ended;
    REQUIRE(stream.open(0).ok());
    for (Event* event : {&begun, &ended}) REQUIRE(event->open(0, Event::Kind::kTime).ok());
    std::atomic<int> count{0};
    REQUIRE(begun.record(stream.get()).ok());
    enqueue_slow(stream.get(), count);
    REQUIRE(ended.record(stream.get()).ok());
    REQUIRE(ended.wait("nothing failed").ok());
    const auto milliseconds = cuda::milliseconds_between(begun, ended);
    REQUIRE(milliseconds.ok());
    CHECK(*milliseconds > 40);
}

TEST_CASE("branches run after earlier work and before later work, also if the enqueuing function fails") {
    if (!have_gpu()) return;
    Stream stream;
    cuda::StreamFan fan;
    REQUIRE(stream.open(0).ok());
    REQUIRE(fan.open(0, 3).ok());
    CHECK(fan.size() == 3);
    CHECK(fan.branch(4) == fan.branch(1));
    enum class End { kOk, kError, kException, kNoMemory };
    for (const End end : {End::kOk, End::kError, End::kException, End::kNoMemory}) {
        std::atomic<int> count{0};
        Look first{count}, last{count};
        enqueue_slow(stream.get(), count);
        const Status status = fan.run(stream.get(), 2, [&]() -> Status {
            enqueue_look(fan.branch(0), first);
            enqueue_slow(fan.branch(0), count);
            enqueue_slow(fan.branch(1), count);
            if (end == End::kError) return Status::unavailable("on purpose");
            if (end == End::kException) throw std::runtime_error("on purpose");
            if (end == End::kNoMemory) throw std::bad_alloc();
            return {};
        });
        enqueue_look(stream.get(), last);
        REQUIRE(stream.wait("nothing failed").ok());
        CHECK(first.seen == 1);
        CHECK(last.seen == 3);
        CHECK(status.ok() == (end == End::kOk));
        if (end == End::kNoMemory) CHECK(status.code() == StatusCode::kOutOfMemory);
        if (end == End::kError) CHECK(status.message() == "on purpose");
    }
}

TEST_CASE("a call that ends in the middle waits for its work") {
    if (!have_gpu()) return;
    Stream stream;
    REQUIRE(stream.open(0).ok());
    std::atomic<int> count{0};
    try {
        const cuda::EnqueuedWork work(0);
        enqueue_slow(stream.get(), count);
        throw std::runtime_error("on purpose");
    } catch (const std::runtime_error&) {
        CHECK(count == 1);
    }
    {
        cuda::EnqueuedWork work(0);
        enqueue_slow(stream.get(), count);
        REQUIRE(work.wait(stream.get(), "nothing failed").ok());
        CHECK(count == 2);
    }
}
