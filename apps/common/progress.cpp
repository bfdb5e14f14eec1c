// The progress line on a terminal, redrawn in place and removed at the end.
#include "apps/common/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <list>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include "apps/common/command_line.h"
#include "libcore/base/number_format.h"

namespace warpseq {

namespace {

using Clock = std::chrono::steady_clock;

/// Time before a piece of work is drawn. Shorter work is never drawn.
constexpr std::chrono::milliseconds kDrawnAfter{300};
constexpr std::chrono::milliseconds kRedrawEvery{200};
/// The time left is estimated from the pace so far, once the work has lasted this long.
constexpr double kEstimateAfterSeconds = 2;

// Static because a signal handler reads it.
std::atomic<bool> is_drawn{false};

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
    if (state.total == 0) return state.done == 0 ? label : label + " " + format_count(state.done);
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

/// The last line of the terminal, which all pieces of work share.
class TerminalObserver::Line {
   public:
    struct Work {
        std::string label;
        std::uint64_t total, done_before = 0;
        Clock::time_point start = Clock::now();
        std::atomic<std::uint64_t> done = 0;

        Work(std::string its_label, std::uint64_t its_total) : label(std::move(its_label)), total(its_total) {}
    };
    using Place = std::list<Work>::iterator;

    explicit Line(Report report) : report_(report), drawer_([this](const std::stop_token& stop) { draw_on(stop); }) {}

    Place add(const std::string& label, std::uint64_t total) {
        const std::lock_guard lock(mutex_);
        return works_.emplace(works_.end(), label, total);
    }
    void restart(Place work, const std::string& label, std::uint64_t total, std::uint64_t done_before) {
        const std::lock_guard lock(mutex_);
        work->label = label;
        work->total = total;
        work->done_before = done_before;
        work->done = done_before;
        work->start = Clock::now();
    }
    void remove(Place work) {
        const std::lock_guard lock(mutex_);
        works_.erase(work);
        report_follows_ = report_ == Report::kOnTerminal;
        if (works_.empty() || report_follows_) erase();
    }
    /// Erases the progress line and prints something else in its place.
    template <typename Print>
    void give_way(const Print& print) {
        const std::lock_guard lock(mutex_);
        erase();
        print();
    }

   private:
    void draw_on(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (!stop.stop_requested()) {
            changed_.wait_for(lock, stop, kRedrawEvery, [] { return false; });
            if (!stop.stop_requested() && !report_follows_) draw();
        }
    }
    void draw() {
        if (works_.empty()) return;
        auto shown = std::ranges::find_if(works_, [](const Work& work) { return work.done != work.done_before; });
        if (shown == works_.end()) shown = std::prev(works_.end());
        const auto now = Clock::now();
        if (!is_drawn && now - works_.front().start < kDrawnAfter) return;
        winsize window{};
        const std::size_t columns =
            ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col : 80;
        const ProgressState state{shown->done, shown->total, shown->done_before,
                                  std::chrono::duration<double>(now - shown->start).count()};
        is_drawn = true;
        std::fprintf(stderr, "\r\033[K%s", progress_text(shown->label, state, columns).c_str());
    }
    void erase() {
        if (is_drawn.exchange(false)) std::fprintf(stderr, "\r\033[K");
    }

    const Report report_;
    std::mutex mutex_;  // guards all members but atomic ones
    std::condition_variable_any changed_;
    std::list<Work> works_;
    bool report_follows_ = false;
    std::jthread drawer_;  // the last member: it uses the others
};

class TerminalObserver::Piece final : public Progress {
   public:
    Piece(std::shared_ptr<Line> line, const std::string& label, std::uint64_t total)
        : line_(std::move(line)), work_(line_->add(label, total)) {}
    ~Piece() override { Piece::finish(); }

    void update(std::uint64_t done) override {
        if (line_) work_->done = done;
    }
    void restart(const std::string& label, std::uint64_t total, std::uint64_t done_before) override {
        if (line_) line_->restart(work_, label, total, done_before);
    }
    void finish() override {
        if (const auto line = std::exchange(line_, nullptr)) line->remove(work_);
    }

   private:
    std::shared_ptr<Line> line_;  // null once the work is finished
    Line::Place work_;
};

TerminalObserver::TerminalObserver(std::string program, bool quiet, Report report)
    : program_(std::move(program)), quiet_(quiet) {
    if (quiet || isatty(STDERR_FILENO) != 1) return;
    if (report == Report::kOnTerminal && isatty(STDOUT_FILENO) != 1) report = Report::kElsewhere;
    try {
        line_ = std::make_shared<Line>(report);
    } catch (const std::system_error&) {
        // The system has no thread for drawing, so nothing is drawn.
    }
}

TerminalObserver::~TerminalObserver() = default;

std::unique_ptr<Progress> TerminalObserver::begin(const std::string& label, std::uint64_t total) {
    if (!line_) return Observer::begin(label, total);
    return std::make_unique<Piece>(line_, label, total);
}

void TerminalObserver::note(const std::string& text) {
    if (!quiet_) say(text);
}

void TerminalObserver::say(const std::string& text) {
    if (!line_) return print_message(program_, text);
    line_->give_way([&] { print_message(program_, text); });
}

}  // namespace warpseq
