// Counts the units of work that several threads have done, and reports them to a Progress.
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

    /// Adds units that are done and reports the new sum to the Progress. If another thread is
    /// reporting at that moment, this call does not wait; a later call reports its units.
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

/// A stage of the work that is worth `units` units of progress. It consists of pieces that cost
/// different amounts of time. Each piece has a weight, and the weights add up to `weight`. The
/// caller gives a piece's weight to add() when the piece is done, and the same share of the units
/// is counted. The destructor counts the units that are left, so that all are counted in the end.
/// Thread-safe.
class ProgressStage {
   public:
    ProgressStage(ProgressCounter& counter, std::uint64_t units, std::uint64_t weight)
        : counter_(counter),
          units_left_(units),
          units_per_weight_(static_cast<double>(units) / static_cast<double>(weight)) {}
    ~ProgressStage() { counter_.add(units_left_); }
    ProgressStage(const ProgressStage&) = delete;
    ProgressStage& operator=(const ProgressStage&) = delete;

    /// Counts a piece of this weight as done.
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
    double units_per_weight_;  // not used if the weight is 0
};

}  // namespace warpseq
