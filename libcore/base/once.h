// Work that is done once, by the first thread that needs it. std::call_once is not used because of
// how it handles work that throws. It unwinds through the C library, which then loads libgcc_s. If
// there is no memory to load it, the program ends.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>

namespace warpseq {

/// A piece of work that is done at most once. Thread-safe.
class Once {
   public:
    /// Runs `work()` unless it has run before. Threads that call while it runs wait until it has
    /// ended. If `work` throws, the exception leaves this function, and the next call tries again.
    /// `work` must not call the same object.
    template <typename Work>
    void call(Work&& work) {
        if (done_.load(std::memory_order_acquire)) return;
        const std::lock_guard lock(mutex_);
        if (done_.load(std::memory_order_relaxed)) return;
        std::forward<Work>(work)();
        done_.store(true, std::memory_order_release);
    }

   private:
    std::mutex mutex_;
    std::atomic<bool> done_ = false;
};

}  // namespace warpseq
