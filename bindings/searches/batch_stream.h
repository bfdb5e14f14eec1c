// The stream of results of an engine whose batches are scanned and then finished piece by piece.
#pragma once

#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/searches/query_text.h"
#include "bindings/searches/result_stream.h"
#include "engines/search_control.h"
#include "engines/session.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Reads the next batch of queries. If the queries look like nucleotides, it tells the observer.
template <typename Reader>
auto next_queries(Reader& reader, const SearchControl& control) {
    auto queries = reader.next_batch();
    if (const auto answer = reader.take_nucleotide_answer(); queries.ok() && answer) control.observer.note(*answer);
    return queries;
}

/// Blocks until nothing works for a scan any more.
template <typename Partial>
void wait_for(std::future<Partial>& scan) noexcept {
    if (scan.valid()) static_cast<void>(guarded([&] { return scan.get().status(); }));
}

/// A stream over the steps of one engine. `Steps` has these members:
///   - Hits: the result for one query.
///   - Batch: a batch of queries whose scan has started. wait() blocks until nothing works for it
///     any more, and does not throw.
///   - session(), and batches_in_flight(): the most batches to have in flight.
///   - start_batch(control): reads the next batch and starts its scan. Null after the last one.
///   - finish_next(batch, control): waits for the scan, and returns the results of the batch's next
///     queries. After the last ones is_finished(batch) is true.
///   - warnings(): as in ResultStream.
template <typename Steps>
class BatchStream final : public ResultStream<typename Steps::Hits> {
    using Hits = typename Steps::Hits;
    using Batch = typename Steps::Batch;

   public:
    /// The observer has to outlive the stream.
    BatchStream(Steps steps, QueryText text, Observer& observer)
        : text_(std::move(text)),
          observer_(text_, observer),
          steps_(std::move(steps)),
          control_{observer_, this->stop_token()} {}
    ~BatchStream() override {
        this->request_stop();
        for (const auto& batch : in_flight_) batch->wait();
    }

    Result<std::shared_ptr<const Hits>> next() override {
        while (ready_.empty()) {
            fill();
            if (in_flight_.empty()) {
                if (!failure_.ok()) return text_.named(failure_);
                return std::shared_ptr<const Hits>();
            }
            Status finished = finish_next();
            if (!finished.ok()) {
                has_more_ = false;
                for (const auto& batch : in_flight_) batch->wait();
                in_flight_.clear();
                return failure_ = steps_.session().explain(std::move(finished));
            }
        }
        auto hits = std::move(ready_.front());
        ready_.pop_front();
        return hits;
    }

    std::vector<std::string> warnings() const override {
        std::vector<std::string> warnings = steps_.warnings();
        for (std::string& warning : warnings) warning = text_.named(warning);
        return warnings;
    }

   private:
    /// Starts batches until enough are in flight. The error of a query is reported behind the
    /// queries before it.
    void fill() {
        while (has_more_ && in_flight_.size() < steps_.batches_in_flight()) {
            auto batch = steps_.start_batch(control_);
            failure_ = batch.status();
            has_more_ = batch.ok() && *batch != nullptr;
            if (has_more_) in_flight_.push_back(*std::move(batch));
        }
    }

    Status finish_next() {
        Batch& batch = *in_flight_.front();
        auto results = steps_.finish_next(batch, control_);
        if (!results.ok()) {
            this->request_stop();
            return results.status();
        }
        WARPSEQ_TRY(steps_.session().verify_unchanged());
        for (auto& hits : *results) ready_.push_back(std::move(hits));
        if (Steps::is_finished(batch)) in_flight_.pop_front();
        return {};
    }

    QueryText text_;
    NamingObserver observer_;
    Steps steps_;
    SearchControl control_;
    std::deque<std::unique_ptr<Batch>> in_flight_;
    std::deque<std::shared_ptr<const Hits>> ready_;
    bool has_more_ = true;
    Status failure_;
};

}  // namespace warpseq
