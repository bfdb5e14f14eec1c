#include "bindings/searches/hmm_stream.h"

#include <future>
#include <string>
#include <utility>

#include "engines/hmm/hmm_engine.h"
#include "engines/hmm/hmm_model_search.h"
#include "engines/hmm/hmm_query_reader.h"
#include "engines/hmm/hmm_sequence_batch.h"
#include "engines/search_control.h"
#include "engines/targets/share.h"
#include "options/hmmscan/hmmscan_options.h"

namespace warpseq {
namespace {

/// What all profile searches have: their run, their queries, and an engine.
class ProfileStream : public BatchedStream<HmmHits> {
   public:
    ProfileStream(std::shared_ptr<const HmmSearchRun> run, QueryText text, HmmQueryReader queries,
                  std::unique_ptr<HmmEngine> engine, Observer& observer)
        : BatchedStream(run->session),
          run_(std::move(run)),
          text_(std::move(text)),
          queries_(std::move(queries)),
          engine_(std::move(engine)),
          control_{observer, stop_token()} {}

    std::vector<std::string> warnings() const override { return queries_.warnings(); }

   protected:
    std::size_t batches_in_flight() const override { return engine_->batches_in_flight(); }
    Result<std::vector<ProfileHmm>> next_profiles() {
        auto preparing = control_.observer.begin("Preparing queries", 0);
        auto profiles = queries_.next_batch(control_.stop);
        if (!profiles.ok()) return text_.named(profiles.status());
        if (const auto answer = queries_.take_nucleotide_answer()) control_.observer.note(text_.named(*answer));
        return profiles;
    }

    std::shared_ptr<const HmmSearchRun> run_;
    QueryText text_;
    HmmQueryReader queries_;
    std::unique_ptr<HmmEngine> engine_;
    SearchControl control_;
};

class HmmSearchStream final : public ProfileStream {
   public:
    using ProfileStream::ProfileStream;
    ~HmmSearchStream() override { give_up(); }

   private:
    struct Batch {
        HmmBatch profiles;
        std::future<Result<HmmPartial>> scan;
    };
    Result<bool> start_batch() override;
    Result<Found> finish(Batch& batch);

    Status lack_;  // of cutoffs, by a query whose predecessors are still searched
};

Result<bool> HmmSearchStream::start_batch() {
    WARPSEQ_TRY(lack_);
    auto profiles = next_profiles();
    if (!profiles.ok()) return profiles.status();
    std::vector<HmmThresholds> thresholds;
    for (const ProfileHmm& profile : *profiles) {
        auto each = thresholds_for(run_->options, profile);
        lack_ = text_.named(each.status());
        if (!lack_.ok()) break;
        thresholds.push_back(*each);
    }
    profiles->resize(thresholds.size());
    if (profiles->empty()) {
        WARPSEQ_TRY(lack_);
        return false;
    }
    auto batch = std::make_shared<Batch>();
    auto prepared = engine_->prepare(*std::move(profiles), std::move(thresholds), control_.stop);
    if (!prepared.ok()) return prepared.status();
    batch->profiles = *std::move(prepared);
    batch->scan = engine_->start_scan(batch->profiles, whole_share(session().databases()), control_);
    search([this, batch] { return finish(*batch); });
    return true;
}

Result<HmmSearchStream::Found> HmmSearchStream::finish(Batch& batch) {
    auto partial = batch.scan.get();
    if (!partial.ok()) return partial.status();
    auto reports = engine_->finish(batch.profiles, *std::move(partial), control_);
    if (!reports.ok()) return reports.status();
    Found found;
    for (std::size_t p = 0; p < reports->size(); ++p) {
        auto hits = std::make_shared<HmmHits>();
        hits->run = run_;
        hits->query = HmmQuery(batch.profiles.profiles[p], batch.profiles.pipelines[p]->forward_profile());
        hits->hmm = std::make_shared<const ProfileHmm>(batch.profiles.profiles[p]);
        hits->report = std::move((*reports)[p]);
        found.push_back(std::move(hits));
    }
    return found;
}

class JackhmmerStream final : public ProfileStream {
   public:
    JackhmmerStream(HmmRoundsSettings settings, std::shared_ptr<const HmmSearchRun> run, QueryText text,
                    HmmQueryReader queries, std::unique_ptr<HmmEngine> engine, Observer& observer)
        : ProfileStream(std::move(run), std::move(text), std::move(queries), std::move(engine), observer),
          settings_(std::move(settings)) {}
    ~JackhmmerStream() override { give_up(); }

   private:
    Result<bool> start_batch() override;
    Result<Found> search_rounds(const std::vector<ProfileHmm>& profiles);

    HmmRoundsSettings settings_;
};

Result<bool> JackhmmerStream::start_batch() {
    auto profiles = next_profiles();
    if (!profiles.ok()) return profiles.status();
    if (profiles->empty()) return false;
    search([this, profiles = *std::move(profiles)] { return search_rounds(profiles); });
    return true;
}

Result<JackhmmerStream::Found> JackhmmerStream::search_rounds(const std::vector<ProfileHmm>& profiles) {
    Found last(profiles.size());
    std::vector<std::vector<std::shared_ptr<const HmmHits>>> earlier(profiles.size());
    const auto times =
        search_in_rounds(*engine_, session(), profiles, settings_, control_, [&](const HmmRound& round) -> Status {
            auto hits = std::make_shared<HmmHits>();
            hits->run = run_;
            hits->query = HmmQuery(round.hmm, round.odds);
            hits->hmm = std::make_shared<const ProfileHmm>(round.hmm);
            hits->report = std::move(round.report);
            hits->own_profile = std::make_shared<const ProfileHmm>(profiles[round.query]);
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

class HmmscanStream final : public BatchedStream<HmmHits> {
   public:
    HmmscanStream(std::shared_ptr<const HmmSearchRun> run, QueryText text, Observer& observer)
        : BatchedStream(run->session),
          run_(std::move(run)),
          text_(std::move(text)),
          sequences_(text_.file(), HmmSequenceLimits(), run_->options.query_format),
          settings_(model_search_settings_of(run_->options)),
          control_{observer, stop_token()} {}
    ~HmmscanStream() override { give_up(); }

    std::vector<std::string> warnings() const override { return sequences_.warnings(); }

   private:
    std::size_t batches_in_flight() const override { return 1; }
    Result<bool> start_batch() override;
    Result<Found> search_sequences(const HmmSequenceBatch& batch);

    std::shared_ptr<const HmmSearchRun> run_;
    QueryText text_;
    HmmSequenceReader sequences_;
    HmmModelSearchSettings settings_;
    SearchControl control_;
};

Result<bool> HmmscanStream::start_batch() {
    auto sequences = sequences_.next_batch(session());
    if (!sequences.ok()) return text_.named(sequences.status());
    if (const auto answer = sequences_.take_nucleotide_answer()) control_.observer.note(text_.named(*answer));
    if (!*sequences) return false;
    search([this, batch = std::make_shared<const HmmSequenceBatch>(**std::move(sequences))] {
        return search_sequences(*batch);
    });
    return true;
}

Result<HmmscanStream::Found> HmmscanStream::search_sequences(const HmmSequenceBatch& batch) {
    HmmModelSearchFigures figures;
    auto reports = search_for_models(batch, settings_, control_, figures);
    if (!reports.ok()) return reports.status();
    for (const std::string& warning : figures.warnings) control_.observer.note(warning);
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

std::shared_ptr<const HmmSearchRun> run_of(std::shared_ptr<const Session> session, HmmOptions options,
                                           const char* command, HmmQueryKind kind, const QueryText& queries) {
    auto run = std::make_shared<HmmSearchRun>();
    run->session = std::move(session);
    run->kind = kind;
    run->command = command;
    run->options = std::move(options);
    // What the options say about the file of the queries becomes what they are called.
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
        return Status::invalid_input(queries.name() + (*options.only_kind == HmmQueryKind::kProfile
                                                           ? ": holds no profiles, but sequences"
                                                           : ": holds no sequences, but profiles"));
    }
    return reader;
}

}  // namespace

Result<std::unique_ptr<HmmStream>> start_hmm_search(std::shared_ptr<const Session> session, HmmOptions options,
                                                    QueryText queries, Observer& observer) {
    auto reader = open_queries(*session, options, queries);
    if (!reader.ok()) return reader.status();
    auto engine = HmmEngine::create(*session, engine_settings_of(options));
    if (!engine.ok()) return engine.status();
    auto run = run_of(std::move(session), std::move(options), "hmm", reader->kind(), queries);
    return std::unique_ptr<HmmStream>(std::make_unique<HmmSearchStream>(
        std::move(run), std::move(queries), *std::move(reader), *std::move(engine), observer));
}

Result<std::unique_ptr<HmmStream>> start_jackhmmer_search(std::shared_ptr<const Session> session,
                                                          JackhmmerOptions options, QueryText queries,
                                                          Observer& observer) {
    HmmOptions& search = options.search;
    search.only_kind = HmmQueryKind::kSequence;
    auto reader = open_queries(*session, search, queries);
    if (!reader.ok()) return reader.status();
    auto engine = HmmEngine::create(*session, engine_settings_of(search));
    if (!engine.ok()) return engine.status();
    HmmRoundsSettings settings = rounds_settings_of(options);
    settings.wants_last_alignment = false;
    auto run = run_of(std::move(session), std::move(search), "jackhmmer", HmmQueryKind::kSequence, queries);
    return std::unique_ptr<HmmStream>(std::make_unique<JackhmmerStream>(
        std::move(settings), std::move(run), std::move(queries), *std::move(reader), *std::move(engine), observer));
}

Result<std::unique_ptr<HmmStream>> start_hmmscan_search(std::shared_ptr<const Session> session, HmmOptions options,
                                                        QueryText queries, Observer& observer) {
    const auto models = open_models(model_search_settings_of(options), *session);
    if (!models.ok()) return models.status();
    if (models->kind() != HmmQueryKind::kProfile)
        return Status::invalid_input(options.common.database_files.front().string() + ": holds no profiles");
    auto run = run_of(std::move(session), std::move(options), "hmmscan", HmmQueryKind::kScanned, queries);
    return std::unique_ptr<HmmStream>(std::make_unique<HmmscanStream>(std::move(run), std::move(queries), observer));
}

}  // namespace warpseq
