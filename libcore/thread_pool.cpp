#include "libcore/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace warpseq {

struct ThreadPool::State {
    /// One call of parallel_for().
    struct Loop {
        const std::function<void(std::uint64_t, unsigned)>& work;
        std::uint64_t count;
        std::atomic<std::uint64_t> next{0};
        unsigned inside = 0;  // threads at work on it; guarded by the pool's mutex

        void drain(unsigned thread) {
            for (std::uint64_t index; (index = next.fetch_add(1, std::memory_order_relaxed)) < count;) work(index, thread);
        }
    };

    std::mutex mutex;
    std::condition_variable start, changed;  // a loop has come, or the end; a loop or thread number 0 has become free
    std::vector<Loop*> loops;                // with indices that nobody has taken, oldest first; guarded by mutex
    bool zero_taken = false;                 // number 0 is that of callers, one at a time; guarded by mutex
    bool stop = false;
    std::vector<std::thread> workers;

    /// Works on a loop until no index is left. Called and returns with the mutex held.
    void join(Loop& loop, unsigned thread, std::unique_lock<std::mutex>& lock) {
        ++loop.inside;
        lock.unlock();
        loop.drain(thread);
        lock.lock();
        std::erase(loops, &loop);
        if (--loop.inside == 0) changed.notify_all();
    }

    void run(unsigned thread) {
        std::unique_lock lock(mutex);
        for (;;) {
            start.wait(lock, [&] { return stop || !loops.empty(); });
            if (stop) return;
            join(*loops.front(), thread, lock);
        }
    }
};

ThreadPool::ThreadPool(unsigned threads) : threads_(std::max(1u, threads)), state_(std::make_unique<State>()) {
    for (unsigned thread = 1; thread < threads_; ++thread) {
        state_->workers.emplace_back([this, thread] { state_->run(thread); });
    }
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->stop = true;
    }
    state_->start.notify_all();
    for (auto& worker : state_->workers) worker.join();
}

void ThreadPool::parallel_for(std::uint64_t count, const std::function<void(std::uint64_t, unsigned)>& work) {
    if (count == 0) return;
    State& state = *state_;
    State::Loop loop{work, count};
    std::unique_lock lock(state.mutex);
    state.loops.push_back(&loop);
    state.start.notify_all();
    const auto has_indices = [&] { return std::ranges::find(state.loops, &loop) != state.loops.end(); };
    for (;;) {
        state.changed.wait(lock, [&] { return has_indices() ? !state.zero_taken : loop.inside == 0; });
        if (!has_indices()) return;
        state.zero_taken = true;
        state.join(loop, 0, lock);
        state.zero_taken = false;
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
