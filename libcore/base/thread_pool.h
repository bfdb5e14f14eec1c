// A fixed number of threads that run loops. An object that somebody passes, never a global.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <utility>

#include "libcore/base/status.h"

namespace warpseq {

class ThreadPool {
   public:
    /// `threads` >= 1 in all, the caller's among them: with 1 no thread is started. What the system
    /// refuses to start is done without.
    explicit ThreadPool(unsigned threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// The same threads, for loops that somebody may stop. They live as long as any of the pools
    /// that share them.
    ThreadPool with_stop(std::stop_token stop) const { return ThreadPool(state_, std::move(stop)); }

    /// How many there are, at least 1.
    unsigned threads() const;

    /// Calls work(index, thread) for every index in [0, count), each once, handed out in ascending
    /// order to whichever thread is free; `thread` is 0 .. threads() - 1 and never in use twice at
    /// once. `work` returns void or a Status; an exception that leaves it counts as guarded()'s
    /// Status. After the first error no more indices are handed out. Returns when all work has
    /// returned: the error of the lowest index, which is the same for any number of threads. Once a
    /// stop is requested, no more indices are handed out either, and the result is
    /// Status::interrupted() unless work failed.
    ///
    /// Calls may come from several threads: the pool's own go to older loops first, and one of the
    /// callers at a time takes part, in its own loop. A call from within the pool's own work is
    /// refused with an error.
    template <typename Work>
    Status parallel_for(std::uint64_t count, const Work& work) const {
        return run(count, &work, [](const void* context, std::uint64_t index, unsigned thread) noexcept {
            return guarded([&] { return (*static_cast<const Work*>(context))(index, thread); });
        });
    }

    /// Whether no loop is being worked on, or waits for threads. Soon out of date.
    bool is_idle() const;

    /// What ends its loops: work that takes long looks at it, too.
    const std::stop_token& stop() const { return stop_; }

    /// Hardware threads of this machine that the process may use, at least 1.
    static unsigned hardware_threads();

   private:
    using Call = Status (*)(const void* context, std::uint64_t index, unsigned thread) noexcept;
    Status run(std::uint64_t count, const void* context, Call call) const noexcept;

    struct State;
    ThreadPool(std::shared_ptr<State> state, std::stop_token stop) : state_(std::move(state)), stop_(std::move(stop)) {}

    std::shared_ptr<State> state_;
    std::stop_token stop_;
};

}  // namespace warpseq
