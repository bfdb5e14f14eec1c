// A steady clock that measures seconds for statistics.
#pragma once

#include <chrono>

namespace warpseq {

using Clock = std::chrono::steady_clock;

/// Returns the seconds that have passed since `start`.
inline double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace warpseq
