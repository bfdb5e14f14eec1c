// Progress on a terminal: a line on standard error with a bar and the time left, which removes
// itself when the work is done.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

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

/// What the line shows on a terminal of so many columns: "LABEL [####......]  40 %, 45 s left", or a count.
std::string progress_text(const std::string& label, const ProgressState& state, std::size_t columns);

/// Whether a line stands on the terminal now. Async-signal-safe.
bool progress_is_drawn();

/// Draws work on standard error, where that is a terminal, and prints notes as messages of the
/// program; nothing where `quiet`. A thread of its own draws the line anew five times a second,
/// from the first third of a second on, so that it is there however rarely the work tells how far
/// it is. Of several pieces of work it shows the oldest that has told anything, the newest where
/// none has.
class TerminalObserver final : public Observer {
   public:
    enum class Report { kElsewhere, kOnTerminal };

    /// Where the report goes to the same terminal, nothing is drawn any more once a piece of work
    /// is done: lines of the report follow.
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
    std::shared_ptr<Line> line_;  // none where nothing is drawn
};

}  // namespace warpseq
