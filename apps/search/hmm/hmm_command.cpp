#include "apps/search/hmm/hmm_command.h"

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/common/progress.h"
#include "apps/search/driver/batch_work.h"
#include "apps/search/driver/search_driver.h"
#include "apps/search/driver/statistics.h"
#include "apps/search/hmm/hmm_figures.h"
#include "apps/search/hmm/left_outputs.h"
#include "engines/hmm/hmm_engine.h"
#include "engines/hmm/hmm_query_reader.h"
#include "formats/io/packet.h"
#include "formats/profiles/hmm_file.h"
#include "libcore/base/clock.h"
#include "libcore/base/number_format.h"
#include "libcore/base/version.h"
#include "options/arguments.h"
#include "options/hmm/hmm_options.h"
#include "options/option_set.h"
#include "reports/hmmer/hmm_outputs.h"
#include "reports/hmmer/hmm_text_report.h"

namespace warpseq {
namespace {

constexpr std::string_view kFinishedKind = "hmmtexts";

/// The text that a batch adds to the outputs. Making it is most of the work after the search, so
/// the process that finishes a batch makes it, and the process that reports only writes.
struct FinishedBatch {
    std::vector<HmmOutputs::Text> texts;  // by profile
    std::uint64_t reported = 0;           // targets that are reported
    double report_seconds = 0;
};

}  // namespace

template <typename Packet>
void describe(Packet& packet, HmmOutputs::Text& text) {
    packet(text.report, text.alignment, text.targets, text.domains, text.pfam);
}

namespace {

std::string to_bytes(const FinishedBatch& finished) {
    PacketWriter packet;
    packet(finished.texts, finished.reported, finished.report_seconds);
    return packet.finish(kFinishedKind);
}

Result<FinishedBatch> from_bytes(std::string_view bytes, const HmmBatch& batch, std::string_view origin) {
    auto packet = PacketReader::open(bytes, kFinishedKind, origin);
    if (!packet.ok()) return packet.status();
    FinishedBatch finished;
    (*packet)(finished.texts, finished.reported, finished.report_seconds);
    packet->require(finished.texts.size() == batch.size());
    WARPSEQ_TRY(packet->finish());
    return finished;
}

class HmmSteps final : public SearchSteps {
   public:
    /// Keeps the options. open() sets their seed if one is drawn.
    explicit HmmSteps(HmmOptions& options) : options_(options) {}

    SearchSpeed speed() const override { return options_.max_sensitivity ? kHmmMaxSpeed : kHmmSpeed; }
    Status open(const Session& session, const SearchControl& control, Division& division) override;
    std::size_t batches_in_flight() const override {
        return division_->batches_in_flight(engine_->batches_in_flight());
    }
    Result<std::unique_ptr<SearchBatch>> start_batch() override;
    Status report(SearchBatch& batch) override;
    Status finish() override { return outputs_->finish(); }
    Status fail(const Status& error) override;
    Status fail_without_databases(const Status& error) override;
    std::vector<std::string> warnings() const override {
        std::vector<std::string> warnings = queries_->warnings();
        if (const std::string warning = range_warning(engine_->times()); !warning.empty()) warnings.push_back(warning);
        return warnings;
    }
    void print_statistics(double seconds_to_open, double seconds_in_all) const override;

   private:
    using Work = BatchWork<HmmEngine, HmmBatch, HmmPartial, FinishedBatch>;
    struct Batch final : SearchBatch {
        ~Batch() override { wait(); }
        HmmBatch profiles;
        std::future<Result<Work::Found>> found;
        std::future<Result<FinishedBatch>> finished;
        void wait() noexcept override {
            if (finished.valid()) finished.wait();
        }
    };

    Status check_kind() const;
    Status in_hmmers_words(const Status& error) const;
    void refuse_further_queries(std::vector<ProfileHmm>& profiles);
    std::vector<HmmThresholds> thresholds_of(std::vector<ProfileHmm>& profiles);
    Result<FinishedBatch> finish_batch(Batch& batch);
    Result<FinishedBatch> finish(std::uint64_t number, const HmmBatch& batch, HmmPartial partial);

    HmmOptions& options_;
    const Session* session_ = nullptr;
    const SearchControl* control_ = nullptr;
    Division* division_ = nullptr;
    std::unique_ptr<HmmEngine> engine_;
    std::optional<Work> work_;
    std::optional<HmmQueryReader> queries_;
    std::optional<HmmOutputs> outputs_;
    /// The first query that cannot be searched with, and why. The queries before it are searched.
    std::optional<ProfileHmm> failed_query_;
    Status failure_;
    std::uint64_t query_count_ = 0, node_count_ = 0, hit_count_ = 0;
    double query_seconds_ = 0, report_seconds_ = 0;
};

/// Refuses options about making a profile from a sequence.
Status refuse_sequence_options(const HmmOptions& options) {
    for (const HmmRun::Given& given : options.run.given) {
        for (const char* name : {"--popen", "--pextend", "--mx", "--mxfile", "--EmL", "--EmN", "--EvL", "--EvN",
                                 "--EfL", "--EfN", "--Eft"}) {
            if (given.name == name)
                return Status::usage(given.name + " is for sequence queries; " + options.common.query_file.string() +
                                     " holds profiles");
        }
    }
    return {};
}

Status HmmSteps::open(const Session& session, const SearchControl& control, Division& division) {
    session_ = &session;
    control_ = &control;
    division_ = &division;
    if (options_.common.draws_seed) options_.seed = division.drawn_seed();
    auto format = make_hmm_report_format(options_.outfmt, options_.has_header);
    if (!format.ok()) return format.status();
    if (division.reports()) {
        auto outputs = HmmOutputs::open(options_.run, options_.files, *std::move(format));
        if (!outputs.ok()) return outputs.status();
        outputs_.emplace(*std::move(outputs));
        if (!division.is_divided()) {
            outputs_->leave_out_unread_report();
            outputs_->keep_alignments_as_rows();
        }
    } else {
        outputs_.emplace(HmmOutputs::elsewhere(options_.run, options_.files, *std::move(format)));
    }
    HmmQuerySettings query_settings = query_settings_of(options_, options_.common.query_file);
    query_settings.sequence_format = options_.query_format;
    auto queries = HmmQueryReader::open(query_settings, HmmEngine::batch_limits(session), session.pool());
    if (!queries.ok()) return queries.status();
    queries_.emplace(*std::move(queries));
    WARPSEQ_TRY(check_kind());
    if (queries_->kind() == HmmQueryKind::kProfile) WARPSEQ_TRY(refuse_sequence_options(options_));
    auto engine = HmmEngine::create(session, engine_settings_of(options_));
    if (!engine.ok()) return engine.status();
    engine_ = *std::move(engine);
    work_.emplace(division, session, *engine_, control,
                  Work::Ending{[this](std::uint64_t number, const HmmBatch& batch, HmmPartial partial,
                                      const Work::Take& take) -> Status {
                                   auto finished = finish(number, batch, std::move(partial));
                                   if (!finished.ok()) return finished.status();
                                   return take(*std::move(finished), true);
                               },
                               to_bytes, from_bytes});
    outputs_->begin(queries_->kind(), session.databases());
    return {};
}

/// Checks that the queries are of the kind that the program searches with.
Status HmmSteps::check_kind() const {
    if (!options_.only_kind || queries_->kind() == *options_.only_kind) return {};
    return Status::invalid_input("File format problem in trying to open HMM file " +
                                 options_.common.query_file.string() +
                                 ".\nIt does not begin as profiles do, HMMER3/a to HMMER3/f or HMMER2.0.");
}

/// Returns an error about reading queries as hmmsearch words it.
Status HmmSteps::in_hmmers_words(const Status& error) const {
    if (options_.only_kind != HmmQueryKind::kProfile || error.code() != StatusCode::kInvalidInput) return error;
    const std::string file = options_.common.query_file.string();
    if (!error.message().ends_with(kOnlyProteinProfiles))
        return Status::invalid_input("bad file format in HMM file " + file + "\n" + error.message());
    return query_count_ == 0 ? error : Status::invalid_input("HMM file " + file + " contains different alphabets");
}

/// Refuses all queries behind the first one of the file if a program of HMMER reads targets from
/// standard input. HMMER cannot read them again.
void HmmSteps::refuse_further_queries(std::vector<ProfileHmm>& profiles) {
    if (!options_.as_hmmer || options_.common.database_files.front() != "-") return;
    const std::size_t searched = query_count_ == 0 && !queries_->first_is_empty() ? 1 : 0;
    if (profiles.size() <= searched) return;
    failure_ = Status::invalid_input(std::string(kNotRewindable));
    profiles.erase(profiles.begin() + static_cast<std::ptrdiff_t>(searched), profiles.end());
}

/// Returns the thresholds of the profiles. If a profile lacks them, it and all behind it are
/// removed.
std::vector<HmmThresholds> HmmSteps::thresholds_of(std::vector<ProfileHmm>& profiles) {
    std::vector<HmmThresholds> thresholds;
    for (std::size_t p = 0; p < profiles.size(); ++p) {
        const auto each = thresholds_for(options_, profiles[p]);
        if (!each.ok()) {
            failure_ = each.status();
            failed_query_ = std::move(profiles[p]);
            profiles.erase(profiles.begin() + static_cast<std::ptrdiff_t>(p), profiles.end());
            break;
        }
        thresholds.push_back(*each);
    }
    return thresholds;
}

Result<std::unique_ptr<SearchBatch>> HmmSteps::start_batch() {
    WARPSEQ_TRY(failure_);
    const auto read = Clock::now();
    auto preparing = control_->observer.begin("Preparing queries", 0);
    auto profiles = queries_->next_batch(control_->stop);
    query_seconds_ += seconds_since(read);
    if (!profiles.ok()) return in_hmmers_words(profiles.status());
    if (const auto answer = queries_->take_nucleotide_answer()) control_->observer.note("warning: " + *answer);
    refuse_further_queries(*profiles);
    auto thresholds = thresholds_of(*profiles);
    if (profiles->empty() && !failure_.ok()) return failure_;
    if (profiles->empty()) return std::unique_ptr<SearchBatch>();
    auto batch = std::make_unique<Batch>();
    query_count_ += profiles->size();
    auto prepared = engine_->prepare(*std::move(profiles), std::move(thresholds), control_->stop);
    if (!prepared.ok()) return prepared.status();
    preparing.reset();
    batch->profiles = *std::move(prepared);
    node_count_ += batch->profiles.nodes();
    batch->found = work_->start(batch->profiles, std::launch::deferred);
    // If several batches are in flight, a thread waits for each of them and finishes it while
    // others are filtered. With both policies libstdc++ defers the work if no thread can be
    // started.
    const std::launch policy =
        batches_in_flight() > 1 ? std::launch::async | std::launch::deferred : std::launch::deferred;
    batch->finished =
        std::async(policy, [this, &each = *batch] { return guarded([&] { return finish_batch(each); }); });
    return std::unique_ptr<SearchBatch>(std::move(batch));
}

Result<FinishedBatch> HmmSteps::finish_batch(Batch& batch) {
    auto found = batch.found.get();
    if (!found.ok()) return found.status();
    FinishedBatch finished;
    if (!division_->reports()) return finished;
    WARPSEQ_TRY(work_->report(batch.profiles, *std::move(found), [&](FinishedBatch results) {
        finished = std::move(results);
        return Status();
    }));
    return finished;
}

Result<FinishedBatch> HmmSteps::finish(std::uint64_t number, const HmmBatch& batch, HmmPartial partial) {
    auto reports = engine_->finish(batch, std::move(partial), *control_);
    if (!reports.ok()) return reports.status();
    const auto start = Clock::now();
    // HMMER's tables begin with their titles only if the first query was searched with.
    const bool has_titles = number == 0 && !(options_.as_hmmer && queries_->first_is_empty());
    FinishedBatch finished;
    finished.texts.resize(batch.size());
    for (const HmmReport& report : *reports) finished.reported += report.reported;
    WARPSEQ_TRY(session_->pool().parallel_for(batch.size(), [&](std::uint64_t p, unsigned) {
        const HmmReport report = std::move((*reports)[p]);  // frees its memory at the end of the scope
        finished.texts[p] =
            outputs_->format(batch.profiles[p], batch.pipelines[p]->forward_profile(), report, has_titles && p == 0);
    }));
    finished.report_seconds = seconds_since(start);
    return finished;
}

/// Waits for a batch and writes it.
Status HmmSteps::report(SearchBatch& batch) {
    auto finished = static_cast<Batch&>(batch).finished.get();
    if (!finished.ok()) return finished.status();
    if (!division_->reports()) return {};
    const auto start = Clock::now();
    for (HmmOutputs::Text& text : finished->texts) WARPSEQ_TRY(outputs_->append(std::move(text)));
    hit_count_ += finished->reported;
    report_seconds_ += finished->report_seconds + seconds_since(start);
    return {};
}

/// Leaves what the outputs have so far, if a program of HMMER runs.
Status HmmSteps::fail(const Status& error) {
    // HMMER begins a report about profiles when it has read the first one.
    const bool has_begun = query_count_ > 0 || !failure_.ok() ||
                           (work_ && queries_->kind() == HmmQueryKind::kSequence && is_parse_failure(error));
    if (!options_.as_hmmer || !has_begun) return error;
    std::string lines;
    if (failed_query_) append_query_lines(queries_->kind(), HmmQuery(*failed_query_), lines);
    static_cast<void>(outputs_->leave(lines));  // the first error is the one that matters
    return error;
}

Status HmmSteps::fail_without_databases(const Status& error) {
    if (!options_.as_hmmer || !is_parse_failure(error)) return error;
    const auto query = leave_beginning(options_, "");
    return query.ok() ? error : in_hmmers_words(query.status());
}

void HmmSteps::print_statistics(double seconds_to_open, double seconds_in_all) const {
    const StatisticsPrinter out(24);
    out.line("queries", format_count(query_count_) + ", " + format_count(node_count_) + " nodes");
    out.line("sequences", format_count(session_->databases().searched_totals().sequences));
    out.line("residues", format_count(session_->databases().searched_totals().residues));
    out.line("hits", format_count(hit_count_));
    print_hmm_figures(out, {.options = options_,
                            .gpus = session_->gpus().size(),
                            .times = engine_->times(),
                            .gpu_counts = engine_->gpu_counts(),
                            .seconds_to_open = seconds_to_open,
                            .query_seconds = query_seconds_,
                            .report_seconds = report_seconds_,
                            .seconds_in_all = seconds_in_all});
}

}  // namespace

Status run_hmm_command(const OptionValues& values, Division* division) {
    auto read = read_hmm_options(values);
    if (!read.ok()) return read.status();
    // HMMER's reports name their own file. This report is the same wherever it is written, also
    // when it is made of parts.
    for (HmmRun::Given& given : read->run.given)
        if (given.name == "-o") given.label.clear();
    TerminalObserver observer("search hmm", read->common.quiet, report_place(read->common));
    return run_hmm_search(*std::move(read), observer, division);
}

Status run_hmm_search(HmmOptions options, Observer& observer, Division* division) {
    options.common.draws_seed = options.seed == 0;
    if (options.common.draws_seed && options.common.part) {
        return Status::usage(
            "--seed 0 draws another seed in each run, but all parts of a search need the same seed; give one, as in "
            "--seed 42");
    }
    return run_search(std::make_unique<HmmSteps>(options), options.common, observer, division);
}

}  // namespace warpseq
