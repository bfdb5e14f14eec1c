#include "apps/search/hmm/hmm_command.h"

#include <cstdio>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "apps/common/arguments.h"
#include "apps/common/command_line.h"
#include "apps/common/option_set.h"
#include "apps/common/progress.h"
#include "apps/search/hmm/hmm_options.h"
#include "apps/search/statistics.h"
#include "engines/hmm/hmm_gpu_filter.h"
#include "engines/hmm/hmm_query_reader.h"
#include "engines/hmm/hmm_search.h"
#include "engines/hmm/hmm_thresholds.h"
#include "libcore/base/clock.h"
#include "libcore/base/number_format.h"
#include "libcore/base/version.h"
#include "reports/hmmer/hmm_outputs.h"

namespace warpseq {
namespace {

/// Batches small enough that the host finishes some while the GPUs filter the next ones. Several are finished side by side, so that the
/// longest task of one does not hold up the others.
constexpr std::size_t kBatchesInFlight = 6;
constexpr HmmBatchLimits kGpuBatch{.profiles = 32, .nodes = 8 << 10};

class Search {
   public:
    explicit Search(const HmmOptions& options)
        : options_(options), observer_("search hmm", options.common.quiet), pool_(options.common.threads) {}
    Status run();
    bool used_gpus() const { return gpus_ != nullptr; }

   private:
    /// What a batch adds to the outputs.
    struct Finished {
        std::vector<HmmOutputs::Text> texts;
        std::uint64_t reported = 0;
        double wait_seconds = 0, report_seconds = 0;
    };
    struct Batch {
        HmmBatch profiles;
        bool first;                                 // of all
        std::future<Result<HmmFiltered>> filtered;  // only on GPUs
        std::future<Result<Finished>> finished;
    };

    Status search();
    Status open();
    Status open_gpus(const HmmPipelineSettings& pipeline);
    Result<bool> start_batch();
    Result<Finished> finish_batch(Batch& batch);
    Result<Finished> format(Batch& batch);
    Status append(Batch& batch);
    void print_stats() const;

    const HmmOptions& options_;
    TerminalObserver observer_;
    ThreadPool pool_;
    DeviceChoice devices_;
    std::optional<DatabaseSet> databases_;
    std::optional<HmmQueryReader> queries_;
    std::optional<HmmSearch> search_;
    std::optional<HmmOutputs> outputs_;
    std::deque<Batch> batches_;           // being filtered and finished, or waiting to be
    std::unique_ptr<HmmGpuFilter> gpus_;  // goes before the batches, which then have nothing to wait for
    HmmTimes times_;
    std::uint64_t query_count_ = 0, node_count_ = 0, hit_count_ = 0;
    double open_seconds_ = 0, query_seconds_ = 0, submit_seconds_ = 0, wait_seconds_ = 0, report_seconds_ = 0,
           all_seconds_ = 0;
};

Status Search::open() {
    auto devices = choose_devices(options_.common.device);
    if (!devices.ok()) return devices.status();
    devices_ = *std::move(devices);
    if (!devices_.note.empty()) observer_.note(devices_.note);
    auto databases = DatabaseSet::open(options_.common.database_files);
    if (!databases.ok()) return databases.status();
    databases_ = *std::move(databases);
    auto outputs = HmmOutputs::open(options_.run, options_.files);
    if (!outputs.ok()) return outputs.status();
    outputs_.emplace(*std::move(outputs));
    const HmmQuerySettings query_settings{.file = options_.common.query_file,
                                          .backend = options_.common.cpu_backend,
                                          .seed = options_.seed,
                                          .matrix = options_.matrix,
                                          .gaps = options_.gaps};
    auto queries = HmmQueryReader::open(query_settings, devices_.gpus.empty() ? HmmBatchLimits{} : kGpuBatch, pool_);
    if (!queries.ok()) return queries.status();
    queries_.emplace(*std::move(queries));
    if (queries_->kind() == HmmQueryKind::kProfile) {
        for (const HmmRun::Given& given : options_.run.given) {
            for (const char* name : {"--popen", "--pextend", "--mx", "--mxfile"}) {
                if (given.name == name)
                    return Status::usage(given.name + " is for sequence queries; " +
                                         options_.common.query_file.string() + " holds profiles");
            }
        }
    }

    outputs_->begin(queries_->kind());

    HmmSearchSettings settings;
    settings.pipeline.f1 = options_.msv_pvalue;
    settings.pipeline.f2 = options_.viterbi_pvalue;
    settings.pipeline.f3 = options_.forward_pvalue;
    settings.pipeline.max = options_.max_sensitivity;
    settings.pipeline.bias_filter = options_.bias_filter;
    settings.pipeline.null2 = options_.null2;
    settings.pipeline.seed = options_.seed;
    settings.pipeline.backend = options_.common.cpu_backend;
    if (options_.common.chunk_bytes != 0) settings.chunk_bytes = options_.common.chunk_bytes;
    settings.targets_z = options_.targets_z;
    search_.emplace(*databases_, settings, pool_);

    return devices_.gpus.empty() ? Status() : open_gpus(settings.pipeline);
}

Status Search::open_gpus([[maybe_unused]] const HmmPipelineSettings& pipeline) {
#if WARPSEQ_HAVE_CUDA
    HmmGpuSettings settings;
    settings.ordinals = devices_.gpus;
    settings.device_memory_bytes = options_.common.device_memory_bytes;
    settings.chunk_bytes = options_.common.chunk_bytes;
    settings.host_threads = options_.common.threads;
    settings.most_profiles = kGpuBatch.profiles;
    settings.pipeline = pipeline;
    settings.targets_z = options_.targets_z;
    auto gpus = HmmGpuFilter::create(*databases_, settings, HmmGpus::of_this_machine());
    if (!gpus.ok()) return gpus.status();
    gpus_ = *std::move(gpus);
#endif
    return {};
}

/// Reads and prepares the next batch, and starts its filters on the GPUs. False after the last one.
Result<bool> Search::start_batch() {
    const auto read = Clock::now();
    auto profiles = queries_->next_batch();
    query_seconds_ += seconds_since(read);
    if (!profiles.ok()) return profiles.status();
    if (profiles->empty()) return false;
    std::vector<HmmThresholds> thresholds;
    for (const ProfileHmm& hmm : *profiles) {
        auto each = thresholds_for(options_, hmm);
        if (!each.ok()) return each.status();
        thresholds.push_back(*each);
    }
    const bool first = query_count_ == 0;
    query_count_ += profiles->size();
    auto prepared = search_->prepare(*std::move(profiles), std::move(thresholds));
    if (!prepared.ok()) return prepared.status();
    batches_.push_back({*std::move(prepared), first, {}, {}});
    Batch& batch = batches_.back();
    node_count_ += batch.profiles.nodes();
    if (gpus_) {
        const auto start = Clock::now();
        batch.filtered = gpus_->submit(batch.profiles, whole_share(*databases_), {observer_});
        submit_seconds_ += seconds_since(start);
    }
    // A thread that cannot be started is done without: with both policies libstdc++ then defers the work.
    const std::launch policy = gpus_ ? std::launch::async | std::launch::deferred : std::launch::deferred;
    batch.finished = std::async(policy, [this, &batch] { return guarded([&] { return finish_batch(batch); }); });
    return true;
}

Result<Search::Finished> Search::finish_batch(Batch& batch) {
    double wait_seconds = 0;
    if (batch.filtered.valid()) {
        const auto start = Clock::now();
        auto filtered = batch.filtered.get();
        wait_seconds = seconds_since(start);
        if (!filtered.ok()) return filtered.status();
        WARPSEQ_TRY(search_->finish(batch.profiles, *std::move(filtered)));
    } else {
        const auto progress = observer_.begin("Searching", batch.profiles.nodes() * databases_->residue_count());
        WARPSEQ_TRY(search_->search(batch.profiles, *progress));
        progress->finish();
    }
    const auto start = Clock::now();
    auto finished = format(batch);
    if (!finished.ok()) return finished.status();
    finished->wait_seconds = wait_seconds;
    finished->report_seconds = seconds_since(start);
    return finished;
}

Result<Search::Finished> Search::format(Batch& batch) {
    HmmBatch& profiles = batch.profiles;
    Finished finished;
    finished.texts.resize(profiles.size());
    std::vector<std::uint64_t> reported(profiles.size());
    WARPSEQ_TRY(pool_.parallel_for(profiles.size(), [&](std::uint64_t p, unsigned) {
        HmmReport each = std::move(profiles.reports[p]);
        each.z_given = options_.targets_z.has_value();
        each.targets_z = options_.targets_z.value_or(0);
        each.domain_z_given = options_.domains_z.has_value();
        each.domains_z = options_.domains_z.value_or(0);
        finish_report(each);
        reported[p] = each.reported;
        finished.texts[p] = outputs_->format(profiles.profiles[p], profiles.pipelines[p]->forward_profile(), each,
                                             batch.first && p == 0);
    }));
    for (const std::uint64_t each : reported) finished.reported += each;
    return finished;
}

/// Waits for a batch and writes it.
Status Search::append(Batch& batch) {
    const auto finished = batch.finished.get();
    if (!finished.ok()) return finished.status();
    const auto start = Clock::now();
    for (const HmmOutputs::Text& text : finished->texts) WARPSEQ_TRY(outputs_->append(text));
    hit_count_ += finished->reported;
    times_ += batch.profiles.times;
    wait_seconds_ += finished->wait_seconds;
    report_seconds_ += finished->report_seconds + seconds_since(start);
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
    WARPSEQ_TRY(open());
    open_seconds_ = seconds_since(start);
    const std::size_t most = gpus_ ? kBatchesInFlight : 1;
    Status started;  // a query that cannot be read ends the search after those before it
    for (bool more = true;;) {
        while (more && batches_.size() < most) {
            const auto another = start_batch();
            started = another.status();
            more = another.ok() && *another;
        }
        if (batches_.empty()) break;
        WARPSEQ_TRY(append(batches_.front()));
        batches_.pop_front();
    }
    WARPSEQ_TRY(started);
    WARPSEQ_TRY(databases_->verify_unchanged(pool_));
    WARPSEQ_TRY(outputs_->finish());
    all_seconds_ = seconds_since(start);
    for (const std::string& warning : queries_->warnings()) observer_.note("warning: " + warning);
    if (options_.common.stats) print_stats();
    return {};
}

void Search::print_stats() const {
    const StatisticsPrinter out(24);
    const HmmTimes& times = times_;
    const std::string threads = std::to_string(options_.common.threads);
    out.line("queries", format_count(query_count_) + ", " + format_count(node_count_) + " nodes");
    out.line("sequences", format_count(databases_->sequence_count()));
    out.line("residues", format_count(databases_->residue_count()));
    out.line("hits", format_count(hit_count_));
    out.line("device", (gpus_ ? std::to_string(devices_.gpus.size()) + " GPU, host " : "cpu ") +
                           std::string(cpu_backend_name(options_.common.cpu_backend)) + ", " + threads + " threads");
    if (gpus_) {
        const HmmGpuCounts counts = gpus_->counts();
        const double available = counts.elapsed_seconds * static_cast<double>(devices_.gpus.size());
        out.line("chunks filtered", format_count(counts.chunks));
        out.line("copied to the GPU", format_size_bytes(counts.copies.bytes));
        out.line("pairs to the host",
                 format_count(counts.survivors) + ", " + format_count(counts.open) + " of them with filters to decide");
        out.line("seconds to filter", seconds_and_rate(counts.elapsed_seconds, counts.cells));
        out.line("  device busy", three_decimals(counts.busy_seconds) + " (" +
                                      three_decimals(available > 0 ? 100 * counts.busy_seconds / available : 0) +
                                      " % of all GPUs' time)");
        out.line("    SSV", three_decimals(counts.ssv_seconds) + " summed over workers, which overlap");
        out.line("    MSV", three_decimals(counts.msv_seconds));
        out.line("    bias", three_decimals(counts.bias_seconds));
        out.line("    Viterbi", three_decimals(counts.viterbi_seconds));
        out.line("    Forward", three_decimals(counts.forward_seconds));
        out.line("  copying", three_decimals(counts.copies.seconds) + " summed over workers");
    }
    out.line("seconds to open", three_decimals(open_seconds_));
    out.line("  for queries", three_decimals(query_seconds_) + " (reading, calibrating)");
    out.line("  to configure", three_decimals(times.prepare_seconds));
    if (gpus_) {
        out.line("  to submit", three_decimals(submit_seconds_));
        out.line("  waiting for GPUs", three_decimals(wait_seconds_));
    }
    out.line("  to read targets", three_decimals(times.read_seconds));
    out.line(gpus_ ? "  in null models" : "  in MSV and bias",
             gpus_ ? three_decimals(times.msv_seconds) : seconds_and_rate(times.msv_seconds, times.msv_cells));
    if (!gpus_)
        out.line("    MSV again with J", format_count(times.msv_undecided_cells / 1'000'000) + " million cells");
    out.line("  in Viterbi", seconds_and_rate(times.viterbi_seconds, times.viterbi_cells));
    out.line("  in Forward and on", seconds_and_rate(times.forward_seconds, times.forward_cells));
    out.line("  to name hits", three_decimals(times.name_seconds));
    out.line("  to report", three_decimals(report_seconds_));
    out.line("seconds in all", three_decimals(all_seconds_));
}

}  // namespace

Status run_hmm_command(int argc, char** argv) {
    OptionSet options = make_hmm_options();
    const auto parsed = options.parse(argc, argv);
    if (!parsed.ok()) return parsed.status();
    if (parsed->count("help") != 0) {
        return print(hmm_help(options) + "\n");
    }
    if (parsed->count("version") != 0) {
        return print("search (warpseq) " + std::string(program_version()) + "\n");
    }
    if (!parsed->unmatched().empty()) {
        return Status::usage("unexpected argument '" + parsed->unmatched().front() +
                             "'; queries go with -q, databases with -d");
    }
    auto read = read_hmm_options(*parsed);
    if (!read.ok()) return read.status();
    if (read->seed == 0) {
        std::random_device device;
        while (read->seed == 0) read->seed = device();
    }
    auto search = std::make_unique<Search>(*read);
    const Status status = search->run();
    // main() ends the process next. Giving GPU memory back piece by piece before that takes time for nothing.
    if (status.ok() && search->used_gpus()) static_cast<void>(search.release());
    return status;
}

}  // namespace warpseq
