// Jobs that threads do side by side, though each begins and ends in its turn.
//
// A job is begun, worked on, entered and left. Jobs are begun one at a time and entered one at a
// time, in the same order, by whichever thread is free; work and leaving run side by side. So what
// has to be in order takes one thread's time for as little as it can, and nobody waits for all
// others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

class OrderedStages {
   public:
    enum class Begun {
        kYes,
        kNotYet,  // not before another job has been left; one is on its way
        kNoMore,
    };

    /// What is done with the job in a slot. All may fail or throw, which ends all.
    struct Stages {
        std::function<Result<Begun>(std::size_t slot)> begin;
        std::function<Status(std::size_t slot, unsigned thread)> work;
        /// False: interrupted; the job is entered again once run() has returned and was called
        /// again.
        std::function<Result<bool>(std::size_t slot)> enter;
        std::function<Status(std::size_t slot, unsigned thread)> leave;
    };

    /// So many jobs at most are on their way at once, at least 1.
    explicit OrderedStages(std::size_t slots) : slots_(slots, State::kFree) {}

    /// Runs jobs by the threads of the pool: true when there are no more, false where entering one
    /// was interrupted, and the pool is at rest.
    Result<bool> run(const ThreadPool& pool, const Stages& stages);

   private:
    enum class State : unsigned char { kFree, kInWork, kWorked, kEntered };
    struct Run;

    std::vector<State> slots_;
    std::uint64_t first_ = 0,
                  behind_ = 0;  // jobs [first_, behind_) have not been entered: number i is in slot i % size
    bool no_more_ = false;
};

}  // namespace warpseq
