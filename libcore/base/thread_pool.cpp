#include "libcore/base/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "libcore/base/stop_scope.h"

namespace warpseq {

struct ThreadPool::State {
    /// One call of parallel_for().
    struct Loop {
        const void* context;
        Call call;
        std::uint64_t count;
        const std::stop_token& stop;
        std::stop_token stop_of_caller = StopScope::current();
        std::atomic<std::uint64_t> next{0};
        unsigned inside = 0;             // threads that work on it; guarded by the pool's mutex, like the members below
        std::uint64_t failed_index = 0;  // valid if there is a failure
        Status failure{};
    };

    std::mutex mutex;
    std::condition_variable start, changed;  // start: a loop or the end came, changed: a loop or thread 0 is free
    std::vector<Loop*> loops;                // loops with indices left to hand out, oldest first; guarded by mutex
    std::thread::id zero{};                  // the caller that acts as thread 0, if there is one; guarded by mutex
    unsigned working = 0;                    // threads inside loops; guarded by mutex
    bool ends = false;
    std::vector<std::thread> workers;

    ~State() {
        {
            const std::lock_guard lock(mutex);
            ends = true;
        }
        start.notify_all();
        for (std::thread& worker : workers) worker.join();
    }

    /// Works on a loop until no index is left. Called and returns with the mutex held.
    void join(Loop& loop, unsigned thread, std::unique_lock<std::mutex>& lock) {
        ++loop.inside;
        ++working;
        lock.unlock();
        const StopScope scope(loop.stop_of_caller);
        Status failure;
        std::uint64_t index;
        while ((index = loop.next.fetch_add(1, std::memory_order_relaxed)) < loop.count) {
            failure = loop.stop.stop_requested() ? Status::interrupted() : loop.call(loop.context, index, thread);
            if (failure.ok()) continue;
            // Every lower index has been handed out before. So the lowest index that fails is
            // always among the indices that were handed out.
            loop.next.store(loop.count, std::memory_order_relaxed);
            break;
        }
        lock.lock();
        if (!failure.ok() && (loop.failure.ok() || index < loop.failed_index)) {
            loop.failed_index = index;
            loop.failure = std::move(failure);
        }
        std::erase(loops, &loop);
        --working;
        if (--loop.inside == 0) changed.notify_all();
    }

    void work(unsigned thread) {
        std::unique_lock lock(mutex);
        for (;;) {
            start.wait(lock, [&] { return ends || !loops.empty(); });
            if (ends) return;
            join(*loops.front(), thread, lock);
        }
    }

    bool has_own_thread(std::thread::id id) const {
        return id == zero || std::ranges::find(workers, id, &std::thread::get_id) != workers.end();
    }
};

ThreadPool::ThreadPool(unsigned threads) : state_(std::make_shared<State>()) {
    State& state = *state_;
    try {
        state.workers.reserve(std::max(1u, threads) - 1);
        for (unsigned thread = 1; thread < threads; ++thread)
            state.workers.emplace_back([&state, thread] { state.work(thread); });
    } catch (const std::system_error&) {  // the system starts no more threads
    } catch (const std::bad_alloc&) {     // or has no memory for them
    }
}

ThreadPool::~ThreadPool() = default;

unsigned ThreadPool::threads() const { return static_cast<unsigned>(state_->workers.size()) + 1; }

bool ThreadPool::is_idle() const {
    const std::lock_guard lock(state_->mutex);
    return state_->loops.empty() && state_->working == 0;
}

Status ThreadPool::run(std::uint64_t count, const void* context, Call call) const noexcept {
    State& state = *state_;
    State::Loop loop{context, call, count, stop_};
    // A stop request wakes callers that wait while the threads work on other loops. The callback
    // takes the lock, so it is registered and removed without the lock.
    const std::stop_callback heard(stop_, [&state] {
        const std::lock_guard wake(state.mutex);
        state.changed.notify_all();
    });
    std::unique_lock lock(state.mutex);
    if (state.has_own_thread(std::this_thread::get_id()))
        return guarded(
            [] { return Status::unavailable("internal error, please report it: a parallel loop within another"); });
    if (count == 0) return {};
    if (Status listed = guarded([&] { state.loops.push_back(&loop); }); !listed.ok()) return listed;
    state.start.notify_all();
    const auto has_indices = [&] { return std::ranges::find(state.loops, &loop) != state.loops.end(); };
    const auto zero_is_free = [&] { return state.zero == std::thread::id(); };
    for (;;) {
        state.changed.wait(lock,
                           [&] { return has_indices() ? zero_is_free() || stop_.stop_requested() : loop.inside == 0; });
        if (!has_indices()) return std::move(loop.failure);
        if (!zero_is_free()) {  // stopped: no thread begins with this loop any more
            std::erase(state.loops, &loop);
            if (loop.failure.ok()) {
                loop.failure = Status::interrupted();
                loop.failed_index = count;
            }
            continue;
        }
        state.zero = std::this_thread::get_id();
        state.join(loop, 0, lock);
        state.zero = {};
        state.changed.notify_all();
    }
}

unsigned ThreadPool::hardware_threads() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return static_cast<unsigned>(CPU_COUNT(&set));
    return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace warpseq
