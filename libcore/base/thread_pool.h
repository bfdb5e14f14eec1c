// A fixed number of threads that run loops. An object that somebody passes, never a global.
#pragma once

#include <cstdint>
#include <memory>

#include "libcore/base/status.h"

namespace warpseq {

class ThreadPool {
   public:
    /// `threads` >= 1 in all, the caller's among them: with 1 no thread is started. What the system refuses to start is done without.
    explicit ThreadPool(unsigned threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// How many there are, at least 1.
    unsigned threads() const;

    /// Calls work(index, thread) for every index in [0, count), each once, handed out in ascending order to whichever thread is free;
    /// `thread` is 0 .. threads() - 1 and never in use twice at once. `work` returns void or a Status; an exception that leaves it
    /// counts as guarded()'s Status. After the first error no more indices are handed out. Returns when all work has returned: the
    /// error of the lowest index, which is the same for any number of threads.
    ///
    /// Calls may come from several threads: the pool's own go to older loops first, and one of the callers at a time takes part, in
    /// its own loop. A call from within the pool's own work is refused with an error.
    template <typename Work>
    Status parallel_for(std::uint64_t count, const Work& work) {
        return run(count, &work, [](const void* context, std::uint64_t index, unsigned thread) noexcept {
            return guarded([&] { return (*static_cast<const Work*>(context))(index, thread); });
        });
    }

    /// Hardware threads of this machine that the process may use, at least 1.
    static unsigned hardware_threads();

   private:
    using Call = Status (*)(const void* context, std::uint64_t index, unsigned thread) noexcept;
    Status run(std::uint64_t count, const void* context, Call call) noexcept;

    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpseq
