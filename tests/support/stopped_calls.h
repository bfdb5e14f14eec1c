// Checks that calls end soon after a stop is requested.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <functional>
#include <stop_token>
#include <thread>

namespace warpseq::testing {

using StoppableCall = std::function<void(const std::stop_token&)>;

/// Returns whether a call ends soon after a stop. `prepare(size)` returns a call whose work grows
/// with `size`, which is 1, 4, 16 and so on until a call takes long enough to be stopped midway.
/// The call must work on the calling thread. Work is that thread's processor time, which other work
/// on the machine does not change.
///
/// The stop is requested by another thread when a tenth of the work is done. The call must then do
/// less than `share` of its whole work. A try whose stop comes only after half of the work does not
/// count, so a call that ignores stops never passes. Returns false after several tries that count,
/// or if no try counts.
inline bool ends_soon(const std::function<StoppableCall(std::size_t)>& prepare, double share = 0.4) {
    // The thread that requests the stop may wait for a processor for some milliseconds.
    constexpr double kLeastWorkSeconds = 0.01;
    constexpr std::size_t kMostSize = std::size_t{1} << 12;
    constexpr int kMostTries = 20, kMostLateTries = 1000;

    clockid_t clock{};
    pthread_getcpuclockid(pthread_self(), &clock);
    const auto work_seconds = [clock] {
        timespec time{};
        clock_gettime(clock, &time);
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    };
    const auto work_of = [&](const StoppableCall& call) {
        const double begun = work_seconds();
        call({});
        return work_seconds() - begun;
    };
    StoppableCall call;
    double whole = 0;
    for (std::size_t size = 1; whole < kLeastWorkSeconds; size *= 4) {
        if (size > kMostSize) return false;
        call = prepare(size);
        const double first = work_of(call);  // which also makes the workspace
        whole = std::min(first, work_of(call));
    }
    for (int tries = 0, late_tries = 0; tries < kMostTries && late_tries < kMostLateTries;) {
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
        if (stopped - begun > whole / 2) {
            ++late_tries;
            continue;
        }
        if (ended - stopped < whole * share) return true;
        ++tries;
    }
    return false;
}

}  // namespace warpseq::testing
