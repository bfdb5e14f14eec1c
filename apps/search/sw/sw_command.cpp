#include "apps/search/sw/sw_command.h"

#include <cmath>
#include <cstdio>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "apps/common/arguments.h"
#include "apps/common/command_line.h"
#include "apps/common/option_set.h"
#include "apps/common/progress.h"
#include "apps/search/common_options.h"
#include "apps/search/scoring_options.h"
#include "apps/search/statistics.h"
#include "engines/devices/tile_scan.h"
#include "engines/sw/sw_search.h"
#include "formats/output_sink.h"
#include "libcore/base/clock.h"
#include "libcore/base/number_format.h"
#include "libcore/base/version.h"
#include "libcore/scoring/builtin_matrices.h"
#include "reports/report.h"

namespace warpseq {

namespace {

/// Report text is held back up to this size, so that an error on the way leaves no partial report on standard output.
constexpr std::size_t kHeldTextBytes = std::size_t{64} << 20;

/// Hits whose alignments are made and kept at once.
constexpr std::size_t kHitsPerWindow = 4096;

OptionSet make_options() {
    OptionSet options(
        "search sw",
        "Exact affine-gap Smith-Waterman of every query with every sequence; scores first, then the alignments of "
        "what is reported.\n");
    options.custom_help("-q QUERY.fasta -d DATABASE.wsdb [-d MORE.wsdb] [options]");
    options.set_width(100);
    add_input_options(options, "FASTA file of queries, plain, gzip or zstd; - is standard input");
    add_hit_list_options(options);
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

Result<ScoringScheme> read_scheme(const ParsedOptions& parsed) {
    auto matrix = find_protein_matrix(parsed.text("matrix"));
    if (!matrix.ok()) return matrix.status();
    const auto gaps =
        read_gap_costs(parsed, AlignmentStatistics::default_gap_costs(matrix->name()).value_or(GapCosts()));
    if (!gaps.ok()) return gaps.status();
    return ScoringScheme{*std::move(matrix), *gaps};
}

/// E-values exist for the combinations that BLAST knows; for others a search has to ask for every hit, by scores as they are.
Status check_statistics(const ScoringScheme& scheme, const std::optional<AlignmentStatistics>& statistics,
                        double evalue, bool adjusted) {
    if (statistics || (std::isinf(evalue) && !adjusted)) return {};
    const std::string gaps = std::to_string(scheme.gaps.open) + "/" + std::to_string(scheme.gaps.extend);
    const std::string known = AlignmentStatistics::known_gap_costs(scheme.matrix.name());
    return Status::usage("no E-value statistics for " + scheme.matrix.name() + " with gap costs " + gaps + "; " +
                         (known.empty() ? "they exist for the built-in matrices only"
                                        : "known open/extend costs for this matrix: " + known) +
                         ". With --evalue inf" + (adjusted ? " and without --comp-stats" : "") +
                         " every hit is reported, best score first, without E-values and bit scores");
}

struct Times {
    double open = 0;
    double wait = 0;    // for scores: on the CPU all of scoring, on GPUs what reporting did not hide
    double report = 0;  // alignments and output
    double all = 0;
};

/// What the hits of all batches in flight take together, by estimate.
constexpr std::uint64_t kHitBytes = std::uint64_t{256} << 20;

/// Batches small enough that the reports of one are made while the GPUs score the next ones.
constexpr std::size_t kBatchesInFlight = 3;
constexpr QueryBatchLimits kGpuBatch{.queries = 64, .residues = 16 << 10};

class Search {
   public:
    Search(const CommonOptions& options, const HitListOptions& report, const ScoringScheme& scheme,
           CompositionMode composition)
        : options_(options),
          observer_("search sw", options.quiet),
          report_(report),
          scheme_(scheme),
          composition_(composition),
          statistics_(AlignmentStatistics::find(scheme)),
          pool_(options.threads) {}

    Status run();
    bool used_gpus() const { return !devices_.gpus.empty(); }

   private:
    Status search();
    Status check_scoring();
    Status open_devices();
    std::future<Result<std::vector<std::vector<Hit>>>> start_scoring(std::span<const Query> queries);
    Status report(std::span<const Query> queries, std::span<const std::vector<Hit>> hits);
    void print_stats() const;

    const CommonOptions& options_;
    TerminalObserver observer_;
    const HitListOptions& report_;
    const ScoringScheme& scheme_;
    CompositionMode composition_;
    std::optional<AlignmentStatistics> statistics_;
    std::optional<CompositionAdjuster> adjuster_;
    ThreadPool pool_;
    DeviceChoice devices_;
    std::optional<DatabaseSet> databases_;
    std::optional<SwSearch> host_;
    struct Batch {
        std::vector<Query> queries;
        std::future<Result<std::vector<std::vector<Hit>>>> hits;
    };
    std::deque<Batch> batches_;  // being scored, or waiting to be; outlive the GPUs' work on them, whatever ends a run
    std::unique_ptr<SwGpuScan> gpus_;
    std::unique_ptr<ReportWriter> writer_;
    std::optional<OutputSink> sink_;
    std::string text_;
    std::uint64_t query_count_ = 0, hit_count_ = 0;
    Times times_;
};

Status Search::check_scoring() {
    const bool adjusted = composition_ != CompositionMode::kNone;
    if (adjusted) adjuster_ = CompositionAdjuster::create(scheme_.matrix, composition_);
    if (adjusted && !adjuster_) {
        return Status::usage("matrix " + scheme_.matrix.name() +
                             " has no frequencies to adjust scores by; --comp-stats 0 does without");
    }
    return check_statistics(scheme_, statistics_, report_.evalue, adjusted);
}

Status Search::open_devices() {
    auto devices = choose_devices(options_.device);
    if (!devices.ok()) return devices.status();
    devices_ = *std::move(devices);
    if (!devices_.note.empty()) observer_.note(devices_.note);

    SwSearchSettings settings;
    settings.backend = options_.cpu_backend;
    if (options_.chunk_bytes != 0) settings.chunk_bytes = options_.chunk_bytes;
    settings.evalue = report_.evalue;
    settings.max_hits = report_.max_hits;
    settings.space.database_residues = databases_->residue_count();
    settings.adjuster = adjuster_;
    host_.emplace(*databases_, scheme_, statistics_, settings, pool_);
#if WARPSEQ_HAVE_CUDA
    if (!devices_.gpus.empty()) {
        SwGpuSettings gpu;
        gpu.ordinals = devices_.gpus;
        gpu.device_memory_bytes = options_.device_memory_bytes;
        gpu.chunk_bytes = options_.chunk_bytes;
        gpu.host_threads = options_.threads;
        gpu.backend = options_.cpu_backend;
        gpu.evalue = settings.preliminary_evalue();
        gpu.max_hits = settings.preliminary_hits();
        gpu.space.database_residues = databases_->residue_count();
        auto scan = SwGpuScan::create(*databases_, scheme_, statistics_, gpu, SwGpus::of_this_machine());
        if (!scan.ok()) return scan.status();
        gpus_ = *std::move(scan);
    }
#endif
    return {};
}

std::future<Result<std::vector<std::vector<Hit>>>> Search::start_scoring(std::span<const Query> queries) {
    if (gpus_) return gpus_->submit(queries, observer_);
    // On the CPU scoring and reporting use the same threads, so one follows the other.
    return std::async(std::launch::deferred, [this, queries] {
        std::uint64_t cells = host_->counts().cells;
        for (const Query& query : queries) cells += query.residues.size() * databases_->residue_count();
        const auto progress = observer_.begin("Searching", cells);
        return host_->find_hits(queries, *progress);
    });
}

Status Search::report(std::span<const Query> queries, std::span<const std::vector<Hit>> hits) {
    const auto start = Clock::now();
    const RunDescription run{"sw", *databases_, scheme_, statistics_, composition_};
    for (std::size_t first = 0, end; first < queries.size(); first = end) {
        std::size_t window = 0;
        for (end = first; end < queries.size() && (end == first || window < kHitsPerWindow); ++end)
            window += hits[end].size();
        const auto members = queries.subspan(first, end - first);
        const auto reported = host_->finish(members, hits.subspan(first, end - first), writer_->needs());
        if (!reported.ok()) return reported.status();
        for (std::size_t q = 0; q < members.size(); ++q) {
            hit_count_ += (*reported)[q].size();
            writer_->add(run, members[q], (*reported)[q], text_);
        }
        if (text_.size() >= kHeldTextBytes) {
            WARPSEQ_TRY(sink_->write(text_));
            text_.clear();
        }
    }
    times_.report += seconds_since(start);
    return {};
}

Status Search::run() {
    const Status status = search();
    // What failed may have failed because somebody writes to a database; then that is what to know.
    if (status.code() == StatusCode::kInvalidInput && databases_) WARPSEQ_TRY(databases_->verify_unchanged(pool_));
    return status;
}

Status Search::search() {
    WARPSEQ_TRY(check_scoring());
    auto writer = make_report_writer(report_.outfmt);
    if (!writer.ok()) return writer.status();
    writer_ = *std::move(writer);

    const auto start = Clock::now();
    auto databases = DatabaseSet::open(options_.database_files);
    if (!databases.ok()) return databases.status();
    databases_ = *std::move(databases);
    auto sink = OutputSink::open(options_.output_file);
    if (!sink.ok()) return sink.status();
    sink_ = *std::move(sink);
    WARPSEQ_TRY(open_devices());
    times_.open = seconds_since(start);

    const RunDescription run{"sw", *databases_, scheme_, statistics_, composition_};
    writer_->begin(run, text_);
    // On GPUs the next batches are scored while the host aligns and reports one.
    const std::size_t most = devices_.gpus.empty() ? 1 : kBatchesInFlight;
    const QueryBatchLimits limits = devices_.gpus.empty() ? QueryBatchLimits{} : kGpuBatch;
    QueryReader reader(options_.query_file, limits.within(kHitBytes / most, host_->hit_bytes_per_query()));
    for (bool more = true;;) {
        while (more && batches_.size() < most) {
            auto queries = reader.next_batch();
            if (!queries.ok()) return queries.status();
            more = !queries->empty();
            if (!more) break;
            query_count_ += queries->size();
            batches_.push_back({*std::move(queries), {}});
            batches_.back().hits = start_scoring(batches_.back().queries);
        }
        if (batches_.empty()) break;
        const auto wait = Clock::now();
        const auto hits = batches_.front().hits.get();
        times_.wait += seconds_since(wait);
        if (!hits.ok()) return hits.status();
        WARPSEQ_TRY(report(batches_.front().queries, *hits));
        batches_.pop_front();
    }
    writer_->end(run, text_);
    WARPSEQ_TRY(databases_->verify_unchanged(pool_));
    WARPSEQ_TRY(sink_->write(text_));
    WARPSEQ_TRY(sink_->finish());
    times_.all = seconds_since(start);
    for (const std::string& warning : reader.warnings()) observer_.note("warning: " + warning);
    if (options_.stats) print_stats();
    return {};
}

void Search::print_stats() const {
    const StatisticsPrinter out(22);
    out.line("queries", format_count(query_count_));
    out.line("sequences", format_count(databases_->sequence_count()));
    out.line("residues", format_count(databases_->residue_count()));
    out.line("hits", format_count(hit_count_));
    out.line("seconds to open", three_decimals(times_.open));
    if (gpus_) {
        const SwGpuCounts counts = gpus_->counts();
        out.line("device",
                 std::to_string(devices_.gpus.size()) + " GPU, " + std::to_string(options_.threads) + " host threads");
        out.line("cells", format_count(counts.cells));
        out.line("  again on the host", format_count(counts.saturated) + " pairs");
        out.line("chunks scored", format_count(counts.chunks));
        out.line("copied to the GPU", format_size_bytes(counts.copies.bytes));
        out.line("seconds to score", seconds_and_rate(counts.scoring_seconds, counts.cells));
        out.line("  in GPU kernels", three_decimals(counts.kernel_seconds) + " summed over workers");
        out.line("  copying", three_decimals(counts.copies.seconds) + " summed over workers");
        out.line("  scores to hits", three_decimals(counts.host_seconds) + " summed over workers");
    }
    if (devices_.gpus.empty()) {
        const SmithWatermanCounts& counts = host_->counts();
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
        out.line("seconds to score", seconds_and_rate(times_.wait, counts.cells));
    }
    out.line("seconds to report", three_decimals(times_.report) + " (alignments and output)");
    out.line("  waiting for scores", three_decimals(times_.wait));
    out.line("seconds in all", three_decimals(times_.all));
}

}  // namespace

Status run_sw_command(int argc, char** argv) {
    OptionSet options = make_options();
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
    const auto common = read_common_options(*parsed);
    if (!common.ok()) return common.status();
    const auto report = read_hit_list_options(*parsed);
    if (!report.ok()) return report.status();
    const auto scheme = read_scheme(*parsed);
    if (!scheme.ok()) return scheme.status();
    const auto composition = read_composition_mode(*parsed, "comp-stats");
    if (!composition.ok()) return composition.status();
    RunFiles files = files_of(*common);
    if (const auto name = parsed->text("matrix"); !builtin_matrix(name)) files.add_input("--matrix", name);
    WARPSEQ_TRY(files.check());
    auto search = std::make_unique<Search>(*common, *report, *scheme, *composition);
    const Status status = search->run();
    // main() ends the process next. Giving GPU memory back piece by piece before that takes a tenth of a second for nothing.
    if (status.ok() && search->used_gpus()) static_cast<void>(search.release());
    return status;
}

}  // namespace warpseq
