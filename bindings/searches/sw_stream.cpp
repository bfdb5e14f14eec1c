#include "bindings/searches/sw_stream.h"

#include <cstddef>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "bindings/searches/batch_stream.h"
#include "bindings/searches/session_options.h"
#include "bindings/searches/sw_hits.h"
#include "engines/query_set.h"
#include "engines/sw/sw_engine.h"
#include "engines/targets/share.h"

namespace warpseq {
namespace {

class SwSteps {
   public:
    using Hits = SequenceHits;
    struct Batch {
        SwBatch queries;
        std::future<Result<SwPartial>> scan;
        SwPartial partial;         // once the scan has ended
        std::size_t finished = 0;  // queries that are finished
        void wait() noexcept { wait_for(scan); }
    };

    SwSteps(std::shared_ptr<const SwSearchRun> run, std::unique_ptr<SwEngine> engine, QueryReader reader,
            std::uint64_t queries_before)
        : run_(std::move(run)),
          engine_(std::move(engine)),
          reader_(std::move(reader)),
          queries_before_(queries_before) {}

    const Session& session() const { return *run_->session; }
    std::size_t batches_in_flight() const { return engine_->batches_in_flight(); }
    std::vector<std::string> warnings() const { return reader_.warnings(); }
    static bool is_finished(const Batch& batch) { return batch.finished == batch.queries.queries.size(); }

    Result<std::unique_ptr<Batch>> start_batch(const SearchControl& control) {
        auto queries = next_queries(reader_, control);
        if (!queries.ok()) return queries.status();
        if (queries->empty()) return std::unique_ptr<Batch>();
        auto prepared = engine_->prepare(*std::move(queries));
        if (!prepared.ok()) return prepared.status();
        auto batch = std::make_unique<Batch>();
        batch->queries = *std::move(prepared);
        batch->scan = engine_->start_scan(batch->queries, whole_share(session().databases()), control);
        return batch;
    }

    Result<std::vector<std::shared_ptr<const Hits>>> finish_next(Batch& batch, const SearchControl& control) {
        if (batch.scan.valid()) {
            auto partial = batch.scan.get();
            if (!partial.ok()) return partial.status();
            batch.partial = *std::move(partial);
        }
        const std::size_t first = batch.finished;
        batch.finished = SwEngine::end_of_window(batch.partial, first);
        auto found = engine_->finish(batch.queries, batch.partial, first, batch.finished - first, {}, control);
        if (!found.ok()) return found.status();
        std::vector<std::shared_ptr<const Hits>> results;
        for (std::size_t q = 0; q < found->size(); ++q) {
            Query& query = batch.queries.queries[first + q];
            const std::uint64_t number = queries_before_ + query.number;
            results.push_back(std::make_shared<SwHits>(run_, number, std::move(query), std::move((*found)[q])));
        }
        return results;
    }

   private:
    std::shared_ptr<const SwSearchRun> run_;
    std::unique_ptr<SwEngine> engine_;
    QueryReader reader_;
    std::uint64_t queries_before_;
};

}  // namespace

Result<std::unique_ptr<ResultStream<SequenceHits>>> start_sw_search(std::shared_ptr<const Session> session,
                                                                    SwOptions options, QueryText queries,
                                                                    std::uint64_t queries_before, Observer& observer) {
    auto engine = SwEngine::create(*session, options.settings);
    if (!engine.ok()) return engine.status();
    QueryReader reader(queries.file(), (*engine)->batch_limits());
    auto run = std::make_shared<const SwSearchRun>(SwSearchRun{session, facts_of(session), std::move(options),
                                                               inputs_of(queries, session->settings().database_files),
                                                               (*engine)->statistics()});
    SwSteps steps(std::move(run), *std::move(engine), std::move(reader), queries_before);
    return std::unique_ptr<ResultStream<SequenceHits>>(
        std::make_unique<BatchStream<SwSteps>>(std::move(steps), std::move(queries), observer));
}

}  // namespace warpseq
