#include "apps/search/sw/sw_command.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "apps/common/arguments.h"
#include "apps/common/command_line.h"
#include "apps/common/cxxopts_settings.h"
#include "apps/common/progress.h"
#include "apps/search/common_options.h"
#include "apps/search/output_sink.h"
#include "apps/search/sw/sw_search.h"
#include "formats/matrix_file.h"
#include "libcore/builtin_matrices.h"

namespace warpseq {

namespace {

/// Hits whose alignments are made and kept at once.
constexpr std::size_t kHitsPerWindow = 4096;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

cxxopts::Options make_options() {
    cxxopts::Options options(
        "search sw",
        "Exact affine-gap Smith-Waterman of every query with every sequence; scores first, then the alignments of "
        "what is reported.\n");
    options.custom_help("-q QUERY.fasta -d DATABASE.wsdb [-d MORE.wsdb] [options]");
    options.set_width(100);
    add_common_options(options);
    options.add_options("Scoring")  //
        ("matrix", "BLOSUM45, 50, 62, 80, 90, PAM30, 70, 250, or a file in NCBI's format",
         cxxopts::value<std::string>()->default_value("BLOSUM62"), "NAME")  //
        ("gap-open",
         "cost of opening a gap; a gap of k residues costs open + k * extend; default: BLAST's for the matrix",
         cxxopts::value<int>(), "COST")  //
        ("gap-extend", "cost of each residue of a gap; default: BLAST's for the matrix", cxxopts::value<int>(), "COST");
    return options;
}

Result<ScoringScheme> read_scheme(const cxxopts::ParseResult& parsed) {
    const auto name = parsed["matrix"].as<std::string>();
    auto matrix = builtin_matrix(name);
    if (!matrix) {
        if (std::error_code error; !std::filesystem::exists(name, error)) {
            std::string known;
            for (const std::string_view each : builtin_matrix_names())
                known += (known.empty() ? "" : ", ") + std::string(each);
            return Status::usage("--matrix " + name + ": neither a file nor one of " + known);
        }
        auto read = read_matrix_file(name);
        if (!read.ok()) return read.status();
        matrix = *std::move(read);
    }
    GapCosts gaps = AlignmentStatistics::default_gap_costs(matrix->name()).value_or(GapCosts());
    if (parsed.count("gap-open") != 0) gaps.open = parsed["gap-open"].as<int>();
    if (parsed.count("gap-extend") != 0) gaps.extend = parsed["gap-extend"].as<int>();
    for (const auto& [option, cost] : {std::pair("--gap-open ", gaps.open), std::pair("--gap-extend ", gaps.extend)}) {
        if (cost < 0 || cost > kHighestGapCost) {
            return Status::usage(option + std::to_string(cost) + ": expected a cost from 0 to " +
                                 std::to_string(kHighestGapCost));
        }
    }
    return ScoringScheme{*std::move(matrix), gaps};
}

/// E-values exist for the combinations that BLAST knows; for others a search has to ask for every hit.
Status check_statistics(const ScoringScheme& scheme, const std::optional<AlignmentStatistics>& statistics,
                        double evalue) {
    if (statistics || std::isinf(evalue)) return {};
    const std::string gaps = std::to_string(scheme.gaps.open) + "/" + std::to_string(scheme.gaps.extend);
    const std::string known = AlignmentStatistics::known_gap_costs(scheme.matrix.name());
    return Status::usage(
        "no E-value statistics for " + scheme.matrix.name() + " with gap costs " + gaps + "; " +
        (known.empty() ? "they exist for the built-in matrices only"
                       : "known open/extend costs for this matrix: " + known) +
        ". With --evalue inf every hit is reported, best score first, without E-values and bit scores");
}

struct Times {
    double open = 0, score = 0, finish = 0;
};

void print_stats(const CommonOptions& options, const DatabaseSet& databases, const SmithWatermanCounts& counts,
                 std::uint64_t queries, std::uint64_t hits, const Times& times) {
    const auto cells = static_cast<double>(counts.cells);
    const auto percent = [&](std::uint64_t part) {
        return counts.cells == 0 ? 0.0 : 100 * static_cast<double>(part) / cells;
    };
    std::fprintf(stderr,
                 "queries               %s\n"
                 "sequences             %s\n"
                 "residues              %s\n"
                 "hits                  %s\n"
                 "back end              cpu %s, %u threads\n"
                 "cells                 %s\n"
                 "  again in 16 bits    %.2f %%\n"
                 "  again in 32 bits    %.2f %%\n"
                 "  padding besides     %.2f %%\n"
                 "seconds to open       %.3f\n"
                 "seconds to score      %.3f (%.2f GCUPS)\n"
                 "seconds to align      %.3f (alignments and report)\n",
                 format_count(queries).c_str(), format_count(databases.sequence_count()).c_str(),
                 format_count(databases.residue_count()).c_str(), format_count(hits).c_str(),
                 std::string(cpu_backend_name(options.cpu_backend)).c_str(), options.threads,
                 format_count(counts.cells).c_str(), percent(counts.cells_16_bit), percent(counts.cells_32_bit),
                 percent(counts.padding_cells), times.open, times.score,
                 times.score > 0 ? cells / times.score / 1e9 : 0.0, times.finish);
}

Status search(const CommonOptions& options, const ScoringScheme& scheme) {
    const std::optional<AlignmentStatistics> statistics = AlignmentStatistics::find(scheme);
    WARPSEQ_TRY(check_statistics(scheme, statistics, options.evalue));
    const auto writer = make_report_writer(options.outfmt);
    if (!writer.ok()) return writer.status();

    Times times;
    auto start = Clock::now();
    const auto databases = DatabaseSet::open(options.database_files);
    if (!databases.ok()) return databases.status();
    auto sink = OutputSink::open(options.output_file);
    if (!sink.ok()) return sink.status();
    times.open = seconds_since(start);

    SwSearchSettings settings;
    settings.backend = options.cpu_backend;
    if (options.chunk_bytes != 0) settings.chunk_bytes = options.chunk_bytes;
    settings.evalue = options.evalue;
    settings.max_hits = options.max_hits;
    ThreadPool pool(options.threads);
    SwSearch engine(*databases, scheme, statistics, settings, pool);
    QueryReader reader(options.query_file);
    const RunDescription run{"sw", *databases, scheme, statistics};

    std::string text;
    std::uint64_t query_count = 0, hit_count = 0;
    (*writer)->begin(run, text);
    for (;;) {
        const auto queries = reader.next_batch();
        if (!queries.ok()) return queries.status();
        if (queries->empty()) break;
        query_count += queries->size();

        start = Clock::now();
        std::uint64_t cells = 0;
        for (const Query& query : *queries) cells += query.residues.size() * databases->residue_count();
        Progress progress("Searching", engine.counts().cells + cells, options.quiet);
        const auto hits = engine.find_hits(*queries, progress);
        if (!hits.ok()) return hits.status();
        progress.finish();
        times.score += seconds_since(start);

        start = Clock::now();
        for (std::size_t first = 0, end; first < queries->size(); first = end) {
            std::size_t window = 0;
            for (end = first; end < queries->size() && (end == first || window < kHitsPerWindow); ++end) {
                window += (*hits)[end].size();
            }
            const auto members = std::span(*queries).subspan(first, end - first);
            const auto reported =
                engine.finish(members, std::span(*hits).subspan(first, end - first), (*writer)->needs());
            if (!reported.ok()) return reported.status();
            for (std::size_t q = 0; q < members.size(); ++q) {
                hit_count += (*reported)[q].size();
                (*writer)->add(run, members[q], (*reported)[q], text);
            }
            WARPSEQ_TRY(sink->write(text));
            text.clear();
        }
        times.finish += seconds_since(start);
    }
    (*writer)->end(run, text);
    WARPSEQ_TRY(sink->write(text));
    WARPSEQ_TRY(sink->finish());
    if (!options.quiet) {
        for (const std::string& warning : reader.warnings())
            std::fprintf(stderr, "search sw: warning: %s\n", warning.c_str());
    }
    if (options.stats) print_stats(options, *databases, engine.counts(), query_count, hit_count, times);
    return {};
}

}  // namespace

Status run_sw_command(int argc, char** argv) {
    cxxopts::Options options = make_options();
    const auto parsed = parse_arguments(options, argc, argv);
    if (!parsed.ok()) return parsed.status();
    if (parsed->count("help") != 0) {
        std::puts(options.help().c_str());
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
    const auto common = read_common_options(*parsed);
    if (!common.ok()) return common.status();
    const auto scheme = read_scheme(*parsed);
    if (!scheme.ok()) return scheme.status();
    return search(*common, *scheme);
}

}  // namespace warpseq
