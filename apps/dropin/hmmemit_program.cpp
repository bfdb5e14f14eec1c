#include "apps/dropin/hmmemit_program.h"

#include <filesystem>
#include <optional>
#include <string>

#include "apps/dropin/hmmer_program.h"
#include "apps/dropin/profile_input.h"
#include "apps/search/hmmconvert/profile_files.h"
#include "apps/search/hmmemit/hmmemit_command.h"
#include "formats/io/output_sink.h"
#include "formats/profiles/hmm_file.h"
#include "options/hmmemit/hmmemit_options.h"

namespace warpseq {
namespace {

constexpr HmmerProgram kHmmemit = {.name = "hmmemit",
                                   .banner = "sample sequence(s) from a profile HMM",
                                   .usage = "[-options] <hmmfile (single)>",
                                   .brief_title = "",
                                   .groups = hmmemit_rows::kGroups,
                                   .arguments = 1,
                                   .error_begin = "\nERROR: ",
                                   .combination_error = "Error in configuration: "};

/// Returns HMMER's message about a profile that cannot emit; empty if `fault` is kNone.
std::string message_about(ProfileEmitter::Fault fault) {
    switch (fault) {
        case ProfileEmitter::Fault::kProfile: return "whoops, HMM is bad!\n";
        case ProfileEmitter::Fault::kSearchModel: return "whoops, profile is bad!\n";
        case ProfileEmitter::Fault::kNoChoice: return "unreached code was reached. universe collapses.\n";
        case ProfileEmitter::Fault::kNone: break;
    }
    return {};
}

/// Returns HMMER's message about a profile that cannot be read. Returns an empty text if `error`
/// says more: if the system failed, or if the first profile is not one of proteins, which HMMER
/// reads.
std::string message_about(const HmmFileReader& profiles, const std::string& file, const Status& error) {
    if (error.code() != StatusCode::kInvalidInput) return {};
    const std::string shown = file == "-" ? "[STDIN]" : file;
    if (!error.message().ends_with(kOnlyProteinProfiles))
        return "Bad file format in HMM file " + shown + ":\n" + error.message() + "\n\n";
    if (profiles.profiles_read() == 0) return {};
    return "HMM in " + shown + " is not in the expected amino alphabet\n\n";
}

/// Opens the output as HMMER does, before anything is read. Sets `failure` if that is not possible.
Result<OutputSink> open_output(const HmmemitOptions& options, std::optional<HmmerFailure>& failure) {
    const Status checked = check_profile_files(options.profile_file, "<hmmfile>", options.output_file,
                                               options.output_file ? "-o" : "the sequences", ExistingFile::kWriteInto);
    auto output = checked.ok() ? OutputSink::open(options.output_file, ExistingFile::kWriteInto) : checked;
    if (!output.ok() && output.status().code() == StatusCode::kIo && options.output_file)
        failure = HmmerFailure{"Failed to open output file " + options.output_file->string() + "\n"};
    return output;
}

/// Emits from all profiles of the file. After an error, the sequences before it are in the output,
/// as with HMMER.
Status emit_all(const HmmemitOptions& options, std::optional<HmmerFailure>& failure) {
    auto output = open_output(options, failure);
    if (!output.ok()) return output.status();
    auto profiles = open_profiles(options.profile_file);
    if (!profiles.ok()) {
        WARPSEQ_TRY(leave_output(options.output_file));
        return profiles.status();
    }
    ProfileEmitter emitter(options, *output);
    Status status = emitter.emit_all(*profiles);
    if (status.ok()) return output->finish();
    WARPSEQ_TRY(output->has_written() ? output->finish() : leave_output(options.output_file));
    std::string message = message_about(emitter.fault());
    if (message.empty()) message = message_about(*profiles, options.profile_file, status);
    if (!message.empty()) failure = HmmerFailure{message};
    return status;
}

}  // namespace

int hmmemit_program(int argc, char** argv) {
    std::optional<HmmerFailure> failure;
    HmmerAction action;
    action.nucleotides = [](const EaselArguments& arguments) { return nucleotide_profiles(arguments.positional()[0]); };
    action.run = [&failure](const EaselArguments& arguments, const char*) {
        return emit_all(read_hmmemit_options(arguments), failure);
    };
    action.failure = [&failure] { return failure; };
    return run_hmmer_process(kHmmemit, argc, argv, action);
}

std::vector<CommandSyntax> hmmemit_syntax() { return hmmer_syntax(kHmmemit); }

}  // namespace warpseq
