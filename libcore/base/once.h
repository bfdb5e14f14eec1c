// Work that is done once, by whichever thread needs it first. std::call_once would do, but for what
// it does when the work throws: it unwinds through the C library, which then loads libgcc_s, and
// without memory for that ends the program.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>

namespace warpseq {

class Once {
   public:
    /// Runs `work()` unless it has run before. Threads that come while it runs wait for its end. If
    /// it throws, so does this, and the next call tries again. `work` must not call the same
    /// object.
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
