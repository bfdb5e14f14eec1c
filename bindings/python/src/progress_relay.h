// Progress of the library's work as calls of a Python function.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "bindings/python/src/arguments.h"
#include "libcore/base/observer.h"

namespace warpseq::python {

/// An observer that passes progress on to a Python function in the thread that calls show(). Notes
/// become warnings. If several pieces of work live at once, the oldest one that has reported any
/// progress is shown.
class ProgressRelay final : public Observer {
   public:
    /// `callback` is called as callback(label, done, total). If it is None, nothing is called.
    /// total is 0 if it is not known.
    explicit ProgressRelay(nb::object callback) : callback_(std::move(callback)) {}

    std::unique_ptr<Progress> begin(const std::string& label, std::uint64_t total) override;
    void note(const std::string& text) override { notes_.note(text); }

    /// Calls the function if there is progress that it has not been told, at most ten times a
    /// second. Throws the exception that leaves the function. Needs the GIL.
    void show();
    /// Does the same without regard to the time, and issues the notes. Called at the end.
    void show_last();
    /// Issues the notes alone, when the work has failed.
    void issue_notes() { notes_.issue(); }

   private:
    struct Work {
        std::string label;
        std::uint64_t done = 0, total = 0;
        bool has_progress = false;
        bool operator==(const Work&) const = default;
    };
    class Piece;
    void call();

    nb::object callback_;
    NoteCollector notes_;
    std::mutex mutex_;  // guards the members below
    std::list<Work> works_;
    Work last_finished_;
    Work told_;
    std::chrono::steady_clock::time_point next_call_ = std::chrono::steady_clock::now();
};

}  // namespace warpseq::python
