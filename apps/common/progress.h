// A progress bar on standard error, drawn on a terminal only and never with --quiet; it removes itself when done.
#pragma once

#include <cstdint>
#include <string>

namespace warpseq {

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
    std::uint64_t last_drawn_ns_ = 0;
};

}  // namespace warpseq
