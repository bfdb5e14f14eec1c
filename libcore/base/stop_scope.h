// StopScope: the stop token of the work that a thread does for a caller.
//
// Functions that compute for long take a stop token as an argument. Waiting for a pipe happens far
// below them, in the readers of many formats, and so do some loops over large input. Such code asks
// for the token of its thread instead.
#pragma once

#include <stop_token>

#include "libcore/base/status.h"

namespace warpseq {

/// Makes `stop` the token of this thread for its lifetime. Scopes nest. The threads of a ThreadPool
/// have the token of the thread that runs the loop.
class StopScope {
   public:
    explicit StopScope(std::stop_token stop);
    ~StopScope();
    StopScope(const StopScope&) = delete;
    StopScope& operator=(const StopScope&) = delete;

    /// Returns the token of this thread. Without a scope no stop is possible.
    static std::stop_token current();
    static bool is_stopped();
    /// Returns Status::interrupted() once a stop of this thread is requested.
    static Status check() { return is_stopped() ? Status::interrupted() : Status(); }

   private:
    std::stop_token stop_;
    const StopScope* outer_;
};

}  // namespace warpseq
