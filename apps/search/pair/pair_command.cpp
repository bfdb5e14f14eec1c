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
#include "engines/pair/shuffled_copies.h"
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

/// Most bytes of the report held in memory. One alignment may be longer than that as text.
constexpr std::size_t kHeldTextBytes = std::size_t{16} << 20;

/// Times of a run that PairSearchCounts does not have.
struct PairSeconds {
    double read = 0, report = 0, shuffle = 0;
};

void print_stats(const PairOptions& options, const PairInput& input, const Session& session,
                 const PairSearchCounts& counts, const PairSeconds& seconds, double all_seconds) {
    const StatisticsPrinter out(22);
    out.line("pairs", format_count(counts.pairs));
    out.line("  one at a time", format_count(counts.swept_alone));
    out.line("alphabet", input.alphabet == Alphabet::kNucleotide ? "nucleotides" : "amino acids");
    out.line("device", session.gpus().empty() ? "cpu " + std::string(cpu_backend_name(options.run.cpu_backend)) + ", " +
                                                    std::to_string(options.run.threads) + " threads"
                                              : std::to_string(session.gpus().size()) + " GPU, " +
                                                    std::to_string(options.run.threads) + " host threads");
    out.line("cells", format_count(counts.cells));
    out.line("seconds to read", three_decimals(seconds.read));
    const double align_seconds = all_seconds - seconds.read - seconds.report - seconds.shuffle;
    out.line("seconds to align", seconds_and_rate(align_seconds, counts.cells));
    out.line("  filling matrices", three_decimals(counts.sweep_seconds));
    out.line("  tracing back", three_decimals(counts.finish_seconds));
    out.line("seconds to report", three_decimals(seconds.report));
    if (seconds.shuffle > 0) out.line("seconds to shuffle", three_decimals(seconds.shuffle));
    out.line("seconds in all", three_decimals(all_seconds));
}

/// The share of two sequences that their best alignment leaves out. Sequences with rearranged
/// pieces, or pieces on the other strand, have more to show than one path.
struct LeftOut {
    /// An alignment that covers less than this share of both sequences causes a note. A global
    /// alignment of bases pairs unrelated ones, too, of which about half are equal.
    static constexpr double kLocalShare = 0.5, kGlobalShare = 0.7;

    std::uint64_t pairs = 0;
    bool equal_alone = false;                  // whether shares count residues aligned with equal ones, or with any
    double query_share = 0, target_share = 0;  // of the last such pair

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
        return (input.pair_count() == 1
                    ? std::string("the best single path aligns ") + (equal_alone ? "equal letters" : "residues") +
                          " for " + percent(query_share) + " of the query and " + percent(target_share) +
                          " of the target"
                    : format_count(pairs) +
                          " alignments cover little of both sequences; each is the "
                          "best single path of its pair") +
               ". If pieces are rearranged, " + options + " further alignments";
    }
};

/// Returns the note about a pair that aligns no better than shuffled copies do.
std::string unrelated_text(const ShuffledScores& shuffled, const PairOptions& options, const PairInput& input) {
    const bool has_other_strand = input.alphabet == Alphabet::kNucleotide && options.strand != PairStrand::kBoth;
    return "the sequences look unrelated: " + std::to_string(shuffled.as_high) + " of " +
           std::to_string(shuffled.copies) + " shuffled copies of the target align with the query as well" +
           (has_other_strand ? "; --strand both aligns the other strand, too" : "");
}

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

/// Checks that the options give work that several processes can share.
Status check_division(const PairOptions& options) {
    if (!options.input.all_pairs && !options.input.pairs_file) {
        return Status::usage(
            "one pair of sequences cannot be divided into parts or among ranks; the pairs of --all-pairs and --pairs "
            "can");
    }
    if (std::ranges::count(options.run.decisive_files, "-") > 0)
        return Status::usage("all parts and ranks read the input, so it cannot be standard input");
    return {};
}

/// The outputs. They are opened before the inputs are read, so that a long read is not in vain.
struct PairOutputs {
    std::unique_ptr<PairReportWriter> writer;
    std::optional<ReportText> text;       // set in the process that reports
    std::optional<OutputSink> plot_sink;  // likewise, with --dotplot
};

Result<PairOutputs> open_outputs(const PairOptions& options, const Division& division) {
    auto writer = make_pair_report(options.outfmt, options.score_only, options.has_header);
    if (!writer.ok()) return of_option("--outfmt", writer.status());
    WARPSEQ_TRY(check_files(options));
    PairOutputs outputs{*std::move(writer), {}, {}};
    if (!division.reports()) return outputs;
    auto text = ReportText::open(options.run.output_file, kHeldTextBytes);
    if (!text.ok()) return text.status();
    outputs.text.emplace(*std::move(text));
    if (!options.dotplot_file) return outputs;
    auto plot = OutputSink::open(options.dotplot_file);
    if (!plot.ok()) return plot.status();
    outputs.plot_sink = *std::move(plot);
    return outputs;
}

class PairSteps final : public RunSteps {
   public:
    /// `read_seconds` is the time that reading the input took. The options outlive the steps.
    PairSteps(const PairOptions& options, PairInput input, ScoringScheme scheme, PairOutputs outputs,
              double read_seconds)
        : options_(options),
          input_(std::move(input)),
          scheme_(std::move(scheme)),
          outputs_(std::move(outputs)),
          settings_(pair_search_settings(options)),
          run_{input_,
               options.mode,
               options.score_only,
               scheme_,
               options.mode == PairMode::kLocal ? AlignmentStatistics::find(scheme_) : std::nullopt,
               options.list.has_value()},
          seconds_{.read = read_seconds} {}

    Status open(const Session& session, const SearchControl& control, Division& division) override;
    /// Does nothing: if there is a dealer of pieces, its begin() waits for the other processes.
    Status begin(Division&) override { return {}; }
    Status work(Division& division, std::stop_source& stop) override;
    Status finish() override;
    std::vector<std::string> notes() const override;
    void print_statistics(double seconds_to_open, double seconds_in_all) const override {
        PairSeconds seconds = seconds_;
        seconds.read += seconds_to_open;
        print_stats(options_, input_, *session_, search_->counts(), seconds, seconds_.read + seconds_in_all);
    }

   private:
    Status report(const PairResult& result);
    Status compare_with_shuffled_copies();

    const PairOptions& options_;
    const PairInput input_;
    const ScoringScheme scheme_;
    PairOutputs outputs_;
    const PairSearchSettings settings_;
    const PairRun run_;
    PairSeconds seconds_;
    const Session* session_ = nullptr;
    const SearchControl* control_ = nullptr;
    std::optional<PairSearch> search_;
    std::optional<PairPieces> pieces_;
    std::optional<PairDotPlot> plot_;
    LeftOut left_out_;
    std::optional<ShuffledScores> shuffled_;
    std::uint64_t without_alignment_ = 0;
};

Status PairSteps::open(const Session& session, const SearchControl& control, Division& division) {
    session_ = &session;
    control_ = &control;
    if (outputs_.plot_sink) plot_.emplace(input_);
    search_.emplace(session, input_, scheme_, settings_, control);
    if (PieceDealer* const dealer = division.pieces()) {
        pieces_.emplace(
            PairPieces{division, *dealer, input_, scheme_, settings_, cut_pairs(input_, dealer->processes())});
        WARPSEQ_TRY(dealer->begin(pieces_->ranges.size()));
    }
    if (outputs_.text) return outputs_.writer->begin(run_, *outputs_.text);
    return {};
}

Status PairSteps::report(const PairResult& result) {
    const auto start = Clock::now();
    without_alignment_ += !options_.score_only && !result.has_alignment();
    left_out_.add(run_, result);
    if (plot_) plot_->add(result);
    WARPSEQ_TRY(outputs_.writer->add(run_, result, *outputs_.text));
    seconds_.report += seconds_since(start);
    return {};
}

/// Compares a single pair with shuffled copies, if there is something that a note could say about
/// it. The copies of many pairs would take many times longer than the pairs.
Status PairSteps::compare_with_shuffled_copies() {
    if (options_.run.quiet || input_.pair_count() != 1 || without_alignment_ > 0) return {};
    const auto start = Clock::now();
    const auto [query, target] = input_.pair(0);
    auto shuffled =
        score_shuffled_copies(input_.queries[query].residues, input_.targets[target].residues, options_.strand, scheme_,
                              options_.run.cpu_backend, session_->pool().with_stop(control_->stop));
    if (shuffled.status().code() == StatusCode::kInterrupted) return shuffled.status();
    if (!shuffled.ok()) return {};  // a report without the note is better than none
    shuffled_ = *shuffled;
    seconds_.shuffle = seconds_since(start);
    return {};
}

Status PairSteps::work(Division&, std::stop_source& stop) {
    // A signal ends the process at once. A checkpoint file then has every row of blocks that is
    // done, and its bytes of an unfinished row are ignored.
    std::optional<KeptFileNote> kept;
    if (options_.checkpoint_file) kept.emplace(*options_.checkpoint_file);
    const auto add = [this](const PairResult& result) { return report(result); };
    WARPSEQ_TRY(!pieces_        ? search_->run(add)
                : outputs_.text ? report_pieces(*pieces_, *search_, stop, control_->observer, add)
                                : align_pieces(*pieces_, *search_));
    if (!outputs_.text) return {};
    WARPSEQ_TRY(outputs_.writer->end(run_, *outputs_.text));
    return compare_with_shuffled_copies();
}

Status PairSteps::finish() {
    const auto start = Clock::now();
    WARPSEQ_TRY(outputs_.text->flush());
    if (plot_) {
        WARPSEQ_TRY(outputs_.plot_sink->write(plot_->svg()));
        WARPSEQ_TRY(outputs_.plot_sink->finish());
    }
    WARPSEQ_TRY(outputs_.text->finish());
    seconds_.report += seconds_since(start);
    return {};
}

std::vector<std::string> PairSteps::notes() const {
    std::vector<std::string> notes;
    if (without_alignment_ > 0) {
        const std::string why = options_.list && options_.list->min_score_raw > 1
                                    ? "nothing scores " + std::to_string(options_.list->min_score_raw) + " or more"
                                    : "nothing scores above 0";
        notes.push_back(input_.pair_count() == 1
                            ? why + ": there is no alignment"
                            : format_count(without_alignment_) + " pairs have no alignment: " + why);
    }
    if (shuffled_ && shuffled_->as_high > 0) {
        notes.push_back(unrelated_text(*shuffled_, options_, input_));
    } else if (left_out_.pairs > 0) {
        notes.push_back(left_out_.text(input_));
    }
    return notes;
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
    auto outputs = open_outputs(options, division);
    if (!outputs.ok()) return outputs.status();
    auto input = read_pair_input(options.input);
    if (!input.ok()) return input.status();
    for (const PairNote& note : input->notes) observer.note(note.text + std::string(advice_text(note.advice)));
    auto scheme = pair_scoring_scheme(options, input->alphabet);
    if (!scheme.ok()) return scheme.status();
    if (options.matrix && (input->alphabet == Alphabet::kNucleotide || !builtin_matrix(*options.matrix)))
        options.run.decisive_files.emplace_back(*options.matrix);
    return run_without_databases(std::make_unique<PairSteps>(options, *std::move(input), *std::move(scheme),
                                                             *std::move(outputs), seconds_since(start)),
                                 options.run, observer, division);
}

}  // namespace

Status run_pair_command(const OptionValues& values, Division* division) {
    const auto options = read_pair_options(values);
    if (!options.ok()) return options.status();
    return run(*options, division);
}

}  // namespace warpseq
