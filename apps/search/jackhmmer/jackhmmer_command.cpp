#include "apps/search/jackhmmer/jackhmmer_command.h"

#include <algorithm>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/common/progress.h"
#include "apps/search/driver/search_driver.h"
#include "apps/search/driver/statistics.h"
#include "apps/search/hmm/hmm_command.h"
#include "apps/search/hmm/hmm_figures.h"
#include "apps/search/hmm/left_outputs.h"
#include "engines/hmm/hmm_engine.h"
#include "engines/hmm/hmm_query_reader.h"
#include "engines/hmm/hmm_rounds.h"
#include "libcore/base/clock.h"
#include "libcore/base/draw_seed.h"
#include "libcore/base/number_format.h"
#include "libcore/base/version.h"
#include "reports/hmmer/hmm_checkpoints.h"
#include "reports/hmmer/hmm_outputs.h"

namespace warpseq {
namespace {

class JackhmmerSteps final : public SearchSteps {
   public:
    explicit JackhmmerSteps(const JackhmmerOptions& options) : options_(options), checkpoints_(options.checkpoints) {}

    SearchSpeed speed() const override { return kHmmSpeed; }
    Status open(const Session& session, const SearchControl& control, Division& division) override;
    std::size_t batches_in_flight() const override { return engine_->batches_in_flight(); }
    Result<std::unique_ptr<SearchBatch>> start_batch() override;
    Status report(SearchBatch& batch) override;
    Status finish() override {
        WARPSEQ_TRY(checkpoints_.finish());
        return outputs_->finish();
    }
    Status fail(const Status& error) override;
    Status fail_without_databases(const Status& error) override;
    std::vector<std::string> warnings() const override {
        std::vector<std::string> warnings = queries_->warnings();
        if (const std::string warning = range_warning(engine_->times()); !warning.empty()) warnings.push_back(warning);
        return warnings;
    }
    void print_statistics(double seconds_to_open, double seconds_in_all) const override;

   private:
    /// The text that a query adds to all outputs.
    struct Query {
        ProfileHmm profile;  // the query's own profile
        HmmOutputs::Text text;
        MultipleAlignment alignment;  // of the last round, if -A asks for it
        HmmCheckpoints::Text checkpoints;
        std::uint64_t rounds = 0, hits = 0;  // hits of the last round
    };
    struct Batch final : SearchBatch {
        ~Batch() override { wait(); }
        std::vector<Query> queries;
        bool is_first = false;
        HmmRoundTimes times;
        std::future<Status> done;
        void wait() noexcept override {
            if (done.valid()) done.wait();
        }
    };
    Status search(Batch& batch, std::vector<ProfileHmm> profiles);

    const JackhmmerOptions& options_;
    const Session* session_ = nullptr;
    const SearchControl* control_ = nullptr;
    std::unique_ptr<HmmEngine> engine_;
    std::optional<HmmQueryReader> queries_;
    std::optional<HmmOutputs> outputs_;
    HmmCheckpoints checkpoints_;
    HmmRoundsSettings rounds_;
    std::uint64_t batch_count_ = 0, query_count_ = 0, round_count_ = 0, hit_count_ = 0;
    HmmRoundTimes times_;
    double query_seconds_ = 0;
};

Status JackhmmerSteps::open(const Session& session, const SearchControl& control, Division& division) {
    if (division.is_divided()) return Status::usage("jackhmmer cannot be divided between processes");
    session_ = &session;
    control_ = &control;
    const HmmOptions& search = options_.search;
    auto format = make_hmm_report_format(search.outfmt, search.has_header);
    if (!format.ok()) return format.status();
    auto outputs = HmmOutputs::open(search.run, search.files, *std::move(format));
    if (!outputs.ok()) return outputs.status();
    outputs_.emplace(*std::move(outputs));
    outputs_->leave_out_unread_report();
    HmmQuerySettings query_settings = query_settings_of(search, search.common.query_file);
    query_settings.sequence_format = search.query_format;
    auto queries = HmmQueryReader::open(query_settings, HmmEngine::batch_limits(session), session.pool());
    if (!queries.ok()) return queries.status();
    queries_.emplace(*std::move(queries));
    if (queries_->kind() == HmmQueryKind::kProfile)
        return Status::invalid_input("Sequence file " + search.common.query_file.string() +
                                     " is empty or misformatted");
    auto engine = HmmEngine::create(session, engine_settings_of(search));
    if (!engine.ok()) return engine.status();
    engine_ = *std::move(engine);
    rounds_ = rounds_settings_of(options_);
    rounds_.wants_last_alignment = search.files.alignment || options_.checkpoints.alignments;
    rounds_.shows_domains_z = outputs_->shows_hits();
    outputs_->begin(HmmQueryKind::kSequence, session.databases());
    return {};
}

Result<std::unique_ptr<SearchBatch>> JackhmmerSteps::start_batch() {
    auto preparing = control_->observer.begin("Preparing queries", 0);
    const auto read = Clock::now();
    auto profiles = queries_->next_batch(control_->stop);
    query_seconds_ += seconds_since(read);
    if (!profiles.ok()) return profiles.status();
    if (const auto answer = queries_->take_nucleotide_answer()) control_->observer.note("warning: " + *answer);
    if (profiles->empty()) return std::unique_ptr<SearchBatch>();
    preparing.reset();
    auto batch = std::make_unique<Batch>();
    batch->is_first = batch_count_++ == 0;
    query_count_ += profiles->size();
    batch->queries.resize(profiles->size());
    // With both policies libstdc++ defers the work if no thread can be started.
    const std::launch policy =
        batches_in_flight() > 1 ? std::launch::async | std::launch::deferred : std::launch::deferred;
    batch->done = std::async(policy, [this, &each = *batch, queries = *std::move(profiles)]() mutable {
        return guarded([&] { return search(each, std::move(queries)); });
    });
    return std::unique_ptr<SearchBatch>(std::move(batch));
}

Status JackhmmerSteps::search(Batch& batch, std::vector<ProfileHmm> profiles) {
    for (std::size_t q = 0; q < profiles.size(); ++q) batch.queries[q].profile = profiles[q];
    const auto times = search_in_rounds(
        *engine_, *session_, std::move(profiles), rounds_, *control_, [&](const HmmRound& round) -> Status {
            Query& query = batch.queries[round.query];
            // HMMER's tables begin with their titles only if the first query was searched with.
            const bool has_titles =
                batch.is_first && round.query == 0 && !(options_.search.as_hmmer && queries_->first_is_empty());
            outputs_->format_round(query.profile, round, has_titles, query.text);
            checkpoints_.format_round(round, query.checkpoints);
            if (round.facts.is_last) query.alignment = std::move(round.alignment);
            query.rounds = round.facts.number;
            query.hits = static_cast<std::uint64_t>(std::ranges::count(round.report.hits, true, &HmmHit::reported));
            return {};
        });
    if (!times.ok()) return times.status();
    batch.times = *times;
    return {};
}

/// Waits for a batch and writes it.
Status JackhmmerSteps::report(SearchBatch& batch) {
    auto& searched = static_cast<Batch&>(batch);
    WARPSEQ_TRY(searched.done.get());
    times_ += searched.times;
    for (Query& each : searched.queries) {
        Query query = std::move(each);  // frees its memory at the end of the scope
        WARPSEQ_TRY(outputs_->append(std::move(query.text), query.alignment));
        WARPSEQ_TRY(checkpoints_.append(query.checkpoints));
        round_count_ += query.rounds;
        hit_count_ += query.hits;
    }
    return {};
}

/// Leaves what the outputs have so far, if jackhmmer of HMMER runs.
Status JackhmmerSteps::fail(const Status& error) {
    if (!options_.search.as_hmmer || !(query_count_ > 0 || (engine_ && is_parse_failure(error)))) return error;
    // The first error is the one that matters.
    static_cast<void>(checkpoints_.finish());
    static_cast<void>(outputs_->leave(""));
    return error;
}

Status JackhmmerSteps::fail_without_databases(const Status& error) {
    if (!options_.search.as_hmmer || !is_parse_failure(error)) return error;
    const auto query = leave_beginning(options_.search, "\n");
    if (!query.ok()) return query.status();
    if (!*query) return error;
    HmmCheckpoints::Text first_round;
    checkpoints_.format_profile(**query, first_round);
    WARPSEQ_TRY(checkpoints_.append(first_round));
    WARPSEQ_TRY(checkpoints_.finish());
    return error;
}

void JackhmmerSteps::print_statistics(double seconds_to_open, double seconds_in_all) const {
    const StatisticsPrinter out(24);
    out.line("queries", format_count(query_count_));
    out.line("rounds", format_count(round_count_));
    out.line("sequences", format_count(session_->databases().searched_totals().sequences));
    out.line("residues", format_count(session_->databases().searched_totals().residues));
    out.line("hits", format_count(hit_count_) + " of last rounds");
    out.line("seconds to align", three_decimals(times_.align_seconds));
    out.line("  to build profiles", three_decimals(times_.build_seconds));
    out.line("  to calibrate them", three_decimals(times_.calibrate_seconds));
    print_hmm_figures(out, {.options = options_.search,
                            .gpus = session_->gpus().size(),
                            .times = engine_->times(),
                            .gpu_counts = engine_->gpu_counts(),
                            .seconds_to_open = seconds_to_open,
                            .query_seconds = query_seconds_,
                            .report_seconds = times_.take_seconds,
                            .seconds_in_all = seconds_in_all});
}

}  // namespace

Status run_jackhmmer_command(const OptionValues& values, Division* division) {
    if (division != nullptr) return Status::usage("jackhmmer cannot be divided between processes");
    auto read = read_jackhmmer_options(values);
    if (!read.ok()) return read.status();
    // HMMER's reports name their own file. This report is the same wherever it is written.
    for (HmmRun::Given& given : read->search.run.given)
        if (given.name == "-o") given.label.clear();
    TerminalObserver observer("search jackhmmer", read->search.common.quiet, report_place(read->search.common));
    return run_jackhmmer_search(*std::move(read), observer);
}

Status run_jackhmmer_search(JackhmmerOptions options, Observer& observer) {
    if (options.search.seed == 0) options.search.seed = draw_seed();
    return run_search(std::make_unique<JackhmmerSteps>(options), options.search.common, observer);
}

}  // namespace warpseq
