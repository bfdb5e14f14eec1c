#include "apps/common/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "apps/common/progress.h"
#include "formats/io/shown_text.h"
#include "formats/io/unfinished_names.h"

namespace warpseq {

namespace {

// The variables below are static because signal handlers use them.
std::array<char, 32> program_name{};
std::array<char, PATH_MAX> kept_file{};
std::array<char, PATH_MAX> kept_file_shown{};
std::atomic<bool> has_kept_file{false};
std::atomic_flag ends = ATOMIC_FLAG_INIT;
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr std::array kHandledSignals = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};
using Dispositions = std::array<struct sigaction, kHandledSignals.size()>;
// The dispositions before prepare_process(), and those to restore when an OriginalSignals ends.
Dispositions original_dispositions{}, own_dispositions{};

void exchange_dispositions(const Dispositions& wanted, Dispositions& found) {
    for (std::size_t i = 0; i < kHandledSignals.size(); ++i) sigaction(kHandledSignals[i], &wanted[i], &found[i]);
}

template <std::size_t N>
void copy_text(std::string_view text, std::array<char, N>& to) {
    const std::size_t bytes = std::min(text.size(), N - 1);
    std::copy_n(text.data(), bytes, to.data());
    to[bytes] = '\0';
}

/// Writes a text to standard error, unless its reader has stopped reading.
void say(const char* text) {
    pollfd wanted{STDERR_FILENO, POLLOUT, 0};
    constexpr int kMostMilliseconds = 10;
    if (poll(&wanted, 1, kMostMilliseconds) != 1) return;
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
}

void end_process(int signal) {
    // If another thread is ending the process already, this one only waits.
    while (ends.test_and_set()) pause();
    remove_unfinished_files();
    if (signal != SIGPIPE && program_name[0] != '\0') {
        if (progress_is_drawn()) say("\r\033[K");
        say(program_name.data());
        say(": interrupted");
        if (has_kept_file && access(kept_file.data(), F_OK) == 0) {
            say("; ");
            say(kept_file_shown.data());
            say(" keeps the finished rows of blocks, if any; run the same command again to continue");
        }
        say("\n");
    }
    _exit(128 + signal);
}

/// Opens the standard streams that are closed, so that no file opened later gets, say, the number
/// of standard error.
void replace_closed_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(stream, F_GETFD) >= 0) continue;
        // open() returns the lowest free number, which is that of this stream. Reading and writing
        // fail as they would have without this; only messages vanish.
        const int opened = open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
        if (opened >= 0 && opened != stream) close(opened);
    }
}

}  // namespace

void set_program_name(std::string_view program) { copy_text(program, program_name); }

void prepare_process(std::string_view program) {
    set_program_name(program);
    replace_closed_streams();
    for (std::size_t i = 0; i < kHandledSignals.size(); ++i)
        sigaction(kHandledSignals[i], nullptr, &original_dispositions[i]);
    struct sigaction action {};
    action.sa_handler = end_process;
    sigfillset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
        struct sigaction before {};
        sigaction(signal, nullptr, &before);
        if (signal != SIGPIPE && before.sa_handler == SIG_IGN) continue;
        sigaction(signal, &action, nullptr);
    }
    std::signal(SIGXFSZ, SIG_IGN);
}

OriginalSignals::OriginalSignals() { exchange_dispositions(original_dispositions, own_dispositions); }

OriginalSignals::~OriginalSignals() {
    Dispositions replaced{};
    exchange_dispositions(own_dispositions, replaced);
}

void allow_most_open_files() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

KeptFileNote::KeptFileNote(const std::filesystem::path& file) {
    copy_text(file.string(), kept_file);
    copy_text(for_terminal(file.string()), kept_file_shown);
    has_kept_file = true;
}

KeptFileNote::~KeptFileNote() { has_kept_file = false; }

}  // namespace warpseq
