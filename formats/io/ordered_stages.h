// OrderedStages runs jobs side by side on several threads. Two stages of each job, its beginning
// and its entering, run one after the other in the order of the jobs.
//
// A job has four stages. begin() takes the next part of the input, work() processes it, enter()
// adds the result to the output, and leave() finishes what needs no order. Any free thread runs the
// next stage that is due. At most one begin() and one enter() run at a time, and both follow the
// order of the jobs. work() and leave() of different jobs run side by side. So only short stages
// have to wait for their turn, and no thread waits for all others.
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
        kNotYet,  // the next job can begin only after leave() of a job that is in progress
        kNoMore,
    };

    /// The functions that carry out the stages of the job in a slot. `slot` is below the number of
    /// slots, and jobs in progress have different slots. Each function may fail or throw, which
    /// ends the run.
    struct Stages {
        std::function<Result<Begun>(std::size_t slot)> begin;
        std::function<Status(std::size_t slot, unsigned thread)> work;
        /// Returns false to interrupt the run. The next call of run() then begins with entering
        /// this job again.
        std::function<Result<bool>(std::size_t slot)> enter;
        std::function<Status(std::size_t slot, unsigned thread)> leave;
    };

    /// `slots`, at least 1, is the maximum number of jobs that are in progress at the same time.
    explicit OrderedStages(std::size_t slots) : slots_(slots, State::kFree) {}

    /// Runs jobs on the threads of the pool. Returns true if all jobs are done, and false if an
    /// enter() returned false. Returns the first error of a stage. When it returns, the pool's
    /// threads run no stage any more.
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
