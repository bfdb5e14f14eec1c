// Counts the units of work that several threads have done, and tells the observer.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "libcore/base/observer.h"

namespace warpseq {

/// The units done of one piece of work. Thread-safe. The Progress must outlive the counter.
class ProgressCounter {
   public:
    explicit ProgressCounter(Progress& progress) : progress_(progress) {}

    /// Adds units that are done. If another thread is telling the observer at the moment, a later
    /// call tells it.
    void add(std::uint64_t units) {
        done_.fetch_add(units, std::memory_order_relaxed);
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (lock.owns_lock()) progress_.update(done_.load(std::memory_order_relaxed));
    }

   private:
    Progress& progress_;
    std::mutex mutex_;
    std::atomic<std::uint64_t> done_ = 0;
};

/// A stage of the work that counts for `units` units. Its pieces have weights that add up to
/// `weight`, and each piece's weight is given to add(). Thread-safe. The destructor counts the
/// units that are left, so that all are done.
class ProgressStage {
   public:
    ProgressStage(ProgressCounter& counter, std::uint64_t units, std::uint64_t weight)
        : counter_(counter),
          units_left_(units),
          units_per_weight_(static_cast<double>(units) / static_cast<double>(weight)) {}
    ~ProgressStage() { counter_.add(units_left_); }
    ProgressStage(const ProgressStage&) = delete;
    ProgressStage& operator=(const ProgressStage&) = delete;

    void add(std::uint64_t weight) {
        const auto units = static_cast<std::uint64_t>(units_per_weight_ * static_cast<double>(weight));
        std::uint64_t left = units_left_.load(std::memory_order_relaxed), taken;
        do {
            taken = left < units ? left : units;
        } while (!units_left_.compare_exchange_weak(left, left - taken, std::memory_order_relaxed));
        counter_.add(taken);
    }

   private:
    ProgressCounter& counter_;
    std::atomic<std::uint64_t> units_left_;
    double units_per_weight_;  // not used by a stage that has no weight
};

}  // namespace warpseq
