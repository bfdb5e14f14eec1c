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
    std::mutex mutex;
    std::condition_variable start, done;
    std::uint64_t generation = 0;  // of the loop that runs; guarded by mutex
    unsigned running = 0;          // threads that have not finished this loop; guarded by mutex
    bool stop = false;
    const std::function<void(std::uint64_t, unsigned)>* work = nullptr;
    std::uint64_t count = 0;
    std::atomic<std::uint64_t> next{0};
    std::vector<std::thread> workers;

    void drain(unsigned thread) {
        for (std::uint64_t index; (index = next.fetch_add(1, std::memory_order_relaxed)) < count;)
            (*work)(index, thread);
    }

    void run(unsigned thread) {
        std::uint64_t seen = 0;
        for (;;) {
            {
                std::unique_lock lock(mutex);
                start.wait(lock, [&] { return stop || generation != seen; });
                if (stop) return;
                seen = generation;
            }
            drain(thread);
            const std::lock_guard lock(mutex);
            if (--running == 0) done.notify_one();
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
    {
        const std::lock_guard lock(state_->mutex);
        state_->work = &work;
        state_->count = count;
        state_->next.store(0, std::memory_order_relaxed);
        state_->running = threads_ - 1;
        ++state_->generation;
    }
    state_->start.notify_all();
    state_->drain(0);
    std::unique_lock lock(state_->mutex);
    state_->done.wait(lock, [&] { return state_->running == 0; });
}

unsigned ThreadPool::hardware_threads() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return static_cast<unsigned>(CPU_COUNT(&set));
    return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace warpseq
