#include "bindings/python/src/gil_release.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace warpseq::python {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenLooks{5};

/// Threads with a GilRelease that do not sleep for good.
std::atomic<std::int64_t> working = 0;
/// Whether Python's exit functions run, and the thread that runs them, which is set first.
std::atomic<bool> is_ending = false;
std::thread::id ending_thread;
/// Whether the interpreter has ended, so that no thread may call it.
std::atomic<bool> is_over = false;

/// Whether the interpreter is being taken apart. No thread but the one that does it may take the
/// GIL then. Its function has a public name from Python 3.13 on.
bool is_finalizing() {
    using Function = int (*)();
    static const auto function = [] {
        void* const found = dlsym(RTLD_DEFAULT, "Py_IsFinalizing");
        return reinterpret_cast<Function>(found != nullptr ? found : dlsym(RTLD_DEFAULT, "_Py_IsFinalizing"));
    }();
    return function != nullptr && function() != 0;
}

/// Whether one of Python's exit functions may be waiting for a thread.
std::atomic<bool> is_waited_for = false;

/// Whether this thread is to sleep while Python's exit functions run.
bool is_to_sleep() { return is_ending && !is_waited_for && std::this_thread::get_id() != ending_thread; }

/// Lets the thread sleep while Python ends. If Python's exit functions still run after a second,
/// one of them may be waiting for this thread, and all threads go on.
void sleep_while_ending() {
    constexpr std::chrono::seconds kMost{1};
    --working;
    const auto end = Clock::now() + kMost;
    while (Clock::now() < end && !is_waited_for) {
        if (is_over || is_finalizing()) sleep_for_good();
        std::this_thread::sleep_for(kBetweenLooks);
    }
    is_waited_for = true;
    ++working;
}

/// Waits until the other threads have fallen asleep, but for two seconds at most.
void wait_for_threads() {
    constexpr std::chrono::seconds kMost{2};
    const auto end = Clock::now() + kMost;
    while (working > 0 && Clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// Called when Python's exit functions run. The other threads finish their work or fall asleep
/// before the interpreter is taken apart. Searches stop soon. Work that cannot be stopped is left
/// alone after some time, because its thread takes no GIL any more.
void begin_end() {
    ending_thread = std::this_thread::get_id();
    is_ending = true;
    const nanobind::gil_scoped_release release;
    wait_for_threads();
}

/// Called after the interpreter has ended, before the process frees what threads use.
void finish_end() {
    is_over = true;
    wait_for_threads();
}

}  // namespace

void sleep_for_good() {
    for (;;) pause();
}

bool GilRelease::is_last() { return is_over || is_to_sleep(); }

GilRelease::GilRelease() {
    ++working;
    state_ = PyEval_SaveThread();
}

GilRelease::~GilRelease() {
    if (!is_over && is_to_sleep()) sleep_while_ending();
    if (!is_over) {
        try {
            PyEval_RestoreThread(state_);
            --working;
            return;
        } catch (const abi::__forced_unwind&) {
            --working;
            sleep_for_good();  // to leave the handler would end the process
        }
    }
    --working;
    sleep_for_good();
}

void bind_gil_release(nanobind::module_& module) {
    // A forked process has none of the other threads.
    pthread_atfork(nullptr, nullptr, [] { working = 0; });
    module.def("begin_end", &begin_end);
    nanobind::module_::import_("atexit").attr("register")(module.attr("begin_end"));
    if (Py_AtExit(finish_end) != 0) throw nanobind::import_error("too many exit functions");
}

}  // namespace warpseq::python
