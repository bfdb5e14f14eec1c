// Progress on a terminal: a bar on standard error with an estimate of the time left, never with --quiet; it removes itself when
// done.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "libcore/base/observer.h"

namespace warpseq {

/// "45 s", "3 min 20 s", "2 h 5 min", "3 d 4 h".
std::string format_time_left(double seconds);

/// Where some work stands.
struct ProgressState {
    std::uint64_t done = 0, total = 0;  // total 0: unknown
    std::uint64_t done_before = 0;      // of `done`, what was there at the start: it says nothing about the pace
    double seconds = 0;                 // since the start
};

/// What the bar shows on a terminal of so many columns: "LABEL [####......]  40 %, 45 s left", or a count.
std::string progress_text(const std::string& label, const ProgressState& state, std::size_t columns);

/// Whether a bar stands on the terminal now. Async-signal-safe.
bool progress_is_drawn();

class ProgressBar final : public Progress {
   public:
    /// total 0: unknown, a count is shown instead of a bar.
    ProgressBar(std::string label, std::uint64_t total, bool quiet);
    ~ProgressBar() override;

    /// Redraws at most ten times a second.
    void update(std::uint64_t done) override;
    void restart(const std::string& label, std::uint64_t total, std::uint64_t done_before) override;
    void finish() override;

   private:
    std::string label_;
    std::uint64_t total_;
    std::uint64_t done_before_ = 0;
    bool active_;
    std::uint64_t started_ns_;
    std::uint64_t last_drawn_ns_ = 0;
};

/// Shows each piece of work as a bar, and notes as messages of the program; nothing where `quiet`.
class TerminalObserver final : public Observer {
   public:
    TerminalObserver(std::string program, bool quiet) : program_(std::move(program)), quiet_(quiet) {}
    std::unique_ptr<Progress> begin(const std::string& label, std::uint64_t total) override;
    void note(const std::string& text) override;

   private:
    std::string program_;
    bool quiet_;
};

}  // namespace warpseq
