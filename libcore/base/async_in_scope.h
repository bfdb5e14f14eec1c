// async_in_scope: std::async with the stop token of the thread that calls it.
#pragma once

#include <future>
#include <utility>

#include "libcore/base/stop_scope.h"

namespace warpseq {

/// Runs `work` as std::async() does. Whichever thread runs it has a StopScope with the token that
/// the calling thread has now.
template <typename Work>
auto async_in_scope(std::launch policy, Work work) {
    return std::async(policy, [work = std::move(work), stop = StopScope::current()]() mutable {
        const StopScope scope(stop);
        return work();
    });
}

}  // namespace warpseq
