#include "apps/dropin/hmmscan_program.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/common/progress.h"
#include "apps/dropin/hmmer_program.h"
#include "apps/dropin/hmmer_search.h"
#include "apps/search/hmmscan/hmmpress_command.h"
#include "apps/search/hmmscan/hmmscan_command.h"
#include "formats/profiles/pressed_profiles.h"
#include "options/hmmpress/hmmpress_options.h"
#include "options/hmmscan/hmmscan_options.h"
#include "options/hmmscan/hmmscan_rows.h"

namespace warpseq {
namespace {

constexpr HmmerProgram kHmmscan = {.name = "hmmscan",
                                   .banner = "search sequence(s) against a profile database",
                                   .usage = "[-options] <hmmdb> <seqfile>",
                                   .brief_title = "where most common options are:",
                                   .groups = hmmscan_rows::kGroups,
                                   .has_bare_parse_failures = true};

constexpr HmmerProgram kHmmpress = {.name = "hmmpress",
                                    .banner = "prepare an HMM database for faster hmmscan searches",
                                    .usage = "[-options] <hmmfile>",
                                    .brief_title = "",
                                    .groups = hmmpress_rows::kGroups,
                                    .arguments = 1};

constexpr std::array<HmmerOutput, 4> kOutputs = {
    {{"-o", "Failed to open output file * for writing\n\n"},
     {"--tblout", "Failed to open tabular per-seq output file * for writing\n\n"},
     {"--domtblout", "Failed to open tabular per-dom output file * for writing\n\n"},
     {"--pfamtblout", "Failed to open pfam-style tabular output file * for writing\n\n"}}};

bool is_there(const std::string& file) { return can_be_read(profile_file_of(file).string()); }

/// Returns the path of a profile database: the name as given, or the name in one of the folders
/// that PFAMDB lists. If there is no such file, returns the name as given.
std::string find_profiles(const std::string& file) {
    const char* folders = std::getenv("PFAMDB");
    if (folders == nullptr || is_there(file)) return file;
    std::istringstream list(folders);
    for (std::string folder; std::getline(list, folder, ':');) {
        const std::string found = (std::filesystem::path(folder) / file).string();
        if (is_there(found)) return found;
    }
    return file;
}

/// Checks that a file of profiles can be read and is not empty, with hmmscan's messages. The
/// profiles may exist in pressed form only.
Status check_profiles(const std::string& file) {
    const std::string read = profile_file_of(file).string();
    if (!can_be_read(read)) {
        return Status::io("File existence/permissions problem in trying to open HMM file " + file + ".\nHMM file " +
                          file + " not found (nor an .h3m binary of it); also looked in PFAMDB");
    }
    const std::string problem = profile_format_problem(read);
    if (problem.empty()) return {};
    return Status::invalid_input("File format problem, trying to open HMM file " + file + ".\n" + problem);
}

std::string misuse(const EaselArguments& arguments) {
    if (arguments.positional()[0] != "-") return {};
    return "hmmscan cannot read <hmm database> from stdin stream, because it must have hmmpress'ed auxfiles";
}

Status scan(const EaselArguments& arguments, const char* called, std::optional<HmmerFailure>& failure) {
    const std::string profiles = find_profiles(arguments.positional()[0]);
    const std::string& sequences = arguments.positional()[1];
    const auto formats = sequence_formats_of(arguments);
    if (!formats.ok()) return formats.status();
    WARPSEQ_TRY(check_profiles(profiles));
    WARPSEQ_TRY(check_query_sequences(sequences, formats->queries));
    WARPSEQ_TRY(check_outputs(arguments, kOutputs, failure));
    // hmmscan's first argument is the database, not the query.
    const auto values = search_values(make_hmmscan_options(), arguments, sequences, profiles);
    if (!values.ok()) return values.status();
    auto options = read_hmmscan_options(*values, "<seqfile>", "<hmmdb>", ExistingFile::kWriteInto);
    if (!options.ok()) return options.status();
    options->only_kind = HmmQueryKind::kScanned;
    options->run.database_names = arguments.positional()[0];
    options->query_format = formats->queries;
    options->as_hmmer = true;
    options->run.program = hmmer_report_program(kHmmscan, true);
    describe_other_options(arguments, {"input seqfile format asserted:", ""}, options->run);
    options->run.command_line = hmmer_command_line(arguments, called);
    TerminalObserver observer(std::string(kHmmscan.name), true);
    return run_hmmscan_search(*std::move(options), observer);
}

}  // namespace

int hmmscan_program(int argc, char** argv) {
    HmmerAction action;
    action.misuse = misuse;
    action.nucleotides = [](const EaselArguments& arguments) {
        return nucleotide_profiles(find_profiles(arguments.positional()[0]));
    };
    std::optional<HmmerFailure> failure;
    action.run = [&failure](const EaselArguments& arguments, const char* called) {
        return scan(arguments, called, failure);
    };
    action.failure = [&failure] { return failure; };
    return run_hmmer_process(kHmmscan, argc, argv, action);
}

std::vector<CommandSyntax> hmmscan_syntax() { return hmmer_syntax(kHmmscan); }

int hmmpress_program(int argc, char** argv) {
    HmmerAction action;
    std::optional<HmmerFailure> failure;
    action.nucleotides = [](const EaselArguments& arguments) {
        const std::string& file = arguments.positional()[0];
        return file == "-" ? std::nullopt : nucleotide_profiles(file, false);
    };
    action.run = [&failure](const EaselArguments& arguments, const char*) -> Status {
        const std::string& file = arguments.positional()[0];
        if (file == "-") return Status::io("Can't use - for <hmmfile> argument: can't index standard input");
        WARPSEQ_TRY(check_profile_file(file, false));
        Status status = press_profiles(file, arguments.has("-f"), ExistingFile::kWriteInto);
        // Invalid input is printed without "Error:". Errors of opening the file are printed with
        // it, as by the other programs.
        if (status.code() == StatusCode::kInvalidInput) failure = HmmerFailure{status.message() + "\n"};
        return status;
    };
    action.failure = [&failure] { return failure; };
    return run_hmmer_process(kHmmpress, argc, argv, action);
}

std::vector<CommandSyntax> hmmpress_syntax() { return hmmer_syntax(kHmmpress); }

}  // namespace warpseq
