#include "bindings/searches/hmm_stream.h"

#include <cstddef>
#include <filesystem>
#include <future>
#include <string>
#include <system_error>
#include <utility>

#include "bindings/searches/batch_stream.h"
#include "bindings/searches/session_options.h"
#include "engines/hmm/hmm_engine.h"
#include "engines/hmm/hmm_model_search.h"
#include "engines/hmm/hmm_query_reader.h"
#include "engines/hmm/hmm_sequence_batch.h"
#include "engines/search_control.h"
#include "engines/targets/share.h"
#include "libcore/base/async_in_scope.h"
#include "options/hmmscan/hmmscan_options.h"

namespace warpseq {
namespace {

using Found = std::vector<std::shared_ptr<const HmmHits>>;

/// A batch whose search and finish are one piece of work.
struct HmmStreamBatch {
    std::future<Result<Found>> found;
    bool is_finished = false;

    void wait() noexcept { wait_for(found); }
};

/// Starts `work` in a thread of its own, or lets the one that waits do it if only one batch is in
/// flight.
template <typename Work>
std::unique_ptr<HmmStreamBatch> batch_of(std::size_t batches_in_flight, Work work) {
    // With both policies libstdc++ defers the work if no thread can be started.
    const std::launch policy =
        batches_in_flight > 1 ? std::launch::async | std::launch::deferred : std::launch::deferred;
    auto batch = std::make_unique<HmmStreamBatch>();
    batch->found =
        async_in_scope(policy, [work = std::move(work)]() mutable { return guarded([&] { return work(); }); });
    return batch;
}

/// The base of the steps (batch_stream.h) of all profile searches.
class ProfileSteps {
   public:
    using Hits = HmmHits;
    using Batch = HmmStreamBatch;

    explicit ProfileSteps(std::shared_ptr<const HmmSearchRun> run) : run_(std::move(run)) {}

    const Session& session() const { return *run_->session; }
    static bool is_finished(const Batch& batch) { return batch.is_finished; }
    Result<Found> finish_next(Batch& batch, const SearchControl&) {
        batch.is_finished = true;
        return batch.found.get();
    }

   protected:
    std::shared_ptr<const HmmSearchRun> run_;
};

/// The base of the steps of searches whose queries are profiles.
class QuerySteps : public ProfileSteps {
   public:
    QuerySteps(std::shared_ptr<const HmmSearchRun> run, HmmQueryReader queries, std::unique_ptr<HmmEngine> engine)
        : ProfileSteps(std::move(run)), queries_(std::move(queries)), engine_(std::move(engine)) {}

    std::size_t batches_in_flight() const { return engine_->batches_in_flight(); }
    std::vector<std::string> warnings() const { return queries_.warnings(); }

   protected:
    Result<std::vector<ProfileHmm>> next_profiles(const SearchControl& control) {
        auto preparing = control.observer.begin("Preparing queries", 0);
        auto profiles = queries_.next_batch(control.stop);
        if (const auto answer = queries_.take_nucleotide_answer(); profiles.ok() && answer)
            control.observer.note(*answer);
        return profiles;
    }

    HmmQueryReader queries_;
    std::unique_ptr<HmmEngine> engine_;
};

class SearchSteps final : public QuerySteps {
   public:
    using QuerySteps::QuerySteps;

    Result<std::unique_ptr<Batch>> start_batch(const SearchControl& control);

   private:
    Result<Found> finish(HmmBatch& batch, std::future<Result<HmmPartial>>& scan, const SearchControl& control);

    Status lack_;  // of cutoffs, by a query whose predecessors are still searched
};

Result<std::unique_ptr<SearchSteps::Batch>> SearchSteps::start_batch(const SearchControl& control) {
    WARPSEQ_TRY(lack_);
    auto profiles = next_profiles(control);
    if (!profiles.ok()) return profiles.status();
    std::vector<HmmThresholds> thresholds;
    for (const ProfileHmm& profile : *profiles) {
        auto each = thresholds_for(run_->options, profile);
        lack_ = each.status();
        if (!lack_.ok()) break;
        thresholds.push_back(*each);
    }
    profiles->resize(thresholds.size());
    if (profiles->empty()) {
        WARPSEQ_TRY(lack_);
        return std::unique_ptr<Batch>();
    }
    auto prepared = engine_->prepare(*std::move(profiles), std::move(thresholds), control.stop);
    if (!prepared.ok()) return prepared.status();
    // The scan refers to the batch, which therefore stays where it is, and outlives the scan.
    auto batch = std::make_unique<HmmBatch>(*std::move(prepared));
    auto scan = engine_->start_scan(*batch, whole_share(session().databases()), control);
    return batch_of(batches_in_flight(),
                    [this, &control, prepared_batch = std::move(batch), started = std::move(scan)]() mutable {
                        return finish(*prepared_batch, started, control);
                    });
}

Result<Found> SearchSteps::finish(HmmBatch& batch, std::future<Result<HmmPartial>>& scan,
                                  const SearchControl& control) {
    auto partial = scan.get();
    if (!partial.ok()) return partial.status();
    auto reports = engine_->finish(batch, *std::move(partial), control);
    if (!reports.ok()) return reports.status();
    Found found;
    for (std::size_t p = 0; p < reports->size(); ++p) {
        auto hits = std::make_shared<HmmHits>();
        hits->run = run_;
        hits->query = HmmQuery(batch.profiles[p], batch.pipelines[p]->forward_profile());
        hits->hmm = std::make_shared<const ProfileHmm>(batch.profiles[p]);
        hits->report = std::move((*reports)[p]);
        found.push_back(std::move(hits));
    }
    return found;
}

class JackhmmerSteps final : public QuerySteps {
   public:
    JackhmmerSteps(HmmRoundsSettings settings, std::shared_ptr<const HmmSearchRun> run, HmmQueryReader queries,
                   std::unique_ptr<HmmEngine> engine)
        : QuerySteps(std::move(run), std::move(queries), std::move(engine)), settings_(std::move(settings)) {}

    Result<std::unique_ptr<Batch>> start_batch(const SearchControl& control) {
        auto profiles = next_profiles(control);
        if (!profiles.ok()) return profiles.status();
        if (profiles->empty()) return std::unique_ptr<Batch>();
        return batch_of(batches_in_flight(),
                        [this, &control, queries = *std::move(profiles)] { return search_rounds(queries, control); });
    }

   private:
    Result<Found> search_rounds(const std::vector<ProfileHmm>& queries, const SearchControl& control);

    HmmRoundsSettings settings_;
};

Result<Found> JackhmmerSteps::search_rounds(const std::vector<ProfileHmm>& queries, const SearchControl& control) {
    Found last(queries.size());
    std::vector<Found> earlier(queries.size());
    const auto times =
        search_in_rounds(*engine_, session(), queries, settings_, control, [&](const HmmRound& round) -> Status {
            auto hits = std::make_shared<HmmHits>();
            hits->run = run_;
            hits->query = HmmQuery(round.hmm, round.odds);
            hits->hmm = std::make_shared<const ProfileHmm>(round.hmm);
            hits->report = std::move(round.report);
            hits->own_profile = std::make_shared<const ProfileHmm>(queries[round.query]);
            hits->round = round.facts;
            if (round.facts.is_last) {
                hits->earlier_rounds = std::move(earlier[round.query]);
                last[round.query] = std::move(hits);
            } else {
                earlier[round.query].push_back(std::move(hits));
            }
            return {};
        });
    if (!times.ok()) return times.status();
    return last;
}

class HmmscanSteps final : public ProfileSteps {
   public:
    HmmscanSteps(std::shared_ptr<const HmmSearchRun> run, HmmSequenceReader sequences)
        : ProfileSteps(std::move(run)),
          sequences_(std::move(sequences)),
          settings_(model_search_settings_of(run_->options)) {}

    std::size_t batches_in_flight() const { return 1; }
    std::vector<std::string> warnings() const { return sequences_.warnings(); }

    Result<std::unique_ptr<Batch>> start_batch(const SearchControl& control) {
        auto sequences = sequences_.next_batch(session());
        if (!sequences.ok()) return sequences.status();
        if (const auto answer = sequences_.take_nucleotide_answer()) control.observer.note(*answer);
        if (!*sequences) return std::unique_ptr<Batch>();
        return batch_of(batches_in_flight(),
                        [this, &control, batch = **std::move(sequences)] { return search_sequences(batch, control); });
    }

   private:
    Result<Found> search_sequences(const HmmSequenceBatch& batch, const SearchControl& control) const;

    HmmSequenceReader sequences_;
    HmmModelSearchSettings settings_;
};

Result<Found> HmmscanSteps::search_sequences(const HmmSequenceBatch& batch, const SearchControl& control) const {
    HmmModelSearchFigures figures;
    auto reports = search_for_models(batch, settings_, control, figures);
    if (!reports.ok()) return reports.status();
    for (const std::string& warning : figures.warnings) control.observer.note(warning);
    Found found;
    for (std::size_t s = 0; s < batch.size(); ++s) {
        auto hits = std::make_shared<HmmHits>();
        hits->run = run_;
        hits->query = HmmQuery(batch, s);
        hits->report = std::move((*reports)[s]);
        found.push_back(std::move(hits));
    }
    return found;
}

/// Returns the search with these steps.
template <typename Steps>
StartedHmmSearch search_of(std::shared_ptr<const HmmSearchRun> run, Steps steps, QueryText queries,
                           Observer& observer) {
    return {std::move(run), std::make_unique<BatchStream<Steps>>(std::move(steps), std::move(queries), observer)};
}

std::shared_ptr<const HmmSearchRun> run_of(std::shared_ptr<const Session> session, HmmOptions options,
                                           HmmQueryKind kind, const QueryText& queries) {
    auto run = std::make_shared<HmmSearchRun>();
    run->databases = facts_of(session);
    run->inputs = inputs_of(
        queries, kind == HmmQueryKind::kScanned ? options.common.database_files : session->settings().database_files);
    run->session = std::move(session);
    run->kind = kind;
    run->options = std::move(options);
    // Reports show the name of the queries in place of the file that holds them.
    run->options.run.query_file = queries.name();
    run->options.run.command_line = queries.named(run->options.run.command_line);
    return run;
}

/// Opens the queries of a search with profiles or sequences.
Result<HmmQueryReader> open_queries(const Session& session, const HmmOptions& options, const QueryText& queries) {
    HmmQuerySettings settings = query_settings_of(options, queries.file());
    settings.sequence_format = options.query_format;
    auto reader = HmmQueryReader::open(settings, HmmEngine::batch_limits(session), session.pool());
    if (!reader.ok()) return queries.named(reader.status());
    if (options.only_kind && reader->kind() != *options.only_kind) {
        std::error_code error;
        const bool is_empty = std::filesystem::file_size(queries.file(), error) == 0;
        // An empty file is taken for sequences.
        if (is_empty)
            return Status::invalid_input(queries.name() +
                                         ": is empty: there is no profile in it; a profile in "
                                         "HMMER 3's text format was expected");
        return Status::invalid_input(queries.name() + (*options.only_kind == HmmQueryKind::kProfile
                                                           ? ": holds no profiles, but sequences"
                                                           : ": holds no sequences, but profiles"));
    }
    return reader;
}

}  // namespace

Result<StartedHmmSearch> start_hmm_search(std::shared_ptr<const Session> session, HmmOptions options, QueryText queries,
                                          Observer& observer) {
    auto reader = open_queries(*session, options, queries);
    if (!reader.ok()) return reader.status();
    auto engine = HmmEngine::create(*session, engine_settings_of(options));
    if (!engine.ok()) return engine.status();
    auto run = run_of(std::move(session), std::move(options), reader->kind(), queries);
    return search_of(run, SearchSteps(run, *std::move(reader), *std::move(engine)), std::move(queries), observer);
}

Result<StartedHmmSearch> start_jackhmmer_search(std::shared_ptr<const Session> session, JackhmmerOptions options,
                                                QueryText queries, Observer& observer) {
    HmmOptions& search = options.search;
    search.only_kind = HmmQueryKind::kSequence;
    auto reader = open_queries(*session, search, queries);
    if (!reader.ok()) return reader.status();
    auto engine = HmmEngine::create(*session, engine_settings_of(search));
    if (!engine.ok()) return engine.status();
    HmmRoundsSettings settings = rounds_settings_of(options);
    settings.wants_last_alignment = false;
    auto run = run_of(std::move(session), std::move(search), HmmQueryKind::kSequence, queries);
    return search_of(run, JackhmmerSteps(std::move(settings), run, *std::move(reader), *std::move(engine)),
                     std::move(queries), observer);
}

Result<StartedHmmSearch> start_hmmscan_search(std::shared_ptr<const Session> session, HmmOptions options,
                                              QueryText queries, Observer& observer) {
    const auto models = open_models(model_search_settings_of(options), *session);
    if (!models.ok()) return models.status();
    if (models->kind() != HmmQueryKind::kProfile)
        return Status::invalid_input(options.common.database_files.front().string() + ": holds no profiles");
    auto run = run_of(std::move(session), std::move(options), HmmQueryKind::kScanned, queries);
    HmmSequenceReader sequences(queries.file(), HmmSequenceLimits(), run->options.query_format);
    return search_of(run, HmmscanSteps(run, std::move(sequences)), std::move(queries), observer);
}

}  // namespace warpseq
