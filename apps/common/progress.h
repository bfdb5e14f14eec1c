// A progress bar on standard error with an estimate of the time left, drawn on a terminal only and never with --quiet; it removes
// itself when done.
#pragma once

#include <cstdint>
#include <string>

namespace warpseq {

/// "45 s", "3 min 20 s", "2 h 5 min", "3 d 4 h".
std::string format_time_left(double seconds);

class Progress {
   public:
    /// total 0: unknown, a count is shown instead of a bar.
    Progress(std::string label, std::uint64_t total, bool quiet);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Redraws at most ten times a second. From one thread at a time.
    void update(std::uint64_t done);
    void finish();

   private:
    std::string label_;
    std::uint64_t total_;
    bool active_;
    std::uint64_t started_ns_;
    std::uint64_t last_drawn_ns_ = 0;
};

}  // namespace warpseq
