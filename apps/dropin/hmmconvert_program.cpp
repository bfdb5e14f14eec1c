#include "apps/dropin/hmmconvert_program.h"

#include <optional>
#include <string>

#include "apps/dropin/hmmer_program.h"
#include "apps/dropin/profile_input.h"
#include "apps/search/hmmconvert/hmmconvert_command.h"
#include "apps/search/hmmconvert/profile_files.h"
#include "formats/io/output_sink.h"
#include "options/hmmconvert/hmmconvert_options.h"

namespace warpseq {
namespace {

constexpr HmmerProgram kHmmconvert = {.name = "hmmconvert",
                                      .banner = "convert profile file to a HMMER format",
                                      .usage = "[-options] <hmmfile>",
                                      .brief_title = "",
                                      .groups = hmmconvert_rows::kGroups,
                                      .arguments = 1};

Status convert(const EaselArguments& arguments, std::optional<HmmerFailure>& failure) {
    const std::string& file = arguments.positional()[0];
    // Files that are compared with those of HMMER 3.3.2 have its format line, too.
    ProfileConversion conversion = {.program = "Nov 2020"};
    if (arguments.has("-b")) conversion.kind = ProfileConversion::Kind::kBinary;
    if (arguments.has("-2")) conversion.kind = ProfileConversion::Kind::kHmmer2;
    if (const auto name = arguments.value("--outfmt")) {
        const auto version = find_hmm_format(*name);
        if (!version) return Status::invalid_input("No such 3.x output format code " + *name + ".");
        conversion.version = *version;
    }
    WARPSEQ_TRY(check_profile_files(file, "<hmmfile>", std::nullopt, "the converted profiles"));
    auto profiles = open_profiles(file);
    if (!profiles.ok()) return profiles.status();
    auto out = OutputSink::open(std::nullopt);
    if (!out.ok()) return out.status();
    Status status = convert_profiles(*profiles, conversion, *out);
    WARPSEQ_TRY(out->finish());
    if (const auto message = bad_profile_message(*profiles, file, status))
        failure = HmmerFailure{"\nError: " + *message + "\n"};
    return status;
}

}  // namespace

int hmmconvert_program(int argc, char** argv) {
    HmmerAction action;
    std::optional<HmmerFailure> failure;
    action.nucleotides = [](const EaselArguments& arguments) { return nucleotide_profiles(arguments.positional()[0]); };
    action.run = [&failure](const EaselArguments& arguments, const char*) { return convert(arguments, failure); };
    action.failure = [&failure] { return failure; };
    return run_hmmer_process(kHmmconvert, argc, argv, action);
}

std::vector<CommandSyntax> hmmconvert_syntax() { return hmmer_syntax(kHmmconvert); }

}  // namespace warpseq
