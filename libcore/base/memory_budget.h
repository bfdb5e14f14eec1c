// MemoryBudget limits the memory that threads use for large buffers at the same time. A thread
// takes the bytes from the budget before it allocates them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

namespace warpseq {

/// A budget of bytes that threads take and give back. Thread-safe. The holder of a grant must not
/// wait for another grant of the same budget.
class MemoryBudget {
   public:
    /// Bytes taken from the budget. The destructor gives them back.
    class Grant {
       public:
        Grant() = default;
        Grant(Grant&& other) noexcept
            : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
        Grant& operator=(Grant&& other) noexcept {
            std::swap(budget_, other.budget_);
            std::swap(bytes_, other.bytes_);
            return *this;
        }
        ~Grant() {
            if (budget_) budget_->give_back(bytes_);
        }

       private:
        friend class MemoryBudget;
        Grant(MemoryBudget* budget, std::uint64_t bytes) : budget_(budget), bytes_(bytes) {}
        MemoryBudget* budget_ = nullptr;
        std::uint64_t bytes_ = 0;
    };

    explicit MemoryBudget(std::uint64_t bytes) : bytes_(bytes) {}
    MemoryBudget(const MemoryBudget&) = delete;
    MemoryBudget& operator=(const MemoryBudget&) = delete;

    /// Takes `bytes` bytes from the budget. Waits until they are free. Requests are granted in the
    /// order in which they arrive. A request for more than the whole budget is granted when no
    /// other grant is held, so one thread can always go on.
    Grant take(std::uint64_t bytes) {
        std::unique_lock lock(mutex_);
        const std::uint64_t turn = arrived_++;
        changed_.wait(
            lock, [&] { return turn == served_ && (taken_ == 0 || (taken_ < bytes_ && bytes <= bytes_ - taken_)); });
        taken_ += bytes;
        ++served_;
        changed_.notify_all();
        return {this, bytes};
    }

   private:
    void give_back(std::uint64_t bytes) {
        const std::scoped_lock lock(mutex_);
        taken_ -= bytes;
        changed_.notify_all();
    }

    const std::uint64_t bytes_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t taken_ = 0, arrived_ = 0, served_ = 0;
};

}  // namespace warpseq
