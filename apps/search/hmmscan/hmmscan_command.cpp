#include "apps/search/hmmscan/hmmscan_command.h"

#include <cstdint>
#include <filesystem>
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
#include "engines/hmm/hmm_model_search.h"
#include "engines/hmm/hmm_sequence_batch.h"
#include "libcore/base/clock.h"
#include "libcore/base/draw_seed.h"
#include "libcore/base/number_format.h"
#include "libcore/base/version.h"
#include "options/hmmscan/hmmscan_options.h"
#include "options/option_set.h"
#include "reports/hmmer/hmm_outputs.h"

namespace warpseq {
namespace {

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

    Status check_models() const;

    const HmmOptions& options_;
    HmmModelSearchSettings settings_ = model_search_settings_of(options_);
    const Session* session_ = nullptr;
    const SearchControl* control_ = nullptr;
    std::optional<HmmSequenceReader> sequences_;
    std::optional<HmmOutputs> outputs_;
    std::uint64_t sequence_count_ = 0, residue_count_ = 0, hit_count_ = 0;
    HmmModelSearchFigures figures_;
    double report_seconds_ = 0;
};

/// Checks that the database is a file of profiles.
Status HmmscanSteps::check_models() const {
    const std::filesystem::path& file = options_.common.database_files.front();
    const auto models = open_models(settings_, *session_);
    if (!models.ok()) return models.status();
    if (models->kind() == HmmQueryKind::kProfile) return {};
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
    WARPSEQ_TRY(check_models());
    auto outputs = HmmOutputs::open(options_.run, options_.files, *std::move(format));
    if (!outputs.ok()) return outputs.status();
    outputs_.emplace(*std::move(outputs));
    outputs_->leave_out_unread_report();
    sequences_.emplace(options_.common.query_file, HmmSequenceLimits(), options_.query_format);
    outputs_->begin(HmmQueryKind::kScanned, session.databases());
    return {};
}

Result<std::unique_ptr<SearchBatch>> HmmscanSteps::start_batch() {
    auto sequences = sequences_->next_batch(*session_);
    if (!sequences.ok()) return sequences.status();
    if (const auto answer = sequences_->take_nucleotide_answer()) control_->observer.note("warning: " + *answer);
    if (!*sequences) return std::unique_ptr<SearchBatch>();
    const HmmSequenceBatch& batch = **sequences;
    auto reports = search_for_models(batch, settings_, *control_, figures_);
    if (!reports.ok()) return reports.status();
    const auto start = Clock::now();
    auto finished = std::make_unique<Batch>();
    finished->texts.resize(batch.size());
    for (const HmmReport& report : *reports) hit_count_ += report.reported;
    WARPSEQ_TRY(session_->pool().parallel_for(batch.size(), [&](std::uint64_t s, unsigned) {
        const HmmReport report = std::move((*reports)[s]);  // frees its memory at the end of the scope
        finished->texts[s] = outputs_->format(HmmQuery(batch, s), report, sequence_count_ == 0 && s == 0);
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
    warnings.insert(warnings.end(), figures_.warnings.begin(), figures_.warnings.end());
    if (const std::string warning = range_warning(figures_.times); !warning.empty()) warnings.push_back(warning);
    return warnings;
}

void HmmscanSteps::print_statistics(double seconds_to_open, double seconds_in_all) const {
    const StatisticsPrinter out(24);
    out.line("queries", format_count(sequence_count_) + ", " + format_count(residue_count_) + " residues");
    out.line("profiles", format_count(figures_.models));
    out.line("nodes", format_count(figures_.nodes));
    out.line("hits", format_count(hit_count_));
    print_hmm_figures(out, {.options = options_,
                            .gpus = session_->gpus().size(),
                            .times = figures_.times,
                            .gpu_counts = figures_.gpu_counts,
                            .seconds_to_open = seconds_to_open,
                            .query_seconds = figures_.read_seconds,
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
