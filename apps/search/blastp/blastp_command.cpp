#include "apps/search/blastp/blastp_command.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apps/common/arguments.h"
#include "apps/common/command_line.h"
#include "apps/common/option_set.h"
#include "apps/common/progress.h"
#include "apps/search/blastp/blastp_options.h"
#include "apps/search/statistics.h"
#include "engines/blastp/blastp_gpu_screen.h"
#include "engines/blastp/blastp_query.h"
#include "engines/blastp/blastp_screen.h"
#include "engines/blastp/blastp_search.h"
#include "engines/blastp/query_parts.h"
#include "engines/query_set.h"
#include "engines/targets/chunk_reader.h"
#include "engines/targets/headers.h"
#include "formats/output_sink.h"
#include "libcore/base/clock.h"
#include "libcore/base/number_format.h"
#include "libcore/base/version.h"
#include "reports/blast/blastp_report.h"

namespace warpseq {
namespace {

/// Report text is held back up to this size, so that an error on the way leaves no partial report on standard output.
constexpr std::size_t kHeldTextBytes = std::size_t{64} << 20;

using Candidates = Result<std::vector<std::vector<Hit>>>;

constexpr std::uint64_t kChunkBytes = std::uint64_t{64} << 20;

/// What is found of a batch grows with its queries. This many pay for decoding the database again.
constexpr QueryBatchLimits kCpuBatchLimits{.queries = 256, .residues = 128 << 10};

/// What is found of all batches in flight may take so much together, by estimate.
constexpr std::uint64_t kFoundBytes = std::uint64_t{512} << 20;

/// Batches small enough that the host finishes one while the GPUs scan for the next ones.
constexpr std::size_t kBatchesInFlight = 3;

class Search {
   public:
    explicit Search(const BlastpOptions& options)
        : options_(options),
          observer_("search blastp", options.common.quiet),
          statistics_(AlignmentStatistics::find(options.settings.scheme)),
          pool_(options.common.threads) {}

    Status run();
    bool used_gpus() const { return !devices_.gpus.empty(); }

   private:
    struct Batch {
        std::vector<BlastpQuery> queries;
        std::vector<const BlastpQuery*> parts;  // all_searched_parts()
        std::vector<Query> scanned;             // as they are scored
        std::future<Candidates> candidates;
    };
    Status search();
    Status open();
    Result<std::unique_ptr<Batch>> make_batch(std::vector<QueryWithParts> queries);
    void warn(const std::string& text);
    void warn_of_pyrrolysine(const Query& query);
    std::future<Candidates> start_scan(const Batch& batch);
    Result<std::vector<std::vector<std::string>>> read_headers(std::span<const std::vector<BlastpHit>> hits);
    Status report(const Batch& batch, std::span<const std::vector<Hit>> candidates);
    BlastpRun description() const {
        return {*databases_, options_.common.database_files, options_.settings, *statistics_, options_.layout};
    }
    void print_stats() const;

    const BlastpOptions& options_;
    TerminalObserver observer_;
    std::optional<AlignmentStatistics> statistics_;
    ThreadPool pool_;
    DeviceChoice devices_;
    std::optional<DatabaseSet> databases_;
    std::optional<BlastpParameters> parameters_;
    SearchSpace space_;
    std::optional<BlastpScreen> screen_;
    std::optional<BlastpSearch> search_;
    std::deque<std::unique_ptr<Batch>> batches_;  // outlive the GPUs' work on them, whatever ends a run
    std::unique_ptr<BlastpGpuScreen> gpus_;
    std::unique_ptr<BlastpReport> report_;
    std::optional<OutputSink> sink_;
    std::string text_;
    std::uint64_t query_count_ = 0, candidate_count_ = 0, hit_count_ = 0, reported_queries_ = 0;
    struct {
        double open = 0, wait = 0, search = 0, report = 0, all = 0;
    } seconds_;
};

Status Search::open() {
    auto report = make_blastp_report(options_.outfmt, options_.common.output_file);
    if (!report.ok()) return report.status();
    report_ = *std::move(report);
    RunFiles files = files_of(options_.common);
    report_->add_outputs(files);
    WARPSEQ_TRY(files.check());
    auto databases = DatabaseSet::open(options_.common.database_files);
    if (!databases.ok()) return databases.status();
    databases_ = *std::move(databases);
    auto sink = OutputSink::open(options_.common.output_file);
    if (!sink.ok()) return sink.status();
    sink_ = *std::move(sink);
    auto devices = choose_devices(options_.common.device);
    if (!devices.ok()) return devices.status();
    devices_ = *std::move(devices);
    if (!devices_.note.empty()) observer_.note(devices_.note);

    space_.database_residues =
        options_.settings.database_residues != 0 ? options_.settings.database_residues : databases_->residue_count();
    const SubstitutionMatrix& matrix = options_.settings.scheme.matrix;
    parameters_.emplace(BlastpParameters{
        options_.settings.scheme, *statistics_,
        options_.settings.word_residues < WordRule::kFewestCompressed
            ? WordRule::uncompressed(matrix, options_.settings.word_residues, options_.settings.threshold)
            : WordRule::compressed(matrix, options_.settings.word_residues, options_.settings.threshold,
                                   statistics_->ungapped().lambda)});
    space_.effective = options_.settings.search_space;
    parameters_->window_residues = options_.settings.window_residues;
    parameters_->x_drop_ungapped_bits = options_.settings.x_drop_ungapped_bits;
    parameters_->x_drop_gapped_bits = options_.settings.x_drop_gapped_bits;
    parameters_->x_drop_final_bits = options_.settings.x_drop_final_bits;
    parameters_->evalue = options_.settings.evalue;
    parameters_->seg = options_.settings.seg;
    parameters_->soft_masking = options_.settings.soft_masking;
    parameters_->lower_case_masking = options_.settings.lower_case_masking;
    parameters_->backend = options_.common.cpu_backend;
    if (options_.settings.composition != CompositionMode::kNone) {
        parameters_->adjuster = CompositionAdjuster::create(matrix, options_.settings.composition);
    }
    search_.emplace(*databases_, *parameters_, space_, options_.settings.limits, pool_);

    screen_.emplace(*databases_, *parameters_, space_,
                    options_.common.chunk_bytes != 0 ? options_.common.chunk_bytes : kChunkBytes, pool_);
#if WARPSEQ_HAVE_CUDA
    if (!devices_.gpus.empty()) {
        SwGpuSettings gpu;
        gpu.ordinals = devices_.gpus;
        gpu.device_memory_bytes = options_.common.device_memory_bytes;
        gpu.chunk_bytes = options_.common.chunk_bytes;
        gpu.host_threads = options_.common.threads;
        gpu.backend = options_.common.cpu_backend;
        gpus_ = BlastpGpuScreen::create(*databases_, *parameters_, space_, gpu, SeedGpus::of_this_machine());
    }
#endif
    return {};
}

void Search::warn(const std::string& text) { observer_.note("warning: " + text); }

void Search::warn_of_pyrrolysine(const Query& query) {
    const auto count = std::ranges::count(query.residues, kCodeO);
    if (count == 0) return;
    warn("query " + std::string(identifier_of(query.header)) + ": " + std::to_string(count) +
         " of its residues are O, pyrrolysine, and are scored as X");
}

Result<std::unique_ptr<Search::Batch>> Search::make_batch(std::vector<QueryWithParts> queries) {
    auto batch = std::make_unique<Batch>();
    batch->queries.resize(queries.size());
    for (const QueryWithParts& query : queries) warn_of_pyrrolysine(query.query);
    WARPSEQ_TRY(pool_.parallel_for(queries.size(), [&](std::uint64_t q, unsigned) {
        Query& query = queries[q].query;
        std::vector<QueryStretch> lower_case;
        for (const ResidueRange& range : query.lower_case) {
            lower_case.push_back({static_cast<std::uint32_t>(range.begin), static_cast<std::uint32_t>(range.end)});
        }
        batch->queries[q] = make_blastp_query(std::move(query.header), std::move(query.residues), std::move(lower_case),
                                              *parameters_, space_, queries[q].parts);
    }));
    std::set<std::uint64_t> searched_groups;
    for (std::size_t q = 0; q < queries.size(); ++q) {
        if (batch->queries[q].ungapped) searched_groups.insert(queries[q].group);
    }
    for (std::size_t q = 0; q < queries.size(); ++q) {
        batch->queries[q].is_in_invalid_group = !searched_groups.contains(queries[q].group);
    }
    for (const BlastpQuery& query : batch->queries) {
        if (query.ungapped || query.residues.empty()) continue;
        warn("query " + std::string(identifier_of(query.header)) +
             " cannot be searched with: its letters, but for X and masked ones, have no score statistics");
    }
    batch->parts = all_searched_parts(batch->queries);
    batch->scanned = scanned_parts(batch->parts);
    return batch;
}

std::future<Candidates> Search::start_scan(const Batch& batch) {
    if (gpus_) return gpus_->submit(batch.parts, batch.scanned, whole_share(*databases_), {observer_});
    // On the CPU scanning and searching use the same threads, so one follows the other.
    return std::async(std::launch::deferred, [this, &batch] {
        std::uint64_t cells = 0;
        for (const Query& query : batch.scanned) cells += query.residues.size() * databases_->residue_count();
        const auto progress = observer_.begin("Searching", cells);
        return screen_->find_candidates(batch.parts, batch.scanned, *progress);
    });
}

Result<std::vector<std::vector<std::string>>> Search::read_headers(std::span<const std::vector<BlastpHit>> hits) {
    std::vector<std::vector<std::string>> headers(hits.size());
    std::vector<SequencePlace> places;
    std::vector<std::string*> header_of_place;
    for (std::size_t q = 0; q < hits.size(); ++q) {
        headers[q].resize(hits[q].size());
        for (std::size_t h = 0; h < hits[q].size(); ++h) {
            places.push_back({hits[q][h].database, hits[q][h].rank});
            header_of_place.push_back(&headers[q][h]);
        }
    }
    WARPSEQ_TRY(for_each_header(*databases_, places, pool_,
                                [&](std::size_t i, std::string_view header) { *header_of_place[i] = header; }));
    return headers;
}

Status Search::report(const Batch& batch, std::span<const std::vector<Hit>> candidates) {
    auto start = Clock::now();
    for (const auto& of_query : candidates) candidate_count_ += of_query.size();
    const auto hits = search_->find_hits(batch.queries, candidates);
    if (!hits.ok()) return hits.status();
    seconds_.search += seconds_since(start);
    start = Clock::now();
    const BlastpRun run = description();
    const auto headers = read_headers(*hits);
    if (!headers.ok()) return headers.status();
    for (std::size_t q = 0; q < batch.queries.size(); ++q) {
        for (const BlastpHit& hit : (*hits)[q]) hit_count_ += hit.hsps.size();
        const BlastpQuery& query = batch.queries[q];
        std::uint64_t space = 0, adjustment = 0;
        if (query.ungapped) {
            const std::uint64_t residues = query.residues.size(), sequences = databases_->sequence_count();
            adjustment = statistics_->length_adjustment(residues, space_.database_residues, sequences);
            space = space_.effective != 0
                        ? space_.effective
                        : statistics_->effective_search_space(residues, space_.database_residues, sequences);
        }
        WARPSEQ_TRY(
            report_->add(run, {query, ++reported_queries_, space, adjustment, (*hits)[q], (*headers)[q]}, text_));
        if (text_.size() >= kHeldTextBytes) {
            WARPSEQ_TRY(sink_->write(text_));
            text_.clear();
        }
    }
    seconds_.report += seconds_since(start);
    return {};
}

Status Search::run() {
    const Status status = search();
    // What failed may have failed because somebody writes to a database; then that is what to know.
    if (status.code() == StatusCode::kInvalidInput && databases_) WARPSEQ_TRY(databases_->verify_unchanged(pool_));
    return status;
}

Status Search::search() {
    const auto start = Clock::now();
    for (const std::string& warning : options_.warnings) warn(warning);
    WARPSEQ_TRY(open());
    seconds_.open = seconds_since(start);
    const BlastpRun run = description();
    report_->begin(run, text_);
    QueryBatchLimits limits = kCpuBatchLimits;
    if (!devices_.gpus.empty()) limits = BlastpGpuScreen::batch_limits(*parameters_);
    const std::size_t most = devices_.gpus.empty() ? 1 : kBatchesInFlight;
    PartedQueryReader reader(options_.common.query_file,
                             limits.within(kFoundBytes / most, search_->found_bytes_per_query()),
                             options_.settings.lower_case_masking);
    for (bool more = true;;) {
        while (more && batches_.size() < most) {
            auto queries = reader.next_batch();
            if (!queries.ok()) return queries.status();
            more = !queries->empty();
            if (!more) break;
            query_count_ += queries->size();
            auto batch = make_batch(*std::move(queries));
            if (!batch.ok()) return batch.status();
            batches_.push_back(*std::move(batch));
            batches_.back()->candidates = start_scan(*batches_.back());
        }
        if (batches_.empty()) break;
        const auto wait = Clock::now();
        const auto candidates = batches_.front()->candidates.get();
        seconds_.wait += seconds_since(wait);
        if (!candidates.ok()) return candidates.status();
        WARPSEQ_TRY(report(*batches_.front(), *candidates));
        batches_.pop_front();
    }
    report_->end(run, text_);
    WARPSEQ_TRY(databases_->verify_unchanged(pool_));
    WARPSEQ_TRY(sink_->write(text_));
    WARPSEQ_TRY(sink_->finish());
    seconds_.all = seconds_since(start);
    for (const std::string& warning : reader.warnings()) warn(warning);
    if (options_.common.stats) print_stats();
    return {};
}

void Search::print_stats() const {
    const StatisticsPrinter out(22);
    out.line("queries", format_count(query_count_));
    out.line("sequences", format_count(databases_->sequence_count()));
    out.line("residues", format_count(databases_->residue_count()));
    if (devices_.gpus.empty()) out.line("pairs with gaps", format_count(screen_->pairs_scored()) + " scored");
    if (gpus_) {
        const BlastpGpuCounts counts = gpus_->counts();
        if (counts.seeded_pairs > 0) {
            out.line("pairs with seeds", format_count(counts.seeded_pairs) + ", " +
                                             three_decimals(counts.kernel_seconds) + " s of GPU time");
            out.line("seconds to score",
                     three_decimals(counts.scoring_seconds) + " of those pairs (summed over workers)");
        }
    }
    out.line("pairs looked at", format_count(candidate_count_));
    out.line("alignments", format_count(hit_count_));
    out.line("seconds to open", three_decimals(seconds_.open));
    out.line("seconds to scan",
             three_decimals(seconds_.wait) + (devices_.gpus.empty() ? "" : " (not hidden by what follows)"));
    out.line("seconds to search", three_decimals(seconds_.search));
    out.line("seconds to report", three_decimals(seconds_.report));
    out.line("seconds in all", three_decimals(seconds_.all));
}

}  // namespace

Status run_blastp_command(int argc, char** argv) {
    OptionSet options = make_blastp_options();
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
                             "'; queries go with --query, databases with --db");
    }
    const auto read = read_blastp_options(*parsed);
    if (!read.ok()) return read.status();
    auto search = std::make_unique<Search>(*read);
    const Status status = search->run();
    // main() ends the process next. Giving GPU memory back piece by piece before that takes a tenth of a second for nothing.
    if (status.ok() && search->used_gpus()) static_cast<void>(search.release());
    return status;
}

}  // namespace warpseq
