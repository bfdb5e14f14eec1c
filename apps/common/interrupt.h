// Ctrl-C, and kill's default, as a flag that long work looks at, so that it ends cleanly.
#pragma once

#include <atomic>

namespace warpseq {

/// While one lives, the first SIGINT or SIGTERM sets a flag and nothing else; a second one ends the process as usual. The
/// handlers that were there before come back with the destructor. One at a time.
class InterruptFlag {
   public:
    InterruptFlag();
    ~InterruptFlag();
    InterruptFlag(const InterruptFlag&) = delete;
    InterruptFlag& operator=(const InterruptFlag&) = delete;

    const std::atomic<bool>& raised() const;
};

}  // namespace warpseq
