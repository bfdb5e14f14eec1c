// OrderedStages runs jobs side by side on several threads, but begins and enters them one after the
// other.
//
// A job has four stages: it is begun, worked on, entered and left. Jobs are begun one at a time and
// entered one at a time, in the same order, by whichever thread is free. Working and leaving run
// side by side. So the stages that need an order take as little time of one thread as possible, and
// no thread waits for all others.
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

    /// The functions that carry out the stages of the job in a slot. Each may fail or throw, which
    /// ends the run.
    struct Stages {
        std::function<Result<Begun>(std::size_t slot)> begin;
        std::function<Status(std::size_t slot, unsigned thread)> work;
        /// Returns false if it was interrupted. The job is then entered again when run() is called
        /// again.
        std::function<Result<bool>(std::size_t slot)> enter;
        std::function<Status(std::size_t slot, unsigned thread)> leave;
    };

    /// `slots`, at least 1, is the maximum number of jobs on their way at the same time.
    explicit OrderedStages(std::size_t slots) : slots_(slots, State::kFree) {}

    /// Runs jobs on the threads of the pool. Returns true if there are no more jobs, and false if
    /// entering one was interrupted. The pool is idle then.
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
