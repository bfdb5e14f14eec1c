// A fixed number of threads that run loops. An object that somebody passes, never a global.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace warpseq {

class ThreadPool {
   public:
    /// `threads` >= 1 in all, the caller's among them: with 1 no thread is started.
    explicit ThreadPool(unsigned threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    unsigned threads() const { return threads_; }

    /// Calls work(index, thread) for every index in [0, count), each once, handed out in ascending order to whichever thread
    /// is free; `thread` is 0 .. threads() - 1 and never in use twice at once. Returns when all are done. Calls may come from
    /// several threads: the pool's own go to older loops first, and one of the callers at a time takes part, in its own loop. They
    /// do not nest. `work` must not throw.
    void parallel_for(std::uint64_t count, const std::function<void(std::uint64_t index, unsigned thread)>& work);

    /// Hardware threads of this machine that the process may use, at least 1.
    static unsigned hardware_threads();

   private:
    struct State;
    unsigned threads_;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
