#include "apps/dropin/hmmstat_program.h"

#include <optional>
#include <string>

#include "apps/dropin/hmmer_program.h"
#include "apps/dropin/profile_input.h"
#include "apps/search/hmmconvert/profile_files.h"
#include "apps/search/hmmstat/hmmstat_command.h"
#include "formats/io/output_sink.h"
#include "options/hmmstat/hmmstat_options.h"

namespace warpseq {
namespace {

constexpr HmmerProgram kHmmstat = {.name = "hmmstat",
                                   .banner = "display summary statistics for a profile file",
                                   .usage = "[-options] <hmmfile>",
                                   .brief_title = "",
                                   .groups = hmmstat_rows::kGroups,
                                   .arguments = 1};

Status print_summaries(const std::string& file, std::optional<HmmerFailure>& failure) {
    WARPSEQ_TRY(check_profile_files(file, "<hmmfile>", std::nullopt, "the table"));
    auto out = OutputSink::open(std::nullopt);
    if (!out.ok()) return out.status();
    WARPSEQ_TRY(out->write(hmmer_banner(kHmmstat)));
    auto profiles = open_profiles(file);
    if (!profiles.ok()) return profiles.status();
    Status status = write_summaries(*profiles, *out);
    WARPSEQ_TRY(out->finish());
    if (const auto message = bad_profile_message(*profiles, file, status)) failure = HmmerFailure{*message + "\n"};
    return status;
}

}  // namespace

int hmmstat_program(int argc, char** argv) {
    HmmerAction action;
    std::optional<HmmerFailure> failure;
    action.nucleotides = [](const EaselArguments& arguments) { return nucleotide_profiles(arguments.positional()[0]); };
    action.run = [&failure](const EaselArguments& arguments, const char*) {
        return print_summaries(arguments.positional()[0], failure);
    };
    action.failure = [&failure] { return failure; };
    return run_hmmer_process(kHmmstat, argc, argv, action);
}

std::vector<CommandSyntax> hmmstat_syntax() { return hmmer_syntax(kHmmstat); }

}  // namespace warpseq
