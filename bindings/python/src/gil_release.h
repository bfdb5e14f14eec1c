// Work without the GIL, also in threads that are still working when the interpreter ends.
#pragma once

#include <nanobind/nanobind.h>

namespace warpseq::python {

/// Releases the GIL for its lifetime. Python ends a daemon thread that takes the GIL while the
/// interpreter ends, by unwinding its stack (pthread_exit()). Destructors of C++ do not survive
/// that. So the destructor catches the unwinding, and the thread sleeps until the process has
/// ended. Python's exit functions run before, with all threads at work.
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

/// Registers the function that waits a moment, after the interpreter has ended, for the threads
/// that have released the GIL.
void bind_gil_release(nanobind::module_& module);

}  // namespace warpseq::python
