#include "bindings/searches/blastp_stream.h"

#include <cstddef>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "bindings/searches/batch_stream.h"
#include "bindings/searches/blastp_hits.h"
#include "bindings/searches/session_options.h"
#include "engines/blastp/query_parts.h"
#include "engines/targets/share.h"
#include "options/blastp/blastp_run.h"
#include "reports/blast/blastp_report_text.h"
#include "reports/blast/searched_databases.h"

namespace warpseq {
namespace {

class BlastpSteps {
   public:
    using Hits = SequenceHits;
    struct Batch {
        struct Place {
            std::uint64_t number, whole_residues;  // as in Query
        };
        std::vector<Place> places;  // of the queries
        BlastpBatch queries;
        std::future<Result<BlastpPartial>> scan;
        bool is_finished = false;
        void wait() noexcept { wait_for(scan); }
    };

    BlastpSteps(std::shared_ptr<const BlastpSearchRun> run, std::unique_ptr<BlastpEngine> engine,
                PartedQueryReader reader, ShownLines shown_lines, std::uint64_t queries_before)
        : run_(std::move(run)),
          engine_(std::move(engine)),
          reader_(std::move(reader)),
          shown_lines_(std::move(shown_lines)),
          queries_before_(queries_before) {}

    const Session& session() const { return *run_->session; }
    std::size_t batches_in_flight() const { return engine_->batches_in_flight(); }
    static bool is_finished(const Batch& batch) { return batch.is_finished; }

    std::vector<std::string> warnings() const {
        std::vector<std::string> warnings = reader_.warnings();
        if (auto advice = short_queries_.text(run_->options.settings)) warnings.push_back(*std::move(advice));
        return warnings;
    }

    Result<std::unique_ptr<Batch>> start_batch(const SearchControl& control) {
        auto queries = next_queries(reader_, control);
        if (!queries.ok()) return queries.status();
        if (queries->empty()) return std::unique_ptr<Batch>();
        auto batch = std::make_unique<Batch>();
        for (const QueryWithParts& each : *queries)
            batch->places.push_back({each.query.number, each.query.whole_residues});
        auto prepared = engine_->prepare(*std::move(queries), control);
        if (!prepared.ok()) return prepared.status();
        batch->queries = *std::move(prepared);
        batch->scan = engine_->start_scan(batch->queries, whole_share(session().databases()), control);
        return batch;
    }

    Result<std::vector<std::shared_ptr<const Hits>>> finish_next(Batch& batch, const SearchControl& control) {
        auto partial = batch.scan.get();
        if (!partial.ok()) return partial.status();
        auto found = engine_->finish(batch.queries, *std::move(partial), control);
        if (!found.ok()) return found.status();
        batch.is_finished = true;
        std::vector<std::shared_ptr<const Hits>> results;
        for (std::size_t q = 0; q < found->size(); ++q) {
            BlastpQueryResult& result = (*found)[q];
            BlastpQuery& query = batch.queries.queries[q];
            prepare_headers(session().databases(), run_->names, shown_lines_, run_->options.layout.has_ncbi_lines,
                            result);
            short_queries_.add(query.residues.size(), result.hits.size());
            // Reports do not need the table of words, which takes many times the memory of the
            // residues.
            query.finder.reset();
            query.parts.clear();
            results.push_back(std::make_shared<BlastpHits>(run_, queries_before_ + batch.places[q].number,
                                                           batch.places[q].whole_residues, std::move(query),
                                                           std::move(result)));
        }
        return results;
    }

   private:
    std::shared_ptr<const BlastpSearchRun> run_;
    std::unique_ptr<BlastpEngine> engine_;
    PartedQueryReader reader_;
    ShownLines shown_lines_;
    std::uint64_t queries_before_;
    ShortQueryAdvice short_queries_;
};

}  // namespace

Result<std::unique_ptr<ResultStream<SequenceHits>>> start_blastp_search(std::shared_ptr<const Session> session,
                                                                        BlastpOptions options,
                                                                        std::shared_ptr<const DeflineChoice> lines,
                                                                        QueryText queries, std::uint64_t queries_before,
                                                                        Observer& observer) {
    for (const std::string& warning : options.warnings) observer.note(warning);
    const DatabaseSet& databases = session->databases();
    BlastpNames names = names_of_files(names_of_databases(*session));
    name_databases(databases, names);
    WARPSEQ_TRY(find_taxa(databases, false, names));
    auto engine = BlastpEngine::create(*session, options.settings);
    if (!engine.ok()) return engine.status();
    FastaOptions reading = options.query_reading;
    reading.find_lower_case = options.settings.lower_case_masking;
    PartedQueryReader reader(queries.file(), (*engine)->batch_limits(), std::move(reading));
    ShownLines shown_lines = lines_chosen_by(std::move(lines), options.common.targets, databases);
    auto positives = positives_matrix(options.settings.scheme.matrix, kCodesWithoutPositives);
    auto run = std::make_shared<const BlastpSearchRun>(BlastpSearchRun{
        session, facts_of(session), std::move(options), inputs_of(queries, session->settings().database_files),
        std::move(names), (*engine)->statistics(), std::move(positives)});
    BlastpSteps steps(std::move(run), *std::move(engine), std::move(reader), std::move(shown_lines), queries_before);
    return std::unique_ptr<ResultStream<SequenceHits>>(
        std::make_unique<BatchStream<BlastpSteps>>(std::move(steps), std::move(queries), observer));
}

}  // namespace warpseq
