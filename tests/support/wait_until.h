// Threads of tests that wait for each other, so that how busy the machine is decides nothing.
#pragma once

#include <chrono>
#include <thread>

namespace warpseq::testing {

/// For half a minute at most: then what the test checks says that it did not happen.
template <typename Condition>
void wait_until(const Condition& condition) {
    const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!condition() && std::chrono::steady_clock::now() < last)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace warpseq::testing
