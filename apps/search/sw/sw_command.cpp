#include "apps/search/sw/sw_command.h"

#include <cmath>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/common/arguments.h"
#include "apps/common/command_line.h"
#include "apps/common/option_set.h"
#include "apps/common/progress.h"
#include "apps/search/batch_work.h"
#include "apps/search/common_options.h"
#include "apps/search/scoring_options.h"
#include "apps/search/search_driver.h"
#include "apps/search/statistics.h"
#include "engines/query_set.h"
#include "engines/sw/sw_engine.h"
#include "libcore/base/clock.h"
#include "libcore/base/number_format.h"
#include "libcore/base/version.h"
#include "libcore/scoring/builtin_matrices.h"
#include "reports/report.h"
#include "reports/report_text.h"

namespace warpseq {

namespace {

/// Hits whose alignments are made and kept at once.
constexpr std::size_t kHitsPerWindow = 4096;

Result<ScoringScheme> read_scheme(const ParsedOptions& parsed) {
    auto matrix = find_protein_matrix(parsed.text("matrix"));
    if (!matrix.ok()) return matrix.status();
    const auto gaps =
        read_gap_costs(parsed, AlignmentStatistics::default_gap_costs(matrix->name()).value_or(GapCosts()));
    if (!gaps.ok()) return gaps.status();
    return ScoringScheme{*std::move(matrix), *gaps};
}

/// E-values exist for the combinations that BLAST knows; for others a search has to ask for every
/// hit, by scores as they are.
Status check_statistics(const SwSettings& settings) {
    const ScoringScheme& scheme = settings.scheme;
    const bool adjusted = settings.composition != CompositionMode::kNone;
    if (adjusted && !CompositionAdjuster::create(scheme.matrix, settings.composition)) {
        return Status::usage("matrix " + scheme.matrix.name() +
                             " has no frequencies to adjust scores by; --comp-stats 0 does without");
    }
    if (AlignmentStatistics::find(scheme) || (std::isinf(settings.evalue) && !adjusted)) return {};
    const std::string gaps = std::to_string(scheme.gaps.open) + "/" + std::to_string(scheme.gaps.extend);
    const std::string known = AlignmentStatistics::known_gap_costs(scheme.matrix.name());
    return Status::usage("no E-value statistics for " + scheme.matrix.name() + " with gap costs " + gaps + "; " +
                         (known.empty() ? "they exist for the built-in matrices only"
                                        : "known open/extend costs for this matrix: " + known) +
                         ". With --evalue inf" + (adjusted ? " and without --comp-stats" : "") +
                         " every hit is reported, best score first, without E-values and bit scores");
}

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
    double wait_seconds_ = 0;    // for scores: on the CPU all of scoring, on GPUs what reporting did not hide
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

/// Some hits at a time.
Status SwSteps::finish(const SwBatch& batch, const SwPartial& partial, const Work::Take& take) const {
    const std::size_t queries = batch.queries.size();
    for (std::size_t first = 0, end; first < queries; first = end) {
        std::size_t window = 0;
        for (end = first; end < queries && (end == first || window < kHitsPerWindow); ++end)
            window += partial.hits[end].size();
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

OptionSet make_sw_options() {
    OptionSet options("search sw",
                      "Exact affine-gap Smith-Waterman of every query with every sequence; scores\nfirst, then the "
                      "alignments of what is reported.\n");
    options.custom_help("-q QUERY.fasta -d DATABASE.wsdb [-d MORE.wsdb] [options]");
    add_input_options(options, "FASTA file of queries, plain, gzip or zstd; - is standard input");
    add_hit_list_options(options);
    add_target_options(options);
    options.add_options("Targets")  //
        ("dbsize", "residues that E-values count the databases as; 0: their own", text_value("0"), "N");
    options.add_options("Scoring")  //
        ("matrix", "BLOSUM45, 50, 62, 80, 90, PAM30, 70, 250, IDENTITY, or a file in NCBI's format",
         text_value("BLOSUM62"), "NAME");
    add_gap_options(options, "BLAST's for the matrix");
    options.add_options("Scoring")  //
        ("comp-stats",
         "composition-based statistics, as blastp's: 0 none, 1 scaled scores, 2 or 3 adjusted matrices, where "
         "compositions ask for it or always",
         text_value("0"), "MODE");
    add_machine_options(options);
    add_chunk_options(options);
    return options;
}

Status run_sw_command(int argc, char** argv, Division* division) {
    OptionSet options = make_sw_options();
    const auto parsed = options.parse(argc, argv);
    if (!parsed.ok()) return parsed.status();
    if (parsed->count("help") != 0) {
        return print(options.help() + "\n");
    }
    if (parsed->count("version") != 0) {
        return print("search (warpseq) " + std::string(program_version()) + "\n");
    }
    if (!parsed->unmatched().empty()) {
        return Status::usage("unexpected argument '" + parsed->unmatched().front() +
                             "'; queries go with -q, databases with -d");
    }
    auto common = read_common_options("sw", *parsed);
    if (!common.ok()) return common.status();
    const auto report = read_hit_list_options(*parsed);
    if (!report.ok()) return report.status();
    const auto scheme = read_scheme(*parsed);
    if (!scheme.ok()) return scheme.status();
    const auto composition = read_composition_mode(*parsed, "comp-stats");
    if (!composition.ok()) return composition.status();
    RunFiles files = files_of(*common);
    if (const auto name = parsed->text("matrix"); !builtin_matrix(name)) {
        files.add_input("--matrix", name);
        common->decisive_files.emplace_back(name);
    }
    WARPSEQ_TRY(files.check());
    const auto residues = parse_whole_number(parsed->text("dbsize"), "--dbsize", 0);
    if (!residues.ok()) return residues.status();
    const SwSettings settings{*scheme, report->evalue, report->max_hits, *composition,
                              static_cast<std::uint64_t>(*residues)};
    WARPSEQ_TRY(check_statistics(settings));
    auto writer = make_report_writer(report->outfmt);
    if (!writer.ok()) return of_option("--outfmt", writer.status());
    TerminalObserver observer("search sw", common->quiet, report_place(*common));
    return run_search(std::make_unique<SwSteps>(*common, settings, *std::move(writer)), *common, observer, division);
}

}  // namespace warpseq
