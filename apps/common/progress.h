// Progress on a terminal: a line on standard error with a bar and the time left. It disappears when
// the work is done.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "libcore/base/observer.h"

namespace warpseq {

/// Returns a time as "45 s", "3 min 20 s", "2 h 5 min" or "3 d 4 h".
std::string format_time_left(double seconds);

/// State of a piece of work.
struct ProgressState {
    std::uint64_t done = 0, total = 0;  // total 0: unknown
    std::uint64_t done_before = 0;      // part of `done` that an earlier run did; the pace is estimated without it
    double seconds = 0;                 // since the start
};

/// Returns the line for a terminal of `columns` columns, as "LABEL [####......]  40 %, 45 s left".
/// If the total is unknown it is the label and a count.
std::string progress_text(const std::string& label, const ProgressState& state, std::size_t columns);

/// Whether a progress line is on the terminal now. Async-signal-safe.
bool progress_is_drawn();

/// An observer that draws progress on standard error if that is a terminal, and prints notes as
/// messages of the program. With `quiet` it does neither.
///
/// A thread of its own redraws the line five times a second, starting after 0.3 seconds. So the
/// line is up to date even if the work reports its progress rarely. If there are several pieces of
/// work, the line shows the oldest one that has reported any progress, or the newest one if none
/// has.
class TerminalObserver final : public Observer {
   public:
    enum class Report { kElsewhere, kOnTerminal };

    /// If `report` is kOnTerminal and standard output is a terminal, nothing is drawn after the
    /// first piece of work is done, because lines of the report follow.
    TerminalObserver(std::string program, bool quiet, Report report = Report::kElsewhere);
    ~TerminalObserver() override;

    std::unique_ptr<Progress> begin(const std::string& label, std::uint64_t total) override;
    void note(const std::string& text) override;
    /// Prints a message of the program, quiet or not.
    void say(const std::string& text);

   private:
    class Line;
    class Piece;
    std::string program_;
    bool quiet_;
    std::shared_ptr<Line> line_;  // null if nothing is drawn
};

}  // namespace warpseq
