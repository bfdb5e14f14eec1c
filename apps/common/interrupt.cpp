#include "apps/common/interrupt.h"

#include <csignal>

namespace warpseq {

namespace {

// A signal handler reaches nothing but what is static.
std::atomic<bool> interrupt_raised{false};
static_assert(std::atomic<bool>::is_always_lock_free);
struct sigaction interrupt_before, terminate_before;

void raise_flag(int) { interrupt_raised.store(true, std::memory_order_relaxed); }

}  // namespace

InterruptFlag::InterruptFlag() {
    interrupt_raised.store(false);
    struct sigaction action {};
    action.sa_handler = raise_flag;
    sigemptyset(&action.sa_mask);
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    sigaction(SIGINT, &action, &interrupt_before);
    sigaction(SIGTERM, &action, &terminate_before);
    // Whoever started the program may want Ctrl-C ignored, as a shell does for work in the background.
    if (interrupt_before.sa_handler == SIG_IGN) sigaction(SIGINT, &interrupt_before, nullptr);
    if (terminate_before.sa_handler == SIG_IGN) sigaction(SIGTERM, &terminate_before, nullptr);
}

InterruptFlag::~InterruptFlag() {
    sigaction(SIGINT, &interrupt_before, nullptr);
    sigaction(SIGTERM, &terminate_before, nullptr);
}

const std::atomic<bool>& InterruptFlag::raised() const { return interrupt_raised; }

}  // namespace warpseq
