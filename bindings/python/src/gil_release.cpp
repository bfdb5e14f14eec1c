#include "bindings/python/src/gil_release.h"

#include <cxxabi.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace warpseq::python {
namespace {

/// Threads with a GilRelease that do not sleep for good.
std::atomic<std::int64_t> working = 0;
/// Whether the interpreter has ended, so that no thread may call it.
std::atomic<bool> is_over = false;

[[noreturn]] void sleep_for_good() {
    --working;
    for (;;) pause();
}

/// Lets the other threads finish their work or fall asleep, before the process frees what they use.
/// Searches stop soon. Work that cannot be stopped is left alone after some time.
void end_threads() {
    constexpr std::chrono::seconds kMost{2};
    is_over = true;
    const auto end = std::chrono::steady_clock::now() + kMost;
    while (working > 0 && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

bool GilRelease::is_last() { return is_over; }

GilRelease::GilRelease() {
    ++working;
    state_ = PyEval_SaveThread();
}

GilRelease::~GilRelease() {
    if (is_last()) sleep_for_good();
    try {
        PyEval_RestoreThread(state_);
    } catch (const abi::__forced_unwind&) {
        sleep_for_good();  // to leave the handler would end the process
    }
    --working;
}

void bind_gil_release(nanobind::module_&) {
    // A forked process has none of the other threads.
    pthread_atfork(nullptr, nullptr, [] { working = 0; });
    if (Py_AtExit(end_threads) != 0) throw nanobind::import_error("too many exit functions");
}

}  // namespace warpseq::python
