// Calls that are to end soon after a stop is requested.
#pragma once

#include <chrono>
#include <ctime>
#include <functional>
#include <stop_token>
#include <thread>

namespace warpseq::testing {

/// Whether `call`, with a token that is stopped after a tenth of the whole call's time, does less than
/// `share` of the whole call's work after the stop. Work is processor time of the process, which other
/// work on the machine does not change. A few tries are allowed, as the stop may come late.
inline bool ends_soon(const std::function<void(const std::stop_token&)>& call, double share = 0.4) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const std::clock_t work_begin = std::clock();
    call({});
    const auto whole_work = static_cast<double>(std::clock() - work_begin);
    const Clock::duration whole = Clock::now() - begin;
    for (int tries = 0; tries < 5; ++tries) {
        std::stop_source stop;
        std::clock_t stopped = 0;
        std::thread stopper([&] {
            std::this_thread::sleep_for(whole / 10);
            stopped = std::clock();
            stop.request_stop();
        });
        call(stop.get_token());
        const std::clock_t ended = std::clock();
        stopper.join();
        if (static_cast<double>(ended - stopped) < whole_work * share) return true;
    }
    return false;
}

}  // namespace warpseq::testing
