#include "bindings/python/src/gil_release.h"

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
std::atomic<bool> is_ending = false;
/// The thread that ends the interpreter. Set before is_ending. It may still use the package.
std::thread::id ending_thread;

/// Lets the other threads finish their work or fall asleep. Searches stop soon. Work that cannot be
/// stopped is left alone after some time, because its thread takes no GIL any more.
void end_threads() {
    constexpr std::chrono::seconds kMost{2};
    ending_thread = std::this_thread::get_id();
    is_ending = true;
    const nanobind::gil_scoped_release release;
    const auto end = std::chrono::steady_clock::now() + kMost;
    while (working > 0 && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

bool GilRelease::is_last() { return is_ending && std::this_thread::get_id() != ending_thread; }

GilRelease::GilRelease() {
    ++working;
    state_ = PyEval_SaveThread();
}

GilRelease::~GilRelease() {
    // A thread that does not see is_ending here is waited for by end_threads().
    if (is_last()) {
        --working;
        for (;;) pause();
    }
    PyEval_RestoreThread(state_);
    --working;
}

void bind_gil_release(nanobind::module_& module) {
    // A forked process has none of the other threads.
    pthread_atfork(nullptr, nullptr, [] { working = 0; });
    module.def("end_threads", &end_threads);
    nanobind::module_::import_("atexit").attr("register")(module.attr("end_threads"));
}

}  // namespace warpseq::python
