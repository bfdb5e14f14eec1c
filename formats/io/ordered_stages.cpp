#include "formats/io/ordered_stages.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace warpseq {

struct OrderedStages::Run {
    OrderedStages& jobs;
    const Stages& stages;
    std::stop_token stop;

    std::mutex mutex;  // guards everything below and the jobs' states
    std::condition_variable changed;
    bool beginning = false, entering = false, not_yet = false, interrupted = false;
    Status failure;

    State& state_of(std::uint64_t job) { return jobs.slots_[slot_of(job)]; }
    std::size_t slot_of(std::uint64_t job) const { return static_cast<std::size_t>(job % jobs.slots_.size()); }

    void fail(Status status) {
        if (failure.ok()) failure = std::move(status);
    }

    // All functions below are called and return with the mutex held.

    void enter(unsigned thread, std::unique_lock<std::mutex>& lock) {
        const std::size_t slot = slot_of(jobs.first_);
        entering = true;
        lock.unlock();
        const Result<bool> entered = guarded([&] { return stages.enter(slot); });
        lock.lock();
        entering = false;
        if (!entered.ok()) return fail(entered.status());
        if (!*entered) {
            interrupted = true;
            return;
        }
        jobs.slots_[slot] = State::kEntered;
        ++jobs.first_;
        changed.notify_all();
        lock.unlock();
        Status left = guarded([&] { return stages.leave(slot, thread); });
        lock.lock();
        jobs.slots_[slot] = State::kFree;
        not_yet = false;
        if (!left.ok()) fail(std::move(left));
    }

    void begin(unsigned thread, std::unique_lock<std::mutex>& lock) {
        const std::size_t slot = slot_of(jobs.behind_);
        beginning = true;
        lock.unlock();
        const Result<Begun> begun = guarded([&] { return stages.begin(slot); });
        lock.lock();
        beginning = false;
        if (!begun.ok()) return fail(begun.status());
        if (*begun == Begun::kNoMore) {
            jobs.no_more_ = true;
            return;
        }
        if (*begun == Begun::kNotYet) {
            // A job may have been left in the meantime.
            not_yet = is_any_on_its_way();
            return;
        }
        jobs.slots_[slot] = State::kInWork;
        ++jobs.behind_;
        changed.notify_all();
        lock.unlock();
        Status worked = guarded([&] { return stages.work(slot, thread); });
        lock.lock();
        jobs.slots_[slot] = State::kWorked;
        if (!worked.ok()) fail(std::move(worked));
    }

    bool is_any_on_its_way() const {
        for (const State state : jobs.slots_) {
            if (state != State::kFree) return true;
        }
        return false;
    }

    void take_turns(unsigned thread) {
        std::unique_lock lock(mutex);
        while (failure.ok() && !interrupted) {
            if (stop.stop_requested()) {
                fail(Status::interrupted());
            } else if (!entering && jobs.first_ < jobs.behind_ && state_of(jobs.first_) == State::kWorked) {
                enter(thread, lock);
            } else if (!beginning && !jobs.no_more_ && !not_yet && state_of(jobs.behind_) == State::kFree) {
                begin(thread, lock);
            } else if (jobs.no_more_ && jobs.first_ == jobs.behind_) {
                break;
            } else {
                changed.wait(lock);
                continue;
            }
            changed.notify_all();
        }
        changed.notify_all();
    }
};

Result<bool> OrderedStages::run(const ThreadPool& pool, const Stages& stages) {
    Run run{*this, stages, pool.stop(), {}, {}, false, false, false, false, {}};
    WARPSEQ_TRY(pool.parallel_for(pool.threads(), [&](std::uint64_t, unsigned thread) { run.take_turns(thread); }));
    if (!run.failure.ok()) return run.failure;
    return !run.interrupted;
}

}  // namespace warpseq
