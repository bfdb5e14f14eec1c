// A fixed number of threads that run loops. A ThreadPool is passed to the functions that use it and
// is never a global.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <utility>

#include "libcore/base/status.h"

namespace warpseq {

class ThreadPool {
   public:
    /// Makes a pool of `threads` >= 1 threads, the caller's included. With 1 no thread is started.
    /// If the system refuses to start a thread, the pool has fewer.
    explicit ThreadPool(unsigned threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// Returns a pool of the same threads whose loops end when a stop is requested. The threads
    /// live as long as any of the pools that share them.
    ThreadPool with_stop(std::stop_token stop) const { return ThreadPool(state_, std::move(stop)); }

    /// Returns the number of threads, at least 1.
    unsigned threads() const;

    /// Calls work(index, thread) once for every index in [0, count). Indices are handed out in
    /// ascending order to the threads that are free. `thread` is 0 .. threads() - 1. Calls that run
    /// at the same time have different numbers. `work` returns void or a Status. An exception that
    /// leaves it becomes a Status, as in guarded(). After the first error no more indices are
    /// handed out. Returns when all calls have returned. The result is the error of the lowest
    /// index that failed, which does not depend on the number of threads. After a stop request no
    /// more indices are handed out either, and the result is Status::interrupted() unless an index
    /// failed.
    ///
    /// Several threads may call this at the same time. The pool's own threads work on the oldest
    /// loop first. Only one of the calling threads works at a time, on its own loop and as thread
    /// 0; the others wait. A call from within work that the pool runs returns kUnavailable.
    template <typename Work>
    Status parallel_for(std::uint64_t count, const Work& work) const {
        return run(count, &work, [](const void* context, std::uint64_t index, unsigned thread) noexcept {
            return guarded([&] { return (*static_cast<const Work*>(context))(index, thread); });
        });
    }

    /// Whether no loop is running or waiting for threads. The result may already be out of date
    /// when it is returned.
    bool is_idle() const;

    /// Returns the token that ends this pool's loops. Work that takes long should check it, too.
    const std::stop_token& stop() const { return stop_; }

    /// Returns the number of this machine's hardware threads that the process may use, at least 1.
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
