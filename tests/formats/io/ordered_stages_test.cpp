// Jobs in turns. They begin and enter in order, run concurrently, are interrupted and continued,
// and end at the first error.
#include "formats/io/ordered_stages.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <vector>

using namespace warpseq;

namespace {

using Begun = OrderedStages::Begun;

/// A number of jobs, each of which has a number.
struct Jobs {
    explicit Jobs(std::size_t slots) : number(slots), worked(slots) {}

    std::uint64_t count = 1000, begun = 0;
    std::vector<std::uint64_t> number;  // by slot
    std::vector<char> worked;           // by slot
    std::vector<std::uint64_t> entered;
    std::atomic<std::uint64_t> on_their_way = 0, most_on_their_way = 0, left = 0;
    std::atomic<int> at_begin = 0, at_enter = 0;

    OrderedStages::Stages stages() {
        return {[this](std::size_t slot) -> Result<Begun> {
                    CHECK(++at_begin == 1);
                    const bool more = begun < count;
                    if (more) {
                        number[slot] = begun++;
                        worked[slot] = 0;
                        const std::uint64_t now = ++on_their_way;
                        if (now > most_on_their_way) most_on_their_way = now;
                    }
                    --at_begin;
                    return more ? Begun::kYes : Begun::kNoMore;
                },
                [this](std::size_t slot, unsigned) {
                    worked[slot] = 1;
                    return Status();
                },
                [this](std::size_t slot) -> Result<bool> {
                    CHECK(++at_enter == 1);
                    CHECK(worked[slot] == 1);
                    entered.push_back(number[slot]);
                    --at_enter;
                    return true;
                },
                [this](std::size_t slot, unsigned) {
                    CHECK(worked[slot] == 1);
                    --on_their_way;
                    ++left;
                    return Status();
                }};
    }
    void check_all_done() const {
        REQUIRE(entered.size() == count);
        for (std::uint64_t i = 0; i < count; ++i) REQUIRE(entered[i] == i);
        CHECK(left == count);
    }
};

}  // namespace

TEST_CASE("jobs are entered in the order in which they were begun, with any number of threads and slots") {
    for (const unsigned threads : {1u, 2u, 5u}) {
        const ThreadPool pool(threads);
        for (const std::size_t slots : {std::size_t{1}, std::size_t{2}, std::size_t{7}}) {
            Jobs jobs(slots);
            OrderedStages turns(slots);
            const auto done = turns.run(pool, jobs.stages());
            REQUIRE(done.ok());
            CHECK(*done);
            jobs.check_all_done();
            CHECK(jobs.most_on_their_way <= slots);
        }
    }
}

TEST_CASE("no jobs at all") {
    Jobs jobs(3);
    jobs.count = 0;
    OrderedStages turns(3);
    const auto done = turns.run(ThreadPool(2), jobs.stages());
    REQUIRE(done.ok());
    CHECK(*done);
    CHECK(jobs.entered.empty());
}

TEST_CASE("entering is interrupted, and goes on with the same job while the pool is at rest") {
    for (const unsigned threads : {1u, 4u}) {
        const ThreadPool pool(threads);
        Jobs jobs(5);
        auto stages = jobs.stages();
        const auto enter = stages.enter;
        std::uint64_t asked = 0, interrupted = 0;
        stages.enter = [&](std::size_t slot) -> Result<bool> {
            if (++asked % 7 == 0) return false;
            return enter(slot);
        };
        OrderedStages turns(5);
        for (;;) {
            const auto done = turns.run(pool, stages);
            REQUIRE(done.ok());
            if (*done) break;
            ++interrupted;
            CHECK(pool.parallel_for(1, [](std::uint64_t, unsigned) {}).ok());
        }
        jobs.check_all_done();
        CHECK(interrupted == asked / 7);
    }
}

TEST_CASE("a job that cannot begin yet begins when another has been left") {
    for (const unsigned threads : {1u, 4u}) {
        Jobs jobs(8);
        auto stages = jobs.stages();
        const auto begin = stages.begin;
        std::uint64_t refused = 0;
        stages.begin = [&](std::size_t slot) -> Result<Begun> {
            if (jobs.on_their_way >= 2) {
                ++refused;
                return Begun::kNotYet;
            }
            return begin(slot);
        };
        OrderedStages turns(8);
        const auto done = turns.run(ThreadPool(threads), stages);
        REQUIRE(done.ok());
        CHECK(*done);
        jobs.check_all_done();
        CHECK(jobs.most_on_their_way <= 2);
    }
}

TEST_CASE("an error or an exception of any stage ends all") {
    for (int stage = 0; stage < 4; ++stage) {
        CAPTURE(stage);
        for (const unsigned threads : {1u, 3u}) {
            Jobs jobs(4);
            auto stages = jobs.stages();
            const auto fails = [&](int which, std::size_t slot) { return stage == which && jobs.number[slot] == 41; };
            const auto begin = stages.begin;
            const auto work = stages.work;
            const auto enter = stages.enter;
            const auto leave = stages.leave;
            stages.begin = [&](std::size_t slot) -> Result<Begun> {
                if (stage == 0 && jobs.begun == 41) return Status::io("broken");
                return begin(slot);
            };
            stages.work = [&](std::size_t slot, unsigned thread) {
                if (fails(1, slot)) throw std::runtime_error("broken");
                return work(slot, thread);
            };
            stages.enter = [&](std::size_t slot) -> Result<bool> {
                if (fails(2, slot)) return Status::io("broken");
                return enter(slot);
            };
            stages.leave = [&](std::size_t slot, unsigned thread) {
                return fails(3, slot) ? Status::io("broken") : leave(slot, thread);
            };
            OrderedStages turns(4);
            const auto done = turns.run(ThreadPool(threads), stages);
            REQUIRE_FALSE(done.ok());
            CHECK(done.status().message().find("broken") != std::string::npos);
            CHECK(jobs.entered.size() <= 46);
        }
    }
}
