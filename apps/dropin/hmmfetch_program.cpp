#include "apps/dropin/hmmfetch_program.h"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/dropin/hmmer_program.h"
#include "apps/search/hmmfetch/hmmfetch_command.h"
#include "formats/io/output_sink.h"
#include "options/hmmfetch/hmmfetch_options.h"

namespace warpseq {
namespace {

constexpr HmmerProgram kHmmfetch = {
    .name = "hmmfetch",
    .banner = "retrieve profile HMM(s) from a file",
    .usage =
        "[options] <hmmfile> <key>         (retrieves HMM named <key>)\n"
        "Usage: hmmfetch [options] -f <hmmfile> <keyfile>  (retrieves all HMMs in <keyfile>)\n"
        "Usage: hmmfetch [options] --index <hmmfile>       (indexes <hmmfile>)",
    .brief_title = "",
    .groups = hmmfetch_rows::kGroups,
    .arguments = HmmerProgram::kAnyArguments,
    .has_usage_errors_apart = true,
    .combination_error = "Error in configuration: "};

constexpr std::array<HmmerOutput, 1> kOutputs = {{{"-o", "Failed to open output file *\n\n"}}};

std::string misuse(const EaselArguments& arguments) {
    const std::vector<std::string>& files = arguments.positional();
    const bool index = arguments.has("--index");
    if (files.size() != (index ? 1U : 2U)) return "Incorrect number of command line arguments.";
    if (index && files[0] == "-") return "Can't use - with --index, can't index <stdin>.";
    if (arguments.has("-f") && files[0] == "-" && files[1] == "-")
        return "Either <hmmfile> or <keyfile> can be - but not both.";
    return {};
}

Status fetch(const EaselArguments& arguments, std::optional<HmmerFailure>& failure) {
    const std::string& file = arguments.positional()[0];
    WARPSEQ_TRY(check_profile_file(file));
    if (arguments.has("--index")) return index_profiles(file);
    WARPSEQ_TRY(check_outputs(arguments, kOutputs, failure));
    const std::string& key = arguments.positional()[1];
    HmmfetchFiles files;
    files.profiles = file;
    if (arguments.has("-f")) files.keys = key;
    files.output = arguments.has("-O") ? std::optional<std::string>(key) : arguments.value("-o");
    files.existing = ExistingFile::kWriteInto;
    files.profiles_option = "<hmmfile>";
    files.keys_option = "<keyfile>";
    files.output_option = arguments.has("-O") ? "-O" : "-o";
    WARPSEQ_TRY(check_fetch_files(files));
    std::string text, message;
    if (arguments.has("-f")) {
        const auto keys = read_profile_keys(key);
        if (!keys.ok()) return keys.status();
        auto found = fetch_profiles(file, *keys);
        if (!found.ok()) return found.status();
        text = std::move(found->text);
        message = "\nRetrieved " + std::to_string(found->count) + " HMMs.\n";
    } else {
        auto found = fetch_profile(file, key);
        if (!found.ok()) return found.status();
        text = *std::move(found);
        message = "\n\nRetrieved HMM " + key + ".\n";
    }
    if (!files.output) return print(text);
    auto out = OutputSink::open(files.output, files.existing);
    if (!out.ok()) return out.status();
    WARPSEQ_TRY(out->write(text));
    WARPSEQ_TRY(out->finish());
    return print(message);
}

}  // namespace

int hmmfetch_program(int argc, char** argv) {
    HmmerAction action;
    action.misuse = misuse;
    std::optional<HmmerFailure> failure;
    action.nucleotides = [](const EaselArguments& arguments) { return nucleotide_profiles(arguments.positional()[0]); };
    action.run = [&failure](const EaselArguments& arguments, const char*) {
        const std::string index = arguments.positional()[0] + ".ssi";
        std::error_code error;
        if (!arguments.has("--index") || !std::filesystem::exists(index, error)) return fetch(arguments, failure);
        failure = HmmerFailure{"SSI index " + index + " already exists; delete or rename it\n"};
        return Status::invalid_input(failure->message);
    };
    action.failure = [&failure] { return failure; };
    return run_hmmer_process(kHmmfetch, argc, argv, action);
}

std::vector<CommandSyntax> hmmfetch_syntax() { return hmmer_syntax(kHmmfetch); }

}  // namespace warpseq
