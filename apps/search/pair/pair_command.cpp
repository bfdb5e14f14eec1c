#include "apps/search/pair/pair_command.h"
#include "apps/search/driver/search_driver.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "apps/common/advice.h"
#include "apps/common/command_line.h"
#include "apps/common/process.h"
#include "apps/common/progress.h"
#include "apps/search/driver/statistics.h"
#include "apps/search/pair/pair_pieces.h"
#include "engines/pair/pair_input.h"
#include "engines/pair/pair_search.h"
#include "engines/session.h"
#include "formats/io/output_sink.h"
#include "formats/io/run_files.h"
#include "libcore/base/append_printf.h"
#include "libcore/base/clock.h"
#include "libcore/base/number_format.h"
#include "libcore/base/version.h"
#include "libcore/scoring/builtin_matrices.h"
#include "options/arguments.h"
#include "options/option_set.h"
#include "options/pair/pair_options.h"
#include "reports/alignment_text.h"
#include "reports/pair/pair_dotplot.h"
#include "reports/pair/pair_report.h"
#include "reports/report_text.h"

namespace warpseq {

namespace {

/// An alignment may be longer than memory should hold as text.
constexpr std::size_t kHeldTextBytes = std::size_t{16} << 20;

void print_stats(const PairOptions& options, const PairInput& input, const Session& session,
                 const PairSearchCounts& counts, double read_seconds, double report_seconds, double all_seconds) {
    const StatisticsPrinter out(22);
    out.line("pairs", format_count(counts.pairs));
    out.line("  one at a time", format_count(counts.swept_alone));
    out.line("alphabet", input.alphabet == Alphabet::kNucleotide ? "nucleotides" : "amino acids");
    out.line("device", session.gpus().empty() ? "cpu " + std::string(cpu_backend_name(options.run.cpu_backend)) + ", " +
                                                    std::to_string(options.run.threads) + " threads"
                                              : std::to_string(session.gpus().size()) + " GPU, " +
                                                    std::to_string(options.run.threads) + " host threads");
    out.line("cells", format_count(counts.cells));
    out.line("seconds to read", three_decimals(read_seconds));
    const double align_seconds = all_seconds - read_seconds - report_seconds;
    out.line("seconds to align", seconds_and_rate(align_seconds, counts.cells));
    out.line("  filling matrices", three_decimals(counts.sweep_seconds));
    out.line("  tracing back", three_decimals(counts.finish_seconds));
    out.line("seconds to report", three_decimals(report_seconds));
    out.line("seconds in all", three_decimals(all_seconds));
}

/// How much of two sequences their best alignment leaves out. Sequences whose pieces have changed
/// places, or strands, have more to show than one path.
struct LeftOut {
    /// An alignment that has less of both sequences is worth a word. A global one of bases pairs
    /// what has nothing to do with each other, and about half of that is equal.
    static constexpr double kLocalShare = 0.5, kGlobalShare = 0.7;

    std::uint64_t pairs = 0;
    bool equal_alone = false;                  // what the shares count: residues aligned with equal ones, or with any
    double query_share = 0, target_share = 0;  // of the last one

    void add(const PairRun& run, const PairResult& result) {
        if (run.lists || run.score_only || !result.has_alignment()) return;
        const AlignmentCounts counts = count_alignment(result.alignment, result.aligned_query(run.input),
                                                       result.aligned_target(run.input), run.scheme.matrix);
        const bool local = run.mode == PairMode::kLocal;
        equal_alone = !local && run.input.alphabet == Alphabet::kNucleotide;
        const auto residues = static_cast<double>(counts.identities + (equal_alone ? 0 : counts.mismatches));
        const double query = residues / static_cast<double>(run.input.queries[result.query].residues.size());
        const double target = residues / static_cast<double>(run.input.targets[result.target].residues.size());
        const double least = local ? kLocalShare : kGlobalShare;
        if (query >= least || target >= least) return;
        ++pairs;
        query_share = query;
        target_share = target;
    }

    std::string text(const PairInput& input) const {
        const auto percent = [](double share) {
            std::string shown;
            append_printf(shown, "%.1f %%", 100 * share);
            return shown;
        };
        const std::string options =
            input.alphabet == Alphabet::kNucleotide ? "--all-local --strand both lists" : "--all-local lists";
        return (input.pair_count() == 1 ? std::string(equal_alone ? "equal letters are" : "residues are") +
                                              " aligned for " + percent(query_share) + " of the query and " +
                                              percent(target_share) + " of the target, which is the best single path"
                                        : format_count(pairs) +
                                              " alignments have little of both sequences; each is the "
                                              "best single path of its pair") +
               ". Where pieces have changed places, " + options + " further ones";
    }
};

Status check_files(const PairOptions& options) {
    RunFiles files;
    files.add_input("the first file", options.input.query_file);
    files.add_input("the second file", options.input.target_file);
    if (options.input.pairs_file) files.add_input("--pairs", *options.input.pairs_file);
    if (options.matrix && !builtin_matrix(*options.matrix)) files.add_input("--matrix", *options.matrix);
    files.add_output(report_option(options.run), options.run.output_file);
    if (options.checkpoint_file) files.add_output("--checkpoint", options.checkpoint_file);
    if (options.dotplot_file) files.add_output("--dotplot", options.dotplot_file);
    WARPSEQ_TRY(files.check());
    if (options.dotplot_file) WARPSEQ_TRY(check_dotplot_name(*options.dotplot_file));
    if (!options.checkpoint_file) return {};
    const auto checkpoint = identify_file(*options.checkpoint_file);
    using Kind = FileIdentity::Kind;
    if (checkpoint.ok() && checkpoint->kind != Kind::kRegular && checkpoint->kind != Kind::kAbsent) {
        return Status::io(options.checkpoint_file->string() + ": cannot hold a checkpoint: it is not a regular file");
    }
    return {};
}

/// What many processes can do together.
Status check_division(const PairOptions& options) {
    if (!options.input.all_pairs && !options.input.pairs_file) {
        return Status::usage(
            "one pair of sequences is one piece of work; parts and ranks share those of --all-pairs and --pairs");
    }
    if (std::ranges::count(options.run.decisive_files, "-") > 0)
        return Status::usage("parts and ranks all read the input, so none of it may be standard input");
    return {};
}

Status run(PairOptions options, Division* given_division) {
    const auto start = Clock::now();
    std::unique_ptr<Division> of_options;
    if (given_division == nullptr) {
        auto made = make_division(options.run);
        if (!made.ok()) return made.status();
        of_options = *std::move(made);
    }
    Division& division = given_division != nullptr ? *given_division : *of_options;
    if (division.is_divided()) WARPSEQ_TRY(check_division(options));
    TerminalObserver terminal("search pair", options.run.quiet, report_place(options.run));
    Observer nobody;
    Observer& observer = division.speaks() ? static_cast<Observer&>(terminal) : nobody;
    const auto writer = make_pair_report(options.outfmt, options.score_only);
    if (!writer.ok()) return of_option("--outfmt", writer.status());
    WARPSEQ_TRY(check_files(options));
    std::optional<ReportText> text;
    if (division.reports()) {
        auto opened = ReportText::open(options.run.output_file, kHeldTextBytes);
        if (!opened.ok()) return opened.status();
        text.emplace(*std::move(opened));
    }
    std::optional<OutputSink> plot_sink;
    if (options.dotplot_file && division.reports()) {
        auto opened = OutputSink::open(options.dotplot_file);
        if (!opened.ok()) return opened.status();
        plot_sink = *std::move(opened);
    }
    const auto input = read_pair_input(options.input);
    if (!input.ok()) return input.status();
    for (const PairNote& note : input->notes) observer.note(note.text + std::string(advice_text(note.advice)));
    const auto scheme = pair_scoring_scheme(options, input->alphabet);
    if (!scheme.ok()) return scheme.status();
    if (options.matrix && (input->alphabet == Alphabet::kNucleotide || !builtin_matrix(*options.matrix)))
        options.run.decisive_files.emplace_back(*options.matrix);
    SessionSettings machine = session_settings(options.run);
    machine.sharers = division.sharers();
    if (!division.scans()) machine.device = {DeviceRequest::Kind::kCpu, {}};
    const auto session = Session::open(machine);
    if (!session.ok()) return session.status();
    if (division.is_divided()) {
        const auto is_needed = division.open(options.run, **session);
        if (!is_needed.ok()) return is_needed.status();
        if (!*is_needed) {
            observer.note("this part has been searched already");
            return {};
        }
    }
    if (!(*session)->device_note().empty()) observer.note((*session)->device_note());
    std::optional<PairDotPlot> plot;
    if (plot_sink) plot.emplace(*input);
    const double read_seconds = seconds_since(start);

    const bool local = options.mode == PairMode::kLocal;
    const PairRun pair_run{*input,
                           options.mode,
                           options.score_only,
                           *scheme,
                           local ? AlignmentStatistics::find(*scheme) : std::nullopt,
                           options.list.has_value()};
    PairSearchSettings settings;
    settings.local = local;
    settings.free_ends = options.free_ends;
    settings.strand = options.strand;
    settings.score_only = options.score_only;
    settings.list = options.list;
    settings.memory_bytes = options.memory_bytes;
    settings.checkpoint_file = options.checkpoint_file;
    std::stop_source stop;
    const SearchControl control{observer, stop.get_token()};
    PairSearch search(**session, *input, *scheme, settings, control);

    double report_seconds = 0;
    std::uint64_t without_alignment = 0;
    LeftOut left_out;
    {
        // A signal ends the process on the spot: a checkpoint file has every row of blocks that is
        // done, and what it has of one more counts for nothing.
        std::optional<KeptFileNote> kept;
        if (options.checkpoint_file) kept.emplace(*options.checkpoint_file);
        const auto report = [&](const PairResult& result) -> Status {
            const auto report_start = Clock::now();
            without_alignment += !options.score_only && !result.has_alignment();
            left_out.add(pair_run, result);
            if (plot) plot->add(result);
            WARPSEQ_TRY((*writer)->add(pair_run, result, *text));
            report_seconds += seconds_since(report_start);
            return {};
        };
        std::optional<PairPieces> pieces;
        if (PieceDealer* const dealer = division.pieces()) {
            pieces.emplace(
                PairPieces{division, *dealer, *input, *scheme, settings, cut_pairs(*input, dealer->processes())});
            WARPSEQ_TRY(dealer->begin(pieces->ranges.size()));
        }
        if (text) WARPSEQ_TRY((*writer)->begin(pair_run, *text));
        WARPSEQ_TRY(!pieces ? search.run(report)
                    : text  ? report_pieces(*pieces, search, stop, observer, report)
                            : align_pieces(*pieces, search));
        if (text) WARPSEQ_TRY((*writer)->end(pair_run, *text));
    }
    WARPSEQ_TRY(division.finish());
    const auto flush_start = Clock::now();
    if (text) WARPSEQ_TRY(text->flush());
    if (plot) {
        WARPSEQ_TRY(plot_sink->write(plot->svg()));
        WARPSEQ_TRY(plot_sink->finish());
    }
    if (text) WARPSEQ_TRY(text->finish());
    report_seconds += seconds_since(flush_start);
    if (without_alignment > 0) {
        const std::string why = options.list && options.list->min_score_raw > 1
                                    ? "nothing scores " + std::to_string(options.list->min_score_raw) + " or more"
                                    : "nothing scores above 0";
        observer.note(input->pair_count() == 1 ? why + ": there is no alignment"
                                               : format_count(without_alignment) + " pairs have no alignment: " + why);
    }
    if (left_out.pairs > 0) observer.note(left_out.text(*input));
    if (options.run.stats && division.speaks())
        print_stats(options, *input, **session, search.counts(), read_seconds, report_seconds, seconds_since(start));
    return {};
}

}  // namespace

Status run_pair_command(const OptionValues& values, Division* division) {
    const auto options = read_pair_options(values);
    if (!options.ok()) return options.status();
    return run(*options, division);
}

}  // namespace warpseq
