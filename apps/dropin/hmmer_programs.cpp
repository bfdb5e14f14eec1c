#include "apps/dropin/hmmer_programs.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/common/progress.h"
#include "apps/dropin/hmmer_options.h"
#include "apps/dropin/hmmer_search.h"
#include "apps/search/hmm/hmm_command.h"
#include "options/hmm/hmm_options.h"

namespace warpseq {
namespace {

/// Checks that the input files exist and are not empty, and that the outputs can be written, in
/// HMMER's words and order. Sets `failure` if an output cannot be written.
Status check_files(const HmmerSearchProgram& program, const EaselArguments& arguments,
                   const SequenceFileFormats& formats, std::optional<HmmerFailure>& failure) {
    const std::string &query = arguments.positional()[0], &target = arguments.positional()[1];
    if (program.takes_profiles) {
        WARPSEQ_TRY(check_sequence_file(target, formats.targets, "sequence file", "Sequence file"));
        WARPSEQ_TRY(check_profile_file(query));
        return check_outputs(arguments, program.outputs, failure);
    }
    WARPSEQ_TRY(check_outputs(arguments, program.outputs, failure));
    WARPSEQ_TRY(check_query_sequences(query, formats.queries));
    return check_sequence_file(target, formats.targets, "target sequence database", "Target sequence database file");
}

Result<HmmOptions> read_search_options(const HmmerSearchProgram& program, const EaselArguments& arguments) {
    const auto values =
        search_values(make_hmm_options(), arguments, arguments.positional()[0], arguments.positional()[1]);
    if (!values.ok()) return values.status();
    return read_hmm_options(*values, program.query_argument, "<seqdb>", ExistingFile::kWriteInto);
}

/// Sets the lines about options at the top of a report as the program has them.
void describe_options(const HmmerSearchProgram& program, const EaselArguments& arguments, HmmRun& run) {
    using Given = HmmRun::Given;
    if (const auto alignment = std::ranges::find(run.given, "-A", &Given::name); alignment != run.given.end())
        alignment->label = program.alignment_label;
    describe_other_options(arguments, {program.query_format_label, program.target_format_label}, run);
}

Status search(const HmmerSearchProgram& program, const EaselArguments& arguments, const char* called,
              std::optional<HmmerFailure>& failure) {
    const auto records = target_records_of(arguments);
    if (!records.ok()) return records.status();
    const auto formats = sequence_formats_of(arguments);
    if (!formats.ok()) return formats.status();
    WARPSEQ_TRY(check_matrix(arguments));
    WARPSEQ_TRY(check_files(program, arguments, *formats, failure));
    auto options = read_search_options(program, arguments);
    if (!options.ok()) return options.status();
    options->only_kind = program.takes_profiles ? HmmQueryKind::kProfile : HmmQueryKind::kSequence;
    // A query of only a few X has its part of the report, although almost nothing can be found with
    // it.
    options->calibration.with_hardly_any_information = !program.takes_profiles;
    options->query_format = formats->queries;
    read_targets_as_hmmer(formats->targets, options->common);
    options->common.target_records = *records;
    options->as_hmmer = true;
    if (program.takes_profiles) options->query_format.kind = SequenceFileKind::kFasta;
    options->run.program = hmmer_report_program(program.program, true);
    describe_options(program, arguments, options->run);
    options->run.command_line = hmmer_command_line(arguments, called);
    TerminalObserver observer(std::string(program.program.name), true);
    const Status searched = run_hmm_search(*std::move(options), observer);
    return program.takes_profiles ? searched : name_targets(searched, arguments.positional()[1]);
}

int run_process(const HmmerSearchProgram& program, int argc, char** argv) {
    HmmerAction action;
    action.misuse = [&program](const EaselArguments& arguments) -> std::string {
        const std::vector<std::string>& files = arguments.positional();
        if (files[0] != "-" || files[1] != "-") return {};
        return "Either " + std::string(program.query_argument) +
               " or <seqdb> may be '-' (to read from stdin), but not both.";
    };
    if (program.takes_profiles) {
        action.nucleotides = [](const EaselArguments& arguments) {
            return nucleotide_profiles(arguments.positional()[0]);
        };
    }
    std::optional<HmmerFailure> failure;
    action.run = [&](const EaselArguments& arguments, const char* called) {
        Status status = search(program, arguments, called, failure);
        if (program.takes_profiles && status.message() == kNotRewindable)
            failure = HmmerFailure{status.message() + "\n"};
        return status;
    };
    action.failure = [&failure] { return failure; };
    return run_hmmer_process(program.program, argc, argv, action);
}

}  // namespace

int hmmsearch_program(int argc, char** argv) { return run_process(kHmmsearch, argc, argv); }
int phmmer_program(int argc, char** argv) { return run_process(kPhmmer, argc, argv); }

std::vector<CommandSyntax> hmmsearch_syntax() { return hmmer_syntax(kHmmsearch.program); }
std::vector<CommandSyntax> phmmer_syntax() { return hmmer_syntax(kPhmmer.program); }

}  // namespace warpseq
