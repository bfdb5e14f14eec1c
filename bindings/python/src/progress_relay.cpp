#include "bindings/python/src/progress_relay.h"

#include <algorithm>
#include <utility>

#include "bindings/python/src/text.h"

namespace warpseq::python {

/// A piece of work in the list of its relay.
class ProgressRelay::Piece final : public Progress {
   public:
    Piece(ProgressRelay& relay, const std::string& label, std::uint64_t total) : relay_(relay) {
        const std::lock_guard lock(relay_.mutex_);
        work_ = relay_.works_.insert(relay_.works_.end(), {label, 0, total, false});
    }
    ~Piece() override { Piece::finish(); }

    void update(std::uint64_t done) override {
        const std::lock_guard lock(relay_.mutex_);
        if (is_finished_) return;
        work_->has_progress = work_->has_progress || done != work_->done;
        work_->done = work_->total == 0 ? done : std::min(done, work_->total);
    }
    void restart(const std::string& label, std::uint64_t total, std::uint64_t done_before) override {
        const std::lock_guard lock(relay_.mutex_);
        if (!is_finished_) *work_ = {label, done_before, total, false};
    }
    void finish() override {
        const std::lock_guard lock(relay_.mutex_);
        if (is_finished_) return;
        is_finished_ = true;
        if (work_->has_progress) relay_.last_finished_ = *work_;
        relay_.works_.erase(work_);
    }

   private:
    ProgressRelay& relay_;
    std::list<Work>::iterator work_;
    bool is_finished_ = false;
};

std::unique_ptr<Progress> ProgressRelay::begin(const std::string& label, std::uint64_t total) {
    return std::make_unique<Piece>(*this, label, total);
}

void ProgressRelay::call() {
    Work shown;
    {
        const std::lock_guard lock(mutex_);
        const auto working = std::ranges::find_if(works_, [](const Work& work) { return work.has_progress; });
        shown = working != works_.end() ? *working : last_finished_;
        if (!shown.has_progress || shown == told_) return;
        told_ = shown;
    }
    call_with(callback_, text_of_file(shown.label), nb::int_(shown.done), nb::int_(shown.total));
}

void ProgressRelay::show() {
    constexpr std::chrono::milliseconds kBetweenCalls{100};
    const auto now = std::chrono::steady_clock::now();
    if (callback_.is_none() || now < next_call_) return;
    next_call_ = now + kBetweenCalls;
    call();
}

void ProgressRelay::show_last() {
    if (!callback_.is_none()) call();
    notes_.issue();
}

}  // namespace warpseq::python
