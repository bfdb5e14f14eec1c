// Work without the GIL, also in threads that are still working when the interpreter ends.
#pragma once

#include <nanobind/nanobind.h>

namespace warpseq::python {

/// Releases the GIL for its lifetime. Python ends a thread that takes the GIL while the interpreter
/// ends, by unwinding its stack, which C++ does not survive. So a daemon thread whose release ends
/// after Python's exit functions have begun never takes the GIL again, and sleeps until the process
/// has ended.
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

/// Registers the exit function that waits a moment for the threads that have released the GIL.
void bind_gil_release(nanobind::module_& module);

}  // namespace warpseq::python
