// Pieces that all bindings share: exceptions for errors, and calls that let Python's other threads
// run and end at Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <functional>
#include <future>
#include <mutex>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bindings/python/src/gil_release.h"
#include "bindings/searches/session_options.h"
#include "formats/io/mapped_file.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "libcore/base/stop_scope.h"

namespace warpseq::python {

namespace nb = nanobind;

/// Defines the package's exceptions in the module.
void bind_exceptions(nb::module_& module);

/// Throws the Python exception for an error.
[[noreturn]] void raise(const Status& status);

inline void check(const Status& status) {
    if (!status.ok()) raise(status);
}
template <typename T>
T value_of(Result<T> result) {
    if (!result.ok()) raise(result.status());
    return *std::move(result);
}

/// Calls a function of Python with these arguments, as call_python() does. Throws its exception.
template <typename... Arguments>
nb::object call_with(const nb::object& function, const Arguments&... arguments) {
    PyObject* const given[] = {arguments.ptr()...};
    PyObject* const result =
        call_python([&] { return PyObject_Vectorcall(function.ptr(), given, sizeof...(arguments), nullptr); });
    if (result == nullptr) throw nb::python_error();
    return nb::steal(result);
}

/// Runs `work` without the GIL, in a thread of its own, and waits for its result. At Ctrl-C it
/// calls `stop`, waits until the work has ended, and throws the exception of Python's signal
/// handler. The work's thread has a StopScope, which is stopped with `stop`. So work that only
/// reads files needs no `stop`. Calls `look` with the GIL all the while. If `look` throws, it ends
/// the work in the same way and throws that exception. Throws UnavailableError if no thread can be
/// started.
template <typename Work>
auto run_stoppable(const Work& work, const std::function<void()>& stop = {}, const std::function<void()>& look = {}) {
    MappedFile::keep_handler();
    std::stop_source source;
    auto running = [&] {
        try {
            return std::async(std::launch::async, [&] {
                const StopScope scope(source.get_token());
                return guarded(work);
            });
        } catch (const std::system_error& error) {
            raise(Status::unavailable(std::string("cannot start a thread: ") + error.what()));
        }
    }();
    const auto end = [&] {
        source.request_stop();
        if (stop) stop();
    };
    constexpr std::chrono::milliseconds kBetweenLooks{20};
    for (;;) {
        std::future_status status;
        {
            const GilRelease release;
            status = running.wait_for(kBetweenLooks);
            if (GilRelease::is_last()) {
                end();
                running.wait();
            }
        }
        if (status == std::future_status::ready) return running.get();
        try {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            if (look) look();
        } catch (...) {
            end();
            const GilRelease release;
            running.wait();
            throw;
        }
    }
}

/// Returns the options of a call's keyword arguments. True stands for a flag that is given, False,
/// None and an empty list for an option that is not. A list gives an option several times. Throws
/// for values that no option has, such as a text with a NUL character.
std::vector<NamedValue> named_values(const nb::dict& options);

/// An observer that passes notes on to warnings.warn() in the thread that collects them.
class NoteCollector final : public Observer {
   public:
    void note(const std::string& text) override;
    /// Issues the notes so far as warnings of category warpseq.WarpseqWarning. Needs the GIL.
    void issue();

   private:
    std::mutex mutex_;
    std::vector<std::string> notes_;
};

}  // namespace warpseq::python
