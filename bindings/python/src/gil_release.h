// Work without the GIL, also in threads that are still working when the interpreter ends.
#pragma once

#include <cxxabi.h>
#include <nanobind/nanobind.h>

namespace warpseq::python {

/// Releases the GIL for its lifetime. Python ends a daemon thread that takes the GIL while the
/// interpreter ends, by unwinding its stack (pthread_exit()), which destructors of C++ do not
/// survive. So a thread whose release ends after Python's exit functions have begun does not take
/// the GIL but sleeps. It goes on only if they still run after a second, because one of them may be
/// waiting for it. If Python ends the thread then, it sleeps until the process has ended.
class GilRelease {
   public:
    GilRelease();
    ~GilRelease();
    GilRelease(const GilRelease&) = delete;
    GilRelease& operator=(const GilRelease&) = delete;

    /// Whether this thread will sleep instead of taking the GIL, so that its work is of no use.
    static bool is_last();

   private:
    PyThreadState* state_;
};

/// Sleeps until the process has ended. Called in a thread that Python ends.
[[noreturn]] void sleep_for_good();

/// Returns the result of `call`, which calls Python's C interface and nothing else. Python ends a
/// daemon thread in such a call if the interpreter ends meanwhile. Then the call sleeps until the
/// process has ended. Objects that `call` needs have to outlive it: their destructors would run
/// without the GIL.
template <typename Call>
auto call_python(const Call& call) {
    try {
        return call();
    } catch (const abi::__forced_unwind&) {
        sleep_for_good();  // to leave the handler would end the process
    }
}

/// Registers functions for the end: one of Python's exit functions, and one that stops the work of
/// threads after the interpreter has ended.
void bind_gil_release(nanobind::module_& module);

}  // namespace warpseq::python
