// Checks that calls end soon after a stop is requested.
#pragma once

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <functional>
#include <stop_token>
#include <thread>

namespace warpseq::testing {

/// Returns whether `call` ends soon after a stop. The stop is requested when a tenth of the work is
/// done. The call must then do less than `share` of the whole call's work. `call` must work on the
/// calling thread. Work is that thread's processor time, which other work on the machine does not
/// change. A try whose stop comes only after half of the work does not count, so a call that
/// ignores stops never passes. Returns false after several tries that count, or after half a
/// minute.
inline bool ends_soon(const std::function<void(const std::stop_token&)>& call, double share = 0.4) {
    clockid_t clock{};
    pthread_getcpuclockid(pthread_self(), &clock);
    const auto work_seconds = [clock] {
        timespec time{};
        clock_gettime(clock, &time);
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    };
    const double first_begun = work_seconds();
    call({});
    const double whole = work_seconds() - first_begun;
    constexpr int kMostTries = 20;
    const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (int tries = 0; tries < kMostTries && std::chrono::steady_clock::now() < last;) {
        std::stop_source stop;
        std::atomic<bool> has_ended = false;
        double stopped = 0;
        const double begun = work_seconds();
        std::thread stopper([&] {
            while (work_seconds() - begun < whole / 10 && !has_ended)
                std::this_thread::sleep_for(std::chrono::microseconds(50));
            stopped = work_seconds();
            stop.request_stop();
        });
        call(stop.get_token());
        has_ended = true;
        const double ended = work_seconds();
        stopper.join();
        if (stopped - begun > whole / 2) continue;
        if (ended - stopped < whole * share) return true;
        ++tries;
    }
    return false;
}

}  // namespace warpseq::testing
