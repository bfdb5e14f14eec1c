#include "apps/search/hmmscan/hmmscan_command.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
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
#include "engines/hmm/hmm_sequence_batch.h"
#include "engines/hmm/hmm_sequence_reports.h"
#include "formats/fasta/hmmer_fasta.h"
#include "libcore/base/clock.h"
#include "libcore/base/number_format.h"
#include "libcore/base/version.h"
#include "options/hmmscan/hmmscan_options.h"
#include "options/option_set.h"
#include "reports/hmmer/hmm_outputs.h"

namespace warpseq {
namespace {

constexpr std::uint64_t kFewResidues = 4'000, kBatchesOfFew = 8;

/// A batch of profiles on its way through a batch of sequences.
struct ProfilesInFlight {
    HmmBatch batch;
    std::vector<Status> lacks;  // by profile: the error that it lacks the cutoffs asked for
    std::future<Result<HmmPartial>> partial;
};

class HmmscanSteps final : public SearchSteps {
   public:
    explicit HmmscanSteps(const HmmOptions& options) : options_(options) {}

    SearchSpeed speed() const override { return kHmmSpeed; }
    Status open(const Session& session, const SearchControl& control, Division& division) override;
    std::size_t batches_in_flight() const override { return 1; }
    Result<std::unique_ptr<SearchBatch>> start_batch() override;
    Status report(SearchBatch& batch) override;
    Status finish() override { return outputs_->finish(); }
    Status fail(const Status& error) override;
    std::vector<std::string> warnings() const override;
    void print_statistics(double seconds_to_open, double seconds_in_all) const override;

   private:
    struct Batch final : SearchBatch {
        std::vector<HmmOutputs::Text> texts;  // by sequence
        void wait() noexcept override {}
    };

    Result<HmmQueryReader> open_profiles(std::uint64_t sequence_residues = 0) const;
    Result<std::unique_ptr<ProfilesInFlight>> start_scan(HmmEngine& engine, std::vector<HmmSource> profiles,
                                                         std::uint64_t models_before);
    static Status add(ProfilesInFlight& scanned, HmmSequenceReports& collected);
    Result<std::vector<HmmReport>> scan(const HmmSequenceBatch& sequences);

    const HmmOptions& options_;
    const Session* session_ = nullptr;
    const SearchControl* control_ = nullptr;
    std::optional<HmmSequenceReader> sequences_;
    std::optional<HmmOutputs> outputs_;
    std::vector<std::string> profile_warnings_;
    std::uint64_t sequence_count_ = 0, residue_count_ = 0, model_count_ = 0, node_count_ = 0, hit_count_ = 0;
    HmmTimes times_;
    std::optional<HmmGpuCounts> gpu_counts_;
    double query_seconds_ = 0, report_seconds_ = 0;
};

Result<HmmQueryReader> HmmscanSteps::open_profiles(std::uint64_t sequence_residues) const {
    const std::filesystem::path& file = options_.common.database_files.front();
    HmmQuerySettings settings = query_settings_of(options_, file);
    settings.sequence_format.kind = SequenceFileKind::kFasta;  // alignments are not taken as profiles
    settings.by_forms = true;
    HmmBatchLimits limits = HmmEngine::batch_limits(*session_);
    // Batches are larger for few sequences. They leave so little work between the ends of batches
    // that threads would mostly wait there.
    if (session_->gpus().empty() && sequence_residues < kFewResidues) {
        limits.profiles *= kBatchesOfFew;
        limits.nodes *= kBatchesOfFew;
    }
    auto profiles = HmmQueryReader::open(settings, limits, session_->pool());
    if (!profiles.ok()) return profiles.status();
    if (profiles->kind() == HmmQueryKind::kProfile) return profiles;
    if (options_.only_kind) {
        return Status::invalid_input("File format problem, trying to open HMM file " + file.string() +
                                     ".\nIt does not begin as profiles do, HMMER3/a to HMMER3/f or HMMER2.0.");
    }
    return Status::invalid_input(file.string() + ": holds no profiles; name profiles with -d, and sequences with -q");
}

Status HmmscanSteps::open(const Session& session, const SearchControl& control, Division& division) {
    if (division.is_divided()) return Status::usage("hmmscan cannot be divided between processes");
    session_ = &session;
    control_ = &control;
    auto format = make_hmm_report_format(options_.outfmt, options_.has_header);
    if (!format.ok()) return format.status();
    // Errors in the inputs are found before the outputs are created.
    const auto profiles = open_profiles();
    if (!profiles.ok()) return profiles.status();
    auto outputs = HmmOutputs::open(options_.run, options_.files, *std::move(format));
    if (!outputs.ok()) return outputs.status();
    outputs_.emplace(*std::move(outputs));
    outputs_->leave_out_unread_report();
    sequences_.emplace(options_.common.query_file, HmmSequenceLimits(), options_.query_format);
    outputs_->begin(HmmQueryKind::kScanned, session.databases());
    return {};
}

Result<std::unique_ptr<ProfilesInFlight>> HmmscanSteps::start_scan(HmmEngine& engine, std::vector<HmmSource> profiles,
                                                                   std::uint64_t models_before) {
    auto flight = std::make_unique<ProfilesInFlight>();
    std::vector<HmmThresholds> thresholds;
    for (const HmmSource& source : profiles) {
        auto each = thresholds_for(options_, source.hmm);
        flight->lacks.push_back(each.status());
        // A profile without cutoffs is an error only if a sequence passes the first filters, as in
        // HMMER.
        thresholds.push_back(each.ok() ? *each : options_.thresholds);
    }
    auto batch = engine.prepare_sources(std::move(profiles), std::move(thresholds), control_->stop);
    if (!batch.ok()) return batch.status();
    flight->batch = *std::move(batch);
    flight->batch.models_before = models_before;
    auto scan = engine.start_scan(flight->batch, whole_share(engine.session().databases()), *control_);
    // If several batches are in flight, a thread of its own waits for each of them while others are
    // filtered.
    const auto policy =
        engine.batches_in_flight() > 1 ? std::launch::async | std::launch::deferred : std::launch::deferred;
    flight->partial = std::async(policy, [scan = std::move(scan)]() mutable { return scan.get(); });
    return flight;
}

Status HmmscanSteps::add(ProfilesInFlight& scanned, HmmSequenceReports& collected) {
    auto partial = scanned.partial.get();
    if (!partial.ok()) return partial.status();
    for (std::size_t p = 0; p < scanned.lacks.size(); ++p) {
        if (partial->counts[p].passed_bias > 0) WARPSEQ_TRY(scanned.lacks[p]);
    }
    return collected.add(scanned.batch, *std::move(partial));
}

/// Searches a batch of sequences with all profiles.
Result<std::vector<HmmReport>> HmmscanSteps::scan(const HmmSequenceBatch& sequences) {
    auto profiles = open_profiles(sequences.session->databases().residue_count());
    if (!profiles.ok()) return profiles.status();
    const auto engine = HmmEngine::create(*sequences.session, engine_settings_of(options_));
    if (!engine.ok()) return engine.status();
    HmmThresholds thresholds = options_.thresholds;
    if (options_.profile_cutoffs != HmmOptions::ProfileCutoffs::kNone)
        thresholds.by_evalue = thresholds.include_by_evalue = false;
    HmmSequenceReports collected(sequences.residues, {options_.targets_z, options_.domains_z, std::move(thresholds)});
    // The next profiles are read while the search with those before them runs.
    const auto read = [&] {
        return std::async(std::launch::async | std::launch::deferred, [&] {
            const auto start = Clock::now();
            auto batch = guarded([&] { return profiles->next_sources(control_->stop); });
            return std::pair(std::move(batch), seconds_since(start));
        });
    };
    std::deque<std::unique_ptr<ProfilesInFlight>> in_flight;
    std::uint64_t models = 0, nodes = 0;
    auto reading = read();
    for (bool more = true; more || !in_flight.empty();) {
        if (more && in_flight.size() < (*engine)->batches_in_flight()) {
            auto [batch, seconds] = reading.get();
            query_seconds_ += seconds;
            if (!batch.ok()) return batch.status();
            more = !batch->empty();
            if (!more) continue;
            reading = read();
            const std::uint64_t count = batch->size();
            auto started = start_scan(**engine, *std::move(batch), models);
            if (!started.ok()) return started.status();
            models += count;
            nodes += (*started)->batch.nodes();
            in_flight.push_back(*std::move(started));
            continue;
        }
        WARPSEQ_TRY(add(*in_flight.front(), collected));
        in_flight.pop_front();
    }
    WARPSEQ_TRY(profiles->check());
    profile_warnings_ = profiles->warnings();
    model_count_ = models;
    node_count_ = nodes;
    times_ += (*engine)->times();
    if (const auto counts = (*engine)->gpu_counts()) gpu_counts_ = counts;
    return collected.finish(session_->pool().with_stop(control_->stop));
}

Result<std::unique_ptr<SearchBatch>> HmmscanSteps::start_batch() {
    auto sequences = sequences_->next_batch(*session_);
    if (!sequences.ok()) return sequences.status();
    if (const auto answer = sequences_->take_nucleotide_answer()) control_->observer.note("warning: " + *answer);
    if (!*sequences) return std::unique_ptr<SearchBatch>();
    const HmmSequenceBatch& batch = **sequences;
    auto reports = scan(batch);
    if (!reports.ok()) return reports.status();
    const auto start = Clock::now();
    auto finished = std::make_unique<Batch>();
    finished->texts.resize(batch.size());
    for (const HmmReport& report : *reports) hit_count_ += report.reported;
    WARPSEQ_TRY(session_->pool().parallel_for(batch.size(), [&](std::uint64_t s, unsigned) {
        HmmReport report = std::move((*reports)[s]);  // frees its memory at the end of the scope
        for (HmmHit& hit : report.hits) {
            for (HmmDomain& domain : hit.domains)
                show_unscored(batch.titles[s].unscored, static_cast<std::uint64_t>(domain.alignment_from - 1),
                              domain.aligned_residues);
        }
        HmmQuery query;
        query.name = batch.titles[s].name;
        query.accession = batch.titles[s].accession;
        query.description = batch.titles[s].description;
        query.length = batch.residues[s];
        finished->texts[s] = outputs_->format(query, report, sequence_count_ == 0 && s == 0);
    }));
    sequence_count_ += batch.size();
    for (const std::uint64_t residues : batch.residues) residue_count_ += residues;
    report_seconds_ += seconds_since(start);
    return std::unique_ptr<SearchBatch>(std::move(finished));
}

Status HmmscanSteps::report(SearchBatch& batch) {
    const auto start = Clock::now();
    for (HmmOutputs::Text& text : static_cast<Batch&>(batch).texts) WARPSEQ_TRY(outputs_->append(std::move(text)));
    report_seconds_ += seconds_since(start);
    return {};
}

/// Leaves what the outputs have so far, if hmmscan of HMMER runs and cannot read a sequence.
Status HmmscanSteps::fail(const Status& error) {
    if (options_.as_hmmer && is_parse_failure(error))
        static_cast<void>(outputs_->leave(""));  // the first error is the one that matters
    return error;
}

std::vector<std::string> HmmscanSteps::warnings() const {
    std::vector<std::string> warnings = sequences_->warnings();
    warnings.insert(warnings.end(), profile_warnings_.begin(), profile_warnings_.end());
    if (const std::string warning = range_warning(times_); !warning.empty()) warnings.push_back(warning);
    return warnings;
}

void HmmscanSteps::print_statistics(double seconds_to_open, double seconds_in_all) const {
    const StatisticsPrinter out(24);
    out.line("queries", format_count(sequence_count_) + ", " + format_count(residue_count_) + " residues");
    out.line("profiles", format_count(model_count_));
    out.line("nodes", format_count(node_count_));
    out.line("hits", format_count(hit_count_));
    print_hmm_figures(out, {.options = options_,
                            .gpus = session_->gpus().size(),
                            .times = times_,
                            .gpu_counts = gpu_counts_,
                            .seconds_to_open = seconds_to_open,
                            .query_seconds = query_seconds_,
                            .report_seconds = report_seconds_,
                            .seconds_in_all = seconds_in_all});
}

std::uint64_t size_of(const std::filesystem::path& file) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(file, error);
    return error ? 0 : bytes;
}

}  // namespace

Status run_hmmscan_command(const OptionValues& values, Division* division) {
    if (division != nullptr) return Status::usage("hmmscan cannot be divided between processes");
    auto read = read_hmmscan_options(values);
    if (!read.ok()) return read.status();
    for (HmmRun::Given& given : read->run.given)
        if (given.name == "-o") given.label.clear();
    TerminalObserver observer("search hmmscan", read->common.quiet, report_place(read->common));
    return run_hmmscan_search(*std::move(read), observer);
}

Status run_hmmscan_search(HmmOptions options, Observer& observer) {
    if (options.seed == 0) options.seed = draw_seed();
    CommonOptions common = options.common;
    common.database_files.clear();  // each batch of sequences is a database
    constexpr std::uint64_t kBytesOfNode = 400;
    if (common.device.kind == DeviceRequest::Kind::kAuto &&
        !HmmEngine::models_are_worth_a_gpu(size_of(options.common.database_files.front()) / kBytesOfNode,
                                           size_of(options.common.query_file), common.threads))
        common.device.kind = DeviceRequest::Kind::kCpu;
    return run_search(std::make_unique<HmmscanSteps>(options), common, observer);
}

}  // namespace warpseq
