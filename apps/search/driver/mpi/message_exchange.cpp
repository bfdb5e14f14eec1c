#include "apps/search/driver/mpi/message_exchange.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

namespace warpseq {
namespace {

/// Most bytes of one MPI call, since counts of MPI are ints.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

/// Pauses between two checks of a thread that has found nothing to do. Each check takes the
/// processor from threads that compute (at 1000 a second, one part in a hundred). The answers to
/// requests are not needed at once. While messages are being sent the pause is short, because a
/// receiver may be waiting for the rest of one.
constexpr std::chrono::microseconds kPause(4000), kPauseWithMessages(100);

}  // namespace

MessageExchange::MessageExchange(MPI_Comm communicator) : communicator_(communicator) {}

MessageExchange::~MessageExchange() {
    {
        const std::lock_guard lock(mutex_);
        is_stopped_ = true;
    }
    is_to_do_.notify_all();
    if (thread_.joinable()) thread_.join();
}

Status MessageExchange::start() {
    return guarded([&]() -> Status {
        try {
            thread_ = std::thread([this] { run_guarded(); });
        } catch (const std::system_error& error) {
            return Status::unavailable("cannot start the thread that exchanges messages with other ranks: " +
                                       std::string(error.what()) + "; raise the limit on processes (ulimit -u)");
        }
        return {};
    });
}

void MessageExchange::run_guarded() {
    Status status = guarded([&] { run(); });
    if (status.ok()) return;
    if (status.code() == StatusCode::kOutOfMemory) {
        status = Status::out_of_memory(
            "out of memory for what other ranks send; start fewer ranks on each machine, or search with stricter "
            "thresholds");
    }
    {
        const std::lock_guard lock(mutex_);
        failure_ = std::move(status);
        has_given_up_ = true;
        arrived_.notify_all();
    }
    if (at_failure_) at_failure_();
}

void MessageExchange::send(int rank, Subject subject, std::string bytes) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t size = bytes.size();
    outbox_.push_back({rank, subject, std::move(bytes), {subject.batch, size}, {}});
    is_to_do_.notify_all();
}

Result<std::string> MessageExchange::receive(int rank, Subject subject) {
    const Key key(rank, subject.kind, subject.batch);
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return has_given_up_ || inbox_.contains(key); });
    if (has_given_up_) return status_of_end_locked();
    // The messages of one key are kept in the order in which they came.
    return std::move(inbox_.extract(inbox_.lower_bound(key)).mapped());
}

void MessageExchange::give_up() {
    const std::lock_guard lock(mutex_);
    has_given_up_ = true;
    arrived_.notify_all();
}

Status MessageExchange::status_of_end_locked() const { return failure_.ok() ? Status::interrupted() : failure_; }

Status MessageExchange::status_of_end() {
    const std::lock_guard lock(mutex_);
    return status_of_end_locked();
}

Status MessageExchange::finish() {
    {
        const std::lock_guard lock(mutex_);
        is_finishing_ = true;
    }
    is_to_do_.notify_all();
    thread_.join();
    const std::lock_guard lock(mutex_);
    return failure_;
}

/// Sends new messages and drops those that have arrived. Returns false if there was nothing to do.
/// A synchronous send is complete when it is received, so no message is on its way once all sends
/// are complete.
bool MessageExchange::send_all() {
    std::list<Outgoing> fresh;
    {
        const std::lock_guard lock(mutex_);
        fresh.swap(outbox_);
    }
    const bool are_fresh = !fresh.empty();
    // Messages that are being sent stay at their addresses, even if memory runs out, because MPI
    // reads them.
    const auto first_fresh = fresh.begin();
    for (Outgoing& each : fresh) each.requests.reserve(1 + (each.bytes.size() + kMostBytes - 1) / kMostBytes);
    on_their_way_.splice(on_their_way_.end(), fresh);
    for (auto at_message = first_fresh; are_fresh && at_message != on_their_way_.end(); ++at_message) {
        Outgoing& each = *at_message;
        const auto post = [&](const void* bytes, std::uint64_t count, MPI_Datatype type) {
            MPI_Issend(bytes, static_cast<int>(count), type, each.rank, each.subject.kind, communicator_,
                       &each.requests.emplace_back());
        };
        post(each.frame, 2, MPI_UINT64_T);
        for (std::uint64_t at = 0; at < each.bytes.size(); at += kMostBytes)
            post(each.bytes.data() + at, std::min(each.bytes.size() - at, kMostBytes), MPI_BYTE);
    }
    const auto is_there = [](Outgoing& each) {
        int are_done = 0;
        MPI_Testall(static_cast<int>(each.requests.size()), each.requests.data(), &are_done, MPI_STATUSES_IGNORE);
        return are_done != 0;
    };
    return on_their_way_.remove_if(is_there) > 0 || are_fresh;
}

/// Receives one message. Returns false if there was none.
bool MessageExchange::receive_one() {
    int is_any = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicator_, &is_any, &status);
    if (is_any == 0) return false;
    const int rank = status.MPI_SOURCE, kind = status.MPI_TAG;
    std::uint64_t frame[2] = {};
    MPI_Recv(frame, 2, MPI_UINT64_T, rank, kind, communicator_, MPI_STATUS_IGNORE);
    const auto [batch, size] = frame;
    std::string bytes(size, '\0');
    for (std::uint64_t at = 0; at < size; at += kMostBytes) {
        MPI_Recv(bytes.data() + at, static_cast<int>(std::min(size - at, kMostBytes)), MPI_BYTE, rank, kind,
                 communicator_, MPI_STATUS_IGNORE);
    }
    if (const auto handler = handlers_.find(kind); handler != handlers_.end()) {
        handler->second(rank, batch, std::move(bytes));
        return true;
    }
    const std::lock_guard lock(mutex_);
    inbox_.emplace(Key(rank, kind, batch), std::move(bytes));
    arrived_.notify_all();
    return true;
}

void MessageExchange::run() {
    MPI_Request all_are_here = MPI_REQUEST_NULL;
    bool waits_for_all = false;
    while (true) {
        bool has_worked = send_all();
        while (receive_one()) has_worked = true;
        bool is_finishing = false;
        {
            const std::lock_guard lock(mutex_);
            if (is_stopped_) return;
            is_finishing = is_finishing_ && outbox_.empty() && on_their_way_.empty();
        }
        if (is_finishing && !waits_for_all) {
            MPI_Ibarrier(communicator_, &all_are_here);
            waits_for_all = true;
        }
        if (waits_for_all) {
            int are_here = 0;
            MPI_Test(&all_are_here, &are_here, MPI_STATUS_IGNORE);
            if (are_here != 0) return;
        }
        if (has_worked) continue;
        std::unique_lock lock(mutex_);
        const bool can_finish = on_their_way_.empty() && !waits_for_all;
        is_to_do_.wait_for(lock, on_their_way_.empty() ? kPause : kPauseWithMessages,
                           [&] { return !outbox_.empty() || is_stopped_ || (is_finishing_ && can_finish); });
    }
}

}  // namespace warpseq
