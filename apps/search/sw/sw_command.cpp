#include "apps/search/sw/sw_command.h"

#include <cmath>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/common/progress.h"
#include "apps/search/driver/batch_work.h"
#include "apps/search/driver/search_driver.h"
#include "apps/search/driver/statistics.h"
#include "engines/query_set.h"
#include "engines/sw/sw_engine.h"
#include "libcore/base/clock.h"
#include "libcore/base/number_format.h"
#include "libcore/base/version.h"
#include "libcore/scoring/builtin_matrices.h"
#include "options/arguments.h"
#include "options/option_set.h"
#include "options/sw/sw_options.h"
#include "reports/report.h"
#include "reports/report_text.h"

namespace warpseq {

namespace {

class SwSteps final : public SearchSteps {
   public:
    SwSteps(const CommonOptions& options, const SwSettings& settings, std::unique_ptr<ReportWriter> writer)
        : options_(options), settings_(settings), writer_(std::move(writer)) {}

    SearchSpeed speed() const override { return kSwSpeed; }
    Status open(const Session& session, const SearchControl& control, Division& division) override;
    std::size_t batches_in_flight() const override {
        return division_->batches_in_flight(engine_->batches_in_flight());
    }
    Result<std::unique_ptr<SearchBatch>> start_batch() override;
    Status report(SearchBatch& batch) override;
    Status finish() override;
    std::vector<std::string> warnings() const override { return reader_->warnings(); }
    void print_statistics(double seconds_to_open, double seconds_in_all) const override;

   private:
    using Work = BatchWork<SwEngine, SwBatch, SwPartial, SwResults>;
    struct Batch final : SearchBatch {
        ~Batch() override { wait(); }
        SwBatch queries;
        std::future<Result<Work::Found>> found;
        void wait() noexcept override {
            if (found.valid()) static_cast<void>(guarded([&] { return found.get().status(); }));
        }
    };
    Status finish(const SwBatch& batch, const SwPartial& partial, const Work::Take& take) const;
    Status report(const SwBatch& batch, const SwResults& results);
    RunDescription description() const {
        return {"sw", session_->databases(), settings_.scheme, engine_->statistics(), settings_.composition};
    }

    const CommonOptions& options_;
    SwSettings settings_;
    std::unique_ptr<ReportWriter> writer_;
    const Session* session_ = nullptr;
    const SearchControl* control_ = nullptr;
    Division* division_ = nullptr;
    std::optional<ReportText> report_;
    std::unique_ptr<SwEngine> engine_;
    std::optional<Work> work_;
    std::optional<QueryReader> reader_;
    std::uint64_t query_count_ = 0, hit_count_ = 0;
    double wait_seconds_ = 0;    // for scores: all of scoring on the CPU, on GPUs what reporting did not hide
    double report_seconds_ = 0;  // alignments and output
};

Status SwSteps::open(const Session& session, const SearchControl& control, Division& division) {
    session_ = &session;
    control_ = &control;
    division_ = &division;
    if (division.reports()) {
        auto report = ReportText::open(options_.output_file);
        if (!report.ok()) return report.status();
        report_.emplace(*std::move(report));
    }
    auto engine = SwEngine::create(session, settings_);
    if (!engine.ok()) return engine.status();
    engine_ = *std::move(engine);
    work_.emplace(division, session, *engine_, control,
                  Work::ending_of(*engine_, [this](const SwBatch& batch, const SwPartial& partial,
                                                   const Work::Take& take) { return finish(batch, partial, take); }));
    reader_.emplace(options_.query_file, engine_->batch_limits(division.batches_in_flight(0)));
    if (report_) writer_->begin(description(), report_->text());
    return {};
}

Result<std::unique_ptr<SearchBatch>> SwSteps::start_batch() {
    auto queries = reader_->next_batch();
    if (!queries.ok()) return queries.status();
    if (const auto answer = reader_->take_nucleotide_answer()) control_->observer.note("warning: " + *answer);
    if (queries->empty()) return std::unique_ptr<SearchBatch>();
    query_count_ += queries->size();
    auto batch = std::make_unique<Batch>();
    auto prepared = engine_->prepare(*std::move(queries));
    if (!prepared.ok()) return prepared.status();
    batch->queries = *std::move(prepared);
    batch->found = work_->start(batch->queries, work_->policy());
    return std::unique_ptr<SearchBatch>(std::move(batch));
}

Status SwSteps::report(SearchBatch& any) {
    auto& batch = static_cast<Batch&>(any);
    const auto wait = Clock::now();
    auto found = batch.found.get();
    wait_seconds_ += seconds_since(wait);
    if (!found.ok()) return found.status();
    if (!division_->reports()) return {};
    const auto start = Clock::now();
    WARPSEQ_TRY(work_->report(batch.queries, *std::move(found),
                              [&](const SwResults& results) { return report(batch.queries, results); }));
    report_seconds_ += seconds_since(start);
    return {};
}

/// Finishes the queries of a batch window by window.
Status SwSteps::finish(const SwBatch& batch, const SwPartial& partial, const Work::Take& take) const {
    const std::size_t queries = batch.queries.size();
    for (std::size_t first = 0, end; first < queries; first = end) {
        end = SwEngine::end_of_window(partial, first);
        auto hits = engine_->finish(batch, partial, first, end - first, writer_->needs(), *control_);
        if (!hits.ok()) return hits.status();
        WARPSEQ_TRY(take({first, *std::move(hits)}, end == queries));
    }
    return {};
}

Status SwSteps::report(const SwBatch& batch, const SwResults& results) {
    for (std::size_t q = 0; q < results.hits.size(); ++q) {
        hit_count_ += results.hits[q].size();
        writer_->add(description(), batch.queries[results.first_query + q], results.hits[q], report_->text());
    }
    return report_->spill();
}

Status SwSteps::finish() {
    writer_->end(description(), report_->text());
    return report_->finish();
}

void SwSteps::print_statistics(double seconds_to_open, double seconds_in_all) const {
    const StatisticsPrinter out(22);
    out.line("queries", format_count(query_count_));
    out.line("sequences", format_count(session_->databases().searched_totals().sequences));
    out.line("residues", format_count(session_->databases().searched_totals().residues));
    out.line("hits", format_count(hit_count_));
    out.line("seconds to open", three_decimals(seconds_to_open));
    if (const auto gpu = engine_->gpu_counts()) {
        const SwGpuCounts& counts = *gpu;
        out.line("device", std::to_string(session_->gpus().size()) + " GPU, " + std::to_string(options_.threads) +
                               " host threads");
        out.line("cells", format_count(counts.cells));
        out.line("  again on the host", format_count(counts.saturated) + " pairs");
        print_host_part(out, options_, counts.host, counts.cells);
        out.line("chunks scored", format_count(counts.chunks));
        out.line("copied to the GPU", format_size_bytes(counts.copies.bytes));
        out.line("seconds to score", seconds_and_rate(counts.scoring_seconds, counts.cells));
        out.line("  in GPU kernels", three_decimals(counts.kernel_seconds) + " summed over workers");
        out.line("  copying", three_decimals(counts.copies.seconds) + " summed over workers");
        out.line("  scores to hits", three_decimals(counts.host_seconds) + " summed over workers");
    } else {
        const SmithWatermanCounts counts = engine_->cpu_counts();
        const auto percent = [&](std::uint64_t part) {
            return three_decimals(
                       counts.cells == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(counts.cells)) +
                   " %";
        };
        out.line("device", "cpu " + std::string(cpu_backend_name(options_.cpu_backend)) + ", " +
                               std::to_string(options_.threads) + " threads");
        out.line("cells", format_count(counts.cells));
        out.line("  again in 16 bits", percent(counts.cells_16_bit));
        out.line("  again in 32 bits", percent(counts.cells_32_bit));
        out.line("  padding besides", percent(counts.padding_cells));
        out.line("seconds to score", seconds_and_rate(wait_seconds_, counts.cells));
    }
    out.line("seconds to report", three_decimals(report_seconds_) + " (alignments and output)");
    out.line("  waiting for scores", three_decimals(wait_seconds_));
    out.line("seconds in all", three_decimals(seconds_in_all));
}

}  // namespace

Status run_sw_command(const OptionValues& values, Division* division) {
    const auto options = read_sw_options(values);
    if (!options.ok()) return options.status();
    RunFiles files = files_of(options->common);
    if (options->matrix_file) files.add_input("--matrix", *options->matrix_file);
    WARPSEQ_TRY(files.check());
    auto writer = make_report_writer(options->outfmt, options->has_header);
    if (!writer.ok()) return of_option("--outfmt", writer.status());
    const CommonOptions& common = options->common;
    TerminalObserver observer("search sw", common.quiet, report_place(common));
    return run_search(std::make_unique<SwSteps>(common, options->settings, *std::move(writer)), common, observer,
                      division);
}

}  // namespace warpseq
