// One line on a terminal, redrawn in place and removed at the end.
#include "apps/common/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <utility>

#include "apps/common/command_line.h"
#include "libcore/base/number_format.h"

namespace warpseq {

namespace {

constexpr std::uint64_t kRedrawEvery_ns = 100'000'000;
/// The time left is guessed from the pace so far, once that has lasted this long.
constexpr double kEstimateAfterSeconds = 2;

// For a signal handler, which reaches nothing but what is static.
std::atomic<bool> is_drawn{false};

std::uint64_t now_ns() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count());
}

}  // namespace

std::string format_time_left(double seconds) {
    const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
    const auto both = [](std::uint64_t large, const char* large_unit, std::uint64_t small, const char* small_unit) {
        return std::to_string(large) + " " + large_unit + " " + std::to_string(small) + " " + small_unit;
    };
    if (whole < 60) return std::to_string(whole) + " s";
    if (whole < 3600) return both(whole / 60, "min", whole % 60, "s");
    if (whole < 86400) return both(whole / 3600, "h", whole % 3600 / 60, "min");
    return both(whole / 86400, "d", whole % 86400 / 3600, "h");
}

std::string progress_text(const std::string& label, const ProgressState& state, std::size_t columns) {
    if (state.total == 0) return label + " " + format_count(state.done);
    const double total = static_cast<double>(state.total), done = std::min(total, static_cast<double>(state.done)),
                 done_now = done - static_cast<double>(state.done_before), fraction = done / total;
    std::string left;
    if (state.seconds > kEstimateAfterSeconds && done_now > 0 && done < total) {
        left = ", " + format_time_left(state.seconds * (total - done) / done_now) + " left";
    }
    const std::size_t around = label.size() + left.size() + 10;  // the label, " [", "] " and "100 %"
    const std::size_t width = columns > around + 10 ? std::min<std::size_t>(columns - around, 50) : 10;
    const auto filled = static_cast<std::size_t>(fraction * static_cast<double>(width));
    char percent[16];
    std::snprintf(percent, sizeof percent, "] %3d %%", static_cast<int>(fraction * 100));
    return label + " [" + std::string(filled, '#') + std::string(width - filled, '.') + percent + left;
}

bool progress_is_drawn() { return is_drawn; }

ProgressBar::ProgressBar(std::string label, std::uint64_t total, bool quiet)
    : label_(std::move(label)), total_(total), active_(!quiet && isatty(STDERR_FILENO) == 1), started_ns_(now_ns()) {}

ProgressBar::~ProgressBar() { ProgressBar::finish(); }

void ProgressBar::update(std::uint64_t done) {
    if (!active_) return;
    const std::uint64_t now = now_ns();
    if (now - last_drawn_ns_ < kRedrawEvery_ns) return;
    last_drawn_ns_ = now;
    winsize window{};
    const std::size_t columns =
        ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col : 80;
    const ProgressState state{done, total_, done_before_, static_cast<double>(now - started_ns_) * 1e-9};
    is_drawn = true;
    std::fprintf(stderr, "\r\033[K%s", progress_text(label_, state, columns).c_str());
}

void ProgressBar::restart(const std::string& label, std::uint64_t total, std::uint64_t done_before) {
    label_ = label;
    total_ = total;
    done_before_ = done_before;
    started_ns_ = now_ns();
}

void ProgressBar::finish() {
    if (active_ && last_drawn_ns_ != 0) std::fprintf(stderr, "\r\033[K");
    if (active_) is_drawn = false;
    active_ = false;
}

std::unique_ptr<Progress> TerminalObserver::begin(const std::string& label, std::uint64_t total) {
    return std::make_unique<ProgressBar>(label, total, quiet_);
}

void TerminalObserver::note(const std::string& text) {
    if (!quiet_) print_message(program_, text);
}

}  // namespace warpseq
