// Lets threads of tests wait for each other, so that the result does not depend on how busy the
// machine is.
#pragma once

#include <chrono>
#include <thread>

namespace warpseq::testing {

/// Waits until `condition` holds, but at most half a minute. The test then checks the condition
/// itself.
template <typename Condition>
void wait_until(const Condition& condition) {
    const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!condition() && std::chrono::steady_clock::now() < last)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace warpseq::testing
