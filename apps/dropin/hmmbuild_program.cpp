#include "apps/dropin/hmmbuild_program.h"

#include <sys/times.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "apps/common/progress.h"
#include "apps/dropin/alignment_failure.h"
#include "apps/dropin/hmmer_program.h"
#include "apps/dropin/nucleotide_input.h"
#include "apps/search/hmmbuild/hmmbuild_command.h"
#include "libcore/base/append_printf.h"
#include "libcore/base/clock.h"
#include "options/hmmbuild/hmmbuild_rows.h"

namespace warpseq {
namespace {

constexpr HmmerProgram kHmmbuild = {.name = "hmmbuild",
                                    .banner = "profile HMM construction from multiple sequence alignments",
                                    .usage = "[-options] <hmmfile_out> <msafile>",
                                    .brief_title = "where basic options are:",
                                    .groups = hmmbuild_rows::kGroups,
                                    .before_usage_error = "\n",
                                    .before_help_call = "\nTo see more help on other available options, do:\n  "};

std::string refusal(const EaselArguments& arguments) {
    if (arguments.has("--stall")) return "--stall: warpseq does not wait for a debugger";
    return {};
}

std::string misuse(const EaselArguments& arguments) {
    if (arguments.positional()[0] == "-") return "Can't write <hmmfile_out> to stdout: don't use '-'";
    if (arguments.positional()[1] == "-" && !arguments.has("--informat"))
        return "Must specify --informat to read <alifile> from stdin ('-')";
    return {};
}

/// Returns the settings of `search hmmbuild` that correspond to the command line.
Result<HmmbuildOptions> read_options(const EaselArguments& arguments) {
    OptionValues values = make_hmmbuild_options().values();
    WARPSEQ_TRY(values.set("quiet"));
    WARPSEQ_TRY(values.set("out", arguments.positional()[0]));
    WARPSEQ_TRY(values.set("query", arguments.positional()[1]));
    WARPSEQ_TRY(values.set("threads", std::to_string(hmmer_threads(arguments))));
    WARPSEQ_TRY(add_easel_values(arguments, {"--cpu", "--w_beta", "--w_length"}, values));
    auto options = read_hmmbuild_options(values);
    if (options.ok()) options->takes_hmmer_matrices_only = true;
    return options;
}

/// Returns the number of profiles that HMMER's threads have under way when an alignment cannot be
/// read: two for each thread, less the one whose alignment is read.
std::size_t profiles_behind(const EaselArguments& arguments) {
    if (arguments.value("--cpu") == "0") return 0;
    return 2 * static_cast<std::size_t>(hmmer_threads(arguments)) - 1;
}

/// Returns the number of --w_beta, which has been checked. It may be too large or small for a
/// double.
double beta_of(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

/// Adds the report's lines about options that only HMMER has, and the lines about the program.
void describe(const EaselArguments& arguments, HmmbuildOptions& options) {
    using Given = HmmRun::Given;
    std::vector<Given>& given = options.given;
    const auto seed = std::ranges::find(given, "--seed", &Given::name);
    auto at = given.end();
    if (seed != given.end()) {
        at = seed;
        if (seed->value == "0") {
            at = given.insert(seed + 1, Given{.name = "--seed", .label = "random number seed set to:", .shown = "0"}) -
                 1;
        }
    }
    for (Given& each : given)
        if (const EaselArguments::Given* const set = arguments.find(each.name)) each.is_default = set->is_standard();
    if (const EaselArguments::Given* const cpu = arguments.find("--cpu")) {
        given.insert(at, {.name = "--cpu",
                          .value = cpu->value,
                          .label = "number of worker threads:",
                          .shown = cpu->value,
                          .is_default = cpu->is_standard()});
    }
    if (const auto beta = arguments.value("--w_beta")) {
        Given line{.name = "--w_beta", .value = *beta, .label = "window length tail mass:"};
        append_printf(line.shown, "%g bits", beta_of(*beta));
        given.push_back(std::move(line));
    }
    if (const auto length = arguments.value("--w_length")) {
        Given line{.name = "--w_length", .value = *length, .label = "window length :"};
        line.shown = std::to_string(std::stol(*length, nullptr, 0));
        given.push_back(std::move(line));
    }
    options.program = hmmer_report_program(kHmmbuild, false);
}

constexpr std::array<HmmerOutput, 2> kOutputs = {
    {{"-o", "\nError: Failed to open -o output file *\n\n"}, {"-O", "\nError: Failed to resave MSA file *\n"}}};

/// Returns the line about times, such as
/// "# CPU time: 0.02u 0.00s 00:00:00.02 Elapsed: 00:00:00.02".
std::string times_since(Clock::time_point start) {
    const auto shown = [](double seconds) {
        constexpr int kMinute = 60, kHour = 3600;
        const int whole = static_cast<int>(seconds);
        std::string text;
        append_printf(text, "%02d:%02d:%05.2f", whole / kHour, whole % kHour / kMinute,
                      seconds - whole / kMinute * kMinute);
        return text;
    };
    tms used = {};
    times(&used);
    const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    const double user = static_cast<double>(used.tms_utime) / ticks,
                 system = static_cast<double>(used.tms_stime) / ticks;
    std::string text = "\n# CPU time: ";
    append_printf(text, "%.2fu %.2fs %s Elapsed: %s\n", user, system, shown(user + system).c_str(),
                  shown(seconds_since(start)).c_str());
    return text;
}

/// One run of the program, with the data that is needed to report a failure.
class Run {
   public:
    /// Returns why the input is of nucleotides, or nothing if it is not. Opens the alignments, too,
    /// and looks at their letters unless the command line says what they are.
    std::optional<std::string> nucleotides(const EaselArguments& arguments) {
        for (const auto& [option, letters] : {std::pair("--dna", "DNA"), std::pair("--rna", "RNA")})
            if (arguments.has(option)) return std::string(option) + " asks for profiles of " + letters;
        file_ = arguments.positional()[1];
        const auto informat = arguments.value("--informat");
        const auto format = informat ? alignment_format_named(*informat) : std::nullopt;
        if (informat && !format) return std::nullopt;
        if (arguments.has("--amino")) {
            reader_.emplace(file_, format);
            return std::nullopt;
        }
        const Result<KeptInput> kept = KeptInput::keep(file_);
        reader_.emplace(file_, format);
        letters_ = kept.ok() ? reader_->letter_kind() : kept.status();
        if (!letters_->ok() || (**letters_ != AlignmentLetterKind::kDna && **letters_ != AlignmentLetterKind::kRna))
            return std::nullopt;
        reader_.reset();  // because it may have read ahead
        if (const Status again = kept->rewind(); !again.ok()) return again.message();
        return (file_ == "-" ? "standard input" : file_) + " looks like " +
               (**letters_ == AlignmentLetterKind::kDna ? "DNA" : "RNA") + " (--amino says that it is none)";
    }

    Status run(const EaselArguments& arguments) {
        const auto start = Clock::now();
        if (const auto format = arguments.value("--informat");
            format && (!alignment_format_named(*format) || alignment_format_named(*format) == AlignmentFormat::kA3m))
            return Status::invalid_input(*format + " is not a recognized input sequence file format");
        Result<HmmbuildOptions> options = read_options(arguments);
        if (!options.ok()) return options.status();
        describe(arguments, *options);
        WARPSEQ_TRY(look_at_letters());
        options->is_protein = true;
        if (const std::string& file = arguments.positional()[0]; !can_be_written(file)) {
            failure_ = HmmerFailure{"\nError: Failed to open HMM file " + file + " for writing\n"};
            return Status::io(file);
        }
        WARPSEQ_TRY(check_outputs(arguments, kOutputs, failure_));
        if (const auto beta = arguments.value("--w_beta"); beta && (beta_of(*beta) < 0 || beta_of(*beta) > 1))
            options->refusal = "Invalid window-length beta value";
        options->error_prefix = "build failed: ";
        options->alignment_option = "<msafile>";
        options->profile_option = "<hmmfile_out>";
        options->summary_option = "-o";
        options->run.existing = ExistingFile::kWriteInto;
        options->profiles_behind = profiles_behind(arguments);
        TerminalObserver observer("hmmbuild", true);
        const Status built = run_hmmbuild(*options, *reader_, observer, [&] { return times_since(start); });
        if (!built.ok() && built.message() == options->refusal) failure_ = HmmerFailure{options->refusal + "\n\n"};
        return built;
    }

    std::optional<HmmerFailure> failure() const {
        if (failure_) return failure_;
        return reader_ ? alignment_failure(*reader_, file_) : std::nullopt;
    }

   private:
    Status look_at_letters() {
        if (!letters_) return reader_->open();
        if (!letters_->ok()) return letters_->status();
        if (**letters_ != AlignmentLetterKind::kUnknown) return {};
        failure_ = unknown_letters(*reader_, file_);
        return Status::invalid_input(failure_->message);
    }

    std::string file_;
    std::optional<AlignmentReader> reader_;
    std::optional<Result<AlignmentLetterKind>> letters_;  // empty if the command line says what they are
    std::optional<HmmerFailure> failure_;
};

}  // namespace

int hmmbuild_program(int argc, char** argv) {
    Run run;
    HmmerAction action;
    action.refusal = refusal;
    action.misuse = misuse;
    action.nucleotides = [&run](const EaselArguments& arguments) { return run.nucleotides(arguments); };
    action.run = [&run](const EaselArguments& arguments, const char*) { return run.run(arguments); };
    action.failure = [&run] { return run.failure(); };
    return run_hmmer_process(kHmmbuild, argc, argv, action);
}

std::vector<CommandSyntax> hmmbuild_syntax() { return hmmer_syntax(kHmmbuild); }

}  // namespace warpseq
