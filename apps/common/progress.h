// A progress bar on standard error with an estimate of the time left, drawn on a terminal only and never with --quiet; it
// removes itself when done.
#pragma once

#include <cstdint>
#include <string>

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

class Progress {
   public:
    /// total 0: unknown, a count is shown instead of a bar.
    Progress(std::string label, std::uint64_t total, bool quiet);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Redraws at most ten times a second. All calls from one thread at a time.
    void update(std::uint64_t done);
    /// Other work begins, of which so much is done already.
    void restart(std::string label, std::uint64_t total, std::uint64_t done_before);
    void finish();

   private:
    std::string label_;
    std::uint64_t total_;
    std::uint64_t done_before_ = 0;
    bool active_;
    std::uint64_t started_ns_;
    std::uint64_t last_drawn_ns_ = 0;
};

}  // namespace warpseq
