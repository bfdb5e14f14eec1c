// A search that hands over its results one query after the other. Bindings and servers run searches
// this way. The programs have a driver of their own, which writes reports and divides searches.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engines/session.h"
#include "libcore/base/status.h"

namespace warpseq {

/// A running search. `Hits` is the result for one query.
template <typename Hits>
class ResultStream {
   public:
    virtual ~ResultStream() = default;
    /// Returns the result for the next query, in the order of the queries, or null after the last
    /// one. Blocks until it is there. Must not be called from two threads at the same time. After
    /// an error the search is over.
    virtual Result<std::shared_ptr<const Hits>> next() = 0;
    /// Ends the search soon, from any thread. next() then returns Status::interrupted().
    void request_stop() { stop_.request_stop(); }
    /// Returns warnings about the queries so far, one sentence each.
    virtual std::vector<std::string> warnings() const = 0;

   protected:
    std::stop_token stop_token() const { return stop_.get_token(); }

   private:
    std::stop_source stop_;
};

/// A running search whose queries are searched in batches, of which several may be in flight. The
/// destructor of a derived class has to call give_up() first.
template <typename Hits>
class BatchedStream : public ResultStream<Hits> {
   public:
    Result<std::shared_ptr<const Hits>> next() final {
        while (ready_.empty()) {
            while (has_more_ && in_flight_.size() < batches_in_flight()) {
                Result<bool> started = start_batch();
                failure_ = started.status();
                has_more_ = started.ok() && *started;
            }
            if (in_flight_.empty()) {
                if (!failure_.ok()) return failure_;
                return std::shared_ptr<const Hits>();
            }
            Result<Found> found = in_flight_.front().get();
            in_flight_.pop_front();
            Status status = found.status();
            if (status.ok()) status = session_->verify_unchanged();
            if (!status.ok()) {
                has_more_ = false;
                failure_ = session_->explain(std::move(status));
                give_up();
                return failure_;
            }
            for (auto& hits : *found) ready_.push_back(std::move(hits));
        }
        std::shared_ptr<const Hits> hits = std::move(ready_.front());
        ready_.pop_front();
        return hits;
    }

   protected:
    using Found = std::vector<std::shared_ptr<const Hits>>;

    explicit BatchedStream(std::shared_ptr<const Session> session) : session_(std::move(session)) {}

    const Session& session() const { return *session_; }
    /// Returns how many batches should be in flight at a time.
    virtual std::size_t batches_in_flight() const = 0;
    /// Reads the next batch and hands its search to search(). Returns whether there may be more
    /// batches. An error is reported behind the batches before it.
    virtual Result<bool> start_batch() = 0;
    /// Starts the search of a batch, or lets next() run it if only one batch is in flight.
    void search(std::function<Result<Found>()> work) {
        // With both policies libstdc++ defers the work if no thread can be started.
        const std::launch policy =
            batches_in_flight() > 1 ? std::launch::async | std::launch::deferred : std::launch::deferred;
        in_flight_.push_back(std::async(policy, [work = std::move(work)] { return guarded(work); }));
    }
    /// Stops the batches in flight and waits for them.
    void give_up() {
        if (in_flight_.empty()) return;
        this->request_stop();
        in_flight_.clear();
    }

   private:
    std::shared_ptr<const Session> session_;
    std::deque<std::future<Result<Found>>> in_flight_;
    std::deque<std::shared_ptr<const Hits>> ready_;
    bool has_more_ = true;
    Status failure_;
};

}  // namespace warpseq
