#include "apps/search/hmm/hmm_command.h"

#include <chrono>
#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "apps/common/arguments.h"
#include "apps/common/command_line.h"
#include "apps/common/cxxopts_settings.h"
#include "apps/common/progress.h"
#include "apps/search/hmm/hmm_options.h"
#include "apps/search/hmm/hmm_outputs.h"
#include "apps/search/hmm/hmm_query_reader.h"
#include "apps/search/hmm/hmm_search.h"
#include "apps/search/hmm/hmm_thresholds.h"

namespace warpseq {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

class Search {
   public:
    explicit Search(const HmmOptions& options) : options_(options), pool_(options.common.threads) {}
    Status run();

   private:
    Status open();
    Status search_batch(std::span<const ProfileHmm> profiles);
    void print_stats() const;

    const HmmOptions& options_;
    ThreadPool pool_;
    std::optional<DatabaseSet> databases_;
    std::optional<HmmQueryReader> queries_;
    std::optional<HmmSearch> search_;
    std::optional<HmmOutputs> outputs_;
    std::uint64_t query_count_ = 0, node_count_ = 0, hit_count_ = 0;
    double open_seconds_ = 0, query_seconds_ = 0, report_seconds_ = 0, all_seconds_ = 0;
};

Status Search::open() {
    auto devices = choose_devices(options_.common.device);
    if (!devices.ok()) return devices.status();
    if (options_.common.device.kind == DeviceRequest::Kind::kCuda) {
        return Status::unavailable("search hmm computes on the CPU only so far; use --device cpu or auto");
    }
    auto databases = DatabaseSet::open(options_.common.database_files);
    if (!databases.ok()) return databases.status();
    databases_ = *std::move(databases);
    auto queries = HmmQueryReader::open(options_, pool_);
    if (!queries.ok()) return queries.status();
    queries_.emplace(*std::move(queries));
    if (queries_->kind() == HmmQueryKind::kProfile) {
        for (const HmmOptions::Given& given : options_.given) {
            for (const char* name : {"--popen", "--pextend", "--mx", "--mxfile"}) {
                if (given.name == name) return Status::usage(given.name + " is for sequence queries; " + options_.common.query_file.string() + " holds profiles");
            }
        }
    }

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
    search_.emplace(*databases_, settings, pool_);

    auto outputs = HmmOutputs::open(options_, queries_->kind());
    if (!outputs.ok()) return outputs.status();
    outputs_.emplace(*std::move(outputs));
    return {};
}

Status Search::search_batch(std::span<const ProfileHmm> profiles) {
    std::vector<HmmThresholds> thresholds;
    std::uint64_t nodes = 0;
    for (const ProfileHmm& hmm : profiles) {
        auto each = thresholds_for(options_, hmm);
        if (!each.ok()) return each.status();
        thresholds.push_back(*each);
        nodes += static_cast<std::uint64_t>(hmm.length);
    }
    Progress progress("Searching", nodes * databases_->residue_count(), options_.common.quiet);
    auto reports = search_->search(profiles, thresholds, options_.targets_z, progress);
    if (!reports.ok()) return reports.status();
    progress.finish();
    const auto start = Clock::now();
    for (std::size_t p = 0; p < profiles.size(); ++p) {
        HmmReport& each = (*reports)[p];
        each.z_given = options_.targets_z.has_value();
        each.targets_z = options_.targets_z.value_or(0);
        each.domain_z_given = options_.domains_z.has_value();
        each.domains_z = options_.domains_z.value_or(0);
        finish_report(each);
        WARPSEQ_TRY(outputs_->add(profiles[p], each));
        ++query_count_;
        node_count_ += static_cast<std::uint64_t>(profiles[p].length);
        hit_count_ += each.reported;
        each = {};
    }
    report_seconds_ += seconds_since(start);
    return {};
}

Status Search::run() {
    const auto start = Clock::now();
    WARPSEQ_TRY(open());
    open_seconds_ = seconds_since(start);
    for (;;) {
        const auto read = Clock::now();
        const auto profiles = queries_->next_batch();
        query_seconds_ += seconds_since(read);
        if (!profiles.ok()) return profiles.status();
        if (profiles->empty()) break;
        WARPSEQ_TRY(search_batch(*profiles));
    }
    WARPSEQ_TRY(outputs_->finish());
    all_seconds_ = seconds_since(start);
    if (!options_.common.quiet) {
        for (const std::string& warning : queries_->warnings())
            std::fprintf(stderr, "search hmm: warning: %s\n", warning.c_str());
    }
    if (options_.common.stats) print_stats();
    return {};
}

void Search::print_stats() const {
    const auto line = [](const char* label, const std::string& value) {
        std::fprintf(stderr, "%-24s%s\n", label, value.c_str());
    };
    const auto decimals = [](double value) {
        char text[32];
        std::snprintf(text, sizeof text, "%.3f", value);
        return std::string(text);
    };
    const auto rate = [&](double seconds, std::uint64_t cells) {
        return decimals(seconds) + " (" + decimals(seconds > 0 ? static_cast<double>(cells) / seconds / 1e9 : 0) + " GCUPS)";
    };
    const HmmTimes& times = search_->times();
    line("queries", format_count(query_count_) + ", " + format_count(node_count_) + " nodes");
    line("sequences", format_count(databases_->sequence_count()));
    line("residues", format_count(databases_->residue_count()));
    line("hits", format_count(hit_count_));
    line("device", "cpu " + std::string(cpu_backend_name(options_.common.cpu_backend)) + ", " +
                       std::to_string(options_.common.threads) + " threads");
    line("seconds to open", decimals(open_seconds_));
    line("  for queries", decimals(query_seconds_) + " (reading, calibrating)");
    line("  to configure", decimals(times.prepare_seconds));
    line("  to read targets", decimals(times.read_seconds));
    line("  in MSV and bias", rate(times.msv_seconds, times.msv_cells));
    line("    MSV again with J", format_count(times.msv_undecided_cells / 1'000'000) + " million cells");
    line("  in Viterbi", rate(times.viterbi_seconds, times.viterbi_cells));
    line("  in Forward and on", rate(times.forward_seconds, times.forward_cells));
    line("  to report", decimals(report_seconds_));
    line("seconds in all", decimals(all_seconds_));
}

}  // namespace

Status run_hmm_command(int argc, char** argv) {
    cxxopts::Options options = make_hmm_options();
    const auto parsed = parse_arguments(options, argc, argv);
    if (!parsed.ok()) return parsed.status();
    if (parsed->count("help") != 0) {
        std::puts(hmm_help(options).c_str());
        return {};
    }
    if (parsed->count("version") != 0) {
        std::printf("search (warpseq) %s\n", std::string(program_version()).c_str());
        return {};
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
    return Search(*read).run();
}

}  // namespace warpseq
