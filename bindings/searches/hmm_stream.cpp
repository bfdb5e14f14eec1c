#include "bindings/searches/hmm_stream.h"

#include <deque>
#include <future>
#include <optional>
#include <utility>
#include <vector>

#include "engines/hmm/hmm_engine.h"
#include "engines/hmm/hmm_query_reader.h"
#include "engines/search_control.h"
#include "engines/targets/share.h"

namespace warpseq {
namespace {

class HmmSearchStream final : public HmmStream {
   public:
    HmmSearchStream(std::shared_ptr<const HmmSearchRun> run, QueryText text, HmmQueryReader queries,
                    std::unique_ptr<HmmEngine> engine, Observer& observer)
        : run_(std::move(run)),
          text_(std::move(text)),
          queries_(std::move(queries)),
          engine_(std::move(engine)),
          control_{observer, stop_token()} {}
    ~HmmSearchStream() override {
        request_stop();
        for (const auto& batch : in_flight_) batch->reports.wait();
    }

    Result<std::shared_ptr<const HmmHits>> next() override;
    std::vector<std::string> warnings() const override { return queries_.warnings(); }

   private:
    struct Batch {
        HmmBatch profiles;
        std::future<Result<std::vector<HmmReport>>> reports;
    };

    Status start_batch();
    Result<std::vector<HmmReport>> search(Batch& batch, std::future<Result<HmmPartial>> scan);
    void hand_over(Batch& batch, std::vector<HmmReport> reports);

    std::shared_ptr<const HmmSearchRun> run_;
    QueryText text_;
    HmmQueryReader queries_;
    std::unique_ptr<HmmEngine> engine_;
    SearchControl control_;
    std::deque<std::unique_ptr<Batch>> in_flight_;
    std::deque<std::shared_ptr<const HmmHits>> ready_;
    std::uint64_t query_count_ = 0;
    bool has_more_ = true;
    Status failure_;  // the error of a query, which is reported behind the queries before it
};

Result<std::shared_ptr<const HmmHits>> HmmSearchStream::next() {
    while (ready_.empty()) {
        while (has_more_ && in_flight_.size() < engine_->batches_in_flight()) {
            failure_ = start_batch();
            has_more_ = has_more_ && failure_.ok();
        }
        if (in_flight_.empty()) {
            if (!failure_.ok()) return text_.named(failure_);
            return std::shared_ptr<const HmmHits>();
        }
        auto reports = in_flight_.front()->reports.get();
        const std::unique_ptr<Batch> batch = std::move(in_flight_.front());
        in_flight_.pop_front();
        Status status = reports.status();
        if (status.ok()) status = run_->session->verify_unchanged();
        if (!status.ok()) {
            has_more_ = false;
            failure_ = status = run_->session->explain(std::move(status));
            return status;
        }
        hand_over(*batch, *std::move(reports));
    }
    auto hits = std::move(ready_.front());
    ready_.pop_front();
    return hits;
}

/// Reads the next batch and starts its search. Clears has_more_ after the last one.
Status HmmSearchStream::start_batch() {
    auto preparing = control_.observer.begin("Preparing queries", 0);
    auto profiles = queries_.next_batch(control_.stop);
    if (!profiles.ok()) return profiles.status();
    if (const auto answer = queries_.take_nucleotide_answer()) control_.observer.note("warning: " + *answer);
    std::vector<HmmThresholds> thresholds;
    Status lack;  // the first profile without the cutoffs that the options ask for; those before it are searched
    for (const ProfileHmm& profile : *profiles) {
        auto each = thresholds_for(run_->options, profile);
        lack = each.status();
        if (!lack.ok()) break;
        thresholds.push_back(*each);
    }
    profiles->resize(thresholds.size());
    has_more_ = lack.ok() && !profiles->empty();
    if (profiles->empty()) return lack;
    auto batch = std::make_unique<Batch>();
    auto prepared = engine_->prepare(*std::move(profiles), std::move(thresholds), control_.stop);
    if (!prepared.ok()) return prepared.status();
    preparing.reset();
    batch->profiles = *std::move(prepared);
    auto scan = engine_->start_scan(batch->profiles, whole_share(run_->session->databases()), control_);
    // If several batches are in flight, a thread waits for each of them and finishes it while others
    // are filtered. With both policies libstdc++ defers the work if no thread can be started.
    const std::launch policy =
        engine_->batches_in_flight() > 1 ? std::launch::async | std::launch::deferred : std::launch::deferred;
    batch->reports = std::async(policy, [this, &each = *batch, started = std::move(scan)]() mutable {
        return guarded([&] { return search(each, std::move(started)); });
    });
    in_flight_.push_back(std::move(batch));
    return lack;
}

Result<std::vector<HmmReport>> HmmSearchStream::search(Batch& batch, std::future<Result<HmmPartial>> scan) {
    auto partial = scan.get();
    if (!partial.ok()) return partial.status();
    return engine_->finish(batch.profiles, *std::move(partial), control_);
}

void HmmSearchStream::hand_over(Batch& batch, std::vector<HmmReport> reports) {
    for (std::size_t p = 0; p < reports.size(); ++p) {
        auto hits = std::make_shared<HmmHits>();
        hits->run = run_;
        hits->number = query_count_++;
        hits->query = HmmQuery(batch.profiles.profiles[p], batch.profiles.pipelines[p]->forward_profile());
        hits->hmm = std::make_shared<const ProfileHmm>(std::move(batch.profiles.profiles[p]));
        hits->report = std::move(reports[p]);
        ready_.push_back(std::move(hits));
    }
}

}  // namespace

Result<std::unique_ptr<HmmStream>> start_hmm_search(std::shared_ptr<const Session> session, HmmOptions options,
                                                    QueryText queries, Observer& observer) {
    HmmQuerySettings query_settings = query_settings_of(options, queries.file());
    query_settings.sequence_format = options.query_format;
    auto reader = HmmQueryReader::open(query_settings, HmmEngine::batch_limits(*session), session->pool());
    if (!reader.ok()) return queries.named(reader.status());
    auto engine = HmmEngine::create(*session, engine_settings_of(options));
    if (!engine.ok()) return engine.status();
    auto run = std::make_shared<HmmSearchRun>();
    run->session = std::move(session);
    run->kind = reader->kind();
    options.run.query_file = queries.name();
    run->options = std::move(options);
    return std::unique_ptr<HmmStream>(std::make_unique<HmmSearchStream>(
        std::move(run), std::move(queries), *std::move(reader), *std::move(engine), observer));
}

}  // namespace warpseq
