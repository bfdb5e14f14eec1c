// Calls that are to end soon after a stop is requested.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>

namespace warpseq::testing {

/// Whether `call` with a token that is stopped after a tenth of the whole call's time ends within `share` of that time after the stop.
/// Other work on the machine takes time, too, so a few tries are allowed: a call that hears of no stop misses all of them.
inline bool ends_soon(const std::function<void(const std::stop_token&)>& call, double share = 0.4) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    call({});
    const Clock::duration whole = Clock::now() - begin;
    for (int tries = 0; tries < 5; ++tries) {
        std::stop_source stop;
        Clock::time_point stopped;
        std::thread stopper([&] {
            std::this_thread::sleep_for(whole / 10);
            stopped = Clock::now();
            stop.request_stop();
        });
        call(stop.get_token());
        const auto ended = Clock::now();
        stopper.join();
        if (ended - stopped < std::chrono::duration<double>(whole) * share) return true;
    }
    return false;
}

}  // namespace warpseq::testing
