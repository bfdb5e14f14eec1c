#include "apps/dropin/jackhmmer_program.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/common/progress.h"
#include "apps/dropin/hmmer_program.h"
#include "apps/dropin/hmmer_search.h"
#include "apps/search/jackhmmer/jackhmmer_command.h"
#include "options/jackhmmer/jackhmmer_options.h"
#include "options/jackhmmer/jackhmmer_rows.h"

namespace warpseq {
namespace {

constexpr HmmerProgram kJackhmmer = {.name = "jackhmmer",
                                     .banner = "iteratively search a protein sequence against a protein database",
                                     .usage = "[-options] <seqfile> <seqdb>",
                                     .brief_title = "where basic options are:",
                                     .groups = jackhmmer_rows::kGroups};

constexpr std::array<HmmerOutput, 6> kOutputs = {
    {{"-o", "\nError: Failed to open output file * for writing\n\n"},
     {"-A", "\nError: Failed to open alignment output file * for writing\n\n"},
     {"--tblout", "\nError: Failed to open tabular per-seq output file * for writing\n\n"},
     {"--domtblout", "\nError: Failed to open tabular per-dom output file * for writing\n\n"},
     {"--chkhmm", "\nError: Failed to open HMM checkpoint file * for writing\n\n", "-1.hmm"},
     {"--chkali", "\nError: Failed to open MSA checkpoint file * for writing\n\n", "-1.sto"}}};

std::string refusal(const EaselArguments& arguments) {
    for (const OptionRow& option : jackhmmer_rows::kRefused) {
        if (!arguments.has(option.easel.name)) continue;
        std::string name(option.easel.name);
        if (name.starts_with("--cut_")) name[5] = '-';  // jackhmmer's message has this hyphen
        return "jackhmmer does not accept a " + name + " option";
    }
    return {};
}

std::string misuse(const EaselArguments& arguments) {
    return arguments.positional()[1] == "-" ? "jackhmmer cannot read <seqdb> from stdin stream" : "";
}

Status search(const EaselArguments& arguments, const char* called, std::optional<HmmerFailure>& failure) {
    const std::string &query = arguments.positional()[0], &target = arguments.positional()[1];
    const auto formats = sequence_formats_of(arguments);
    if (!formats.ok()) return formats.status();
    WARPSEQ_TRY(check_matrix(arguments));
    WARPSEQ_TRY(check_outputs(arguments, kOutputs, failure));
    WARPSEQ_TRY(
        check_sequence_file(target, formats->targets, "target sequence database", "Target sequence database file"));
    WARPSEQ_TRY(check_query_sequences(query, formats->queries));
    const auto values = search_values(make_jackhmmer_options(), arguments, query, target);
    if (!values.ok()) return values.status();
    auto options = read_jackhmmer_options(*values, "<seqfile>", "<seqdb>", ExistingFile::kWriteInto);
    if (!options.ok()) return options.status();
    // A query of only a few X has its part of the report, although almost nothing can be found with
    // it.
    options->search.calibration.with_hardly_any_information = true;
    options->search.only_kind = HmmQueryKind::kSequence;
    options->search.query_format = formats->queries;
    read_targets_as_hmmer(formats->targets, options->search.common);
    options->search.as_hmmer = true;
    HmmRun& run = options->search.run;
    run.program = hmmer_report_program(kJackhmmer, true);
    describe_other_options(arguments, {"query <seqfile> format asserted:", "target <seqdb> format asserted:"}, run);
    run.command_line = hmmer_command_line(arguments, called);
    TerminalObserver observer(std::string(kJackhmmer.name), true);
    return name_targets(run_jackhmmer_search(*std::move(options), observer), target);
}

}  // namespace

int jackhmmer_program(int argc, char** argv) {
    HmmerAction action;
    action.refusal = refusal;
    action.misuse = misuse;
    std::optional<HmmerFailure> failure;
    action.run = [&failure](const EaselArguments& arguments, const char* called) {
        return search(arguments, called, failure);
    };
    action.failure = [&failure] { return failure; };
    return run_hmmer_process(kJackhmmer, argc, argv, action);
}

std::vector<CommandSyntax> jackhmmer_syntax() { return hmmer_syntax(kJackhmmer); }

}  // namespace warpseq
