#include "apps/dropin/hmmemit_program.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/dropin/hmmer_program.h"
#include "engines/hmm/hmm_alignment.h"
#include "formats/alignments/alignment_format.h"
#include "formats/alignments/alignment_writer.h"
#include "formats/io/output_sink.h"
#include "formats/io/run_files.h"
#include "formats/profiles/hmm_file.h"
#include "formats/profiles/pressed_profiles.h"
#include "libcore/base/linear_congruential.h"
#include "libcore/profile/profile_sampler.h"
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

constexpr std::size_t kResiduesPerLine = 60;

/// HMMER's message if no state can be chosen, because the probabilities are all 0 or not numbers.
constexpr std::string_view kNothingToChoose = "unreached code was reached. universe collapses.";

/// Returns the value of an option with a default.
std::string value_of(const EaselArguments& arguments, std::string_view name, const char* standard) {
    return arguments.value(name).value_or(standard);
}

/// Returns a generator with the seed that --seed gives. Seed 0 stands for any seed.
LinearCongruential make_generator(const EaselArguments& arguments) {
    auto seed = static_cast<std::uint32_t>(std::strtoul(value_of(arguments, "--seed", "0").c_str(), nullptr, 10));
    for (std::random_device device; seed == 0;) seed = device();
    return LinearCongruential(seed);
}

/// Emitter of the sequences of one profile after the other.
class Emitter {
   public:
    Emitter(const EaselArguments& arguments, OutputSink& output)
        : arguments_(arguments), output_(output), random_(make_generator(arguments)) {
        count_ = std::strtoll(value_of(arguments, "-N", "1").c_str(), nullptr, 10);
        model_.is_local = !arguments.has("--glocal") && !arguments.has("--uniglocal");
        model_.is_multihit = !arguments.has("--unilocal") && !arguments.has("--uniglocal");
        model_.expected_residues = std::strtoll(value_of(arguments, "-L", "400").c_str(), nullptr, 10);
    }

    Status emit(const ProfileHmm& hmm) {
        if (arguments_.has("-c"))
            return write_sequence(hmm.name + "-consensus", decode_residues(majority_consensus(hmm)));
        if (arguments_.has("-C")) {
            const auto fraction = [this](std::string_view name) {
                return std::strtof(value_of(arguments_, name, "0").c_str(), nullptr);
            };
            return write_sequence(hmm.name + "-consensus",
                                  graded_consensus(hmm, fraction("--minl"), fraction("--minu")));
        }
        if (arguments_.has("-a")) return emit_alignment(hmm);
        return arguments_.has("-p") ? emit_search_samples(hmm) : emit_core_samples(hmm);
    }

   private:
    static std::string name_of_sample(const ProfileHmm& hmm, std::int64_t number) {
        return hmm.name + "-sample" + std::to_string(number);
    }

    Status write_sequence(const std::string& name, std::string_view letters) {
        std::string text = ">" + name + "\n";
        for (std::size_t i = 0; i < letters.size(); i += kResiduesPerLine)
            text.append(letters.substr(i, kResiduesPerLine)).append(1, '\n');
        return output_.write(text);
    }

    Status emit_core_samples(const ProfileHmm& hmm) {
        for (std::int64_t i = 1; i <= count_; ++i) {
            const std::optional<CoreSample> sample = sample_core(hmm, random_);
            if (!sample) return Status::invalid_input(std::string(kNothingToChoose));
            WARPSEQ_TRY(write_sequence(name_of_sample(hmm, i), decode_residues(sample->residues)));
        }
        return {};
    }

    Status emit_search_samples(const ProfileHmm& hmm) {
        const SearchSampler sampler(hmm, model_);
        if (!sampler.is_sound()) return Status::invalid_input("whoops, profile is bad!");
        for (std::int64_t i = 1; i <= count_; ++i) {
            const std::optional<std::vector<ResidueCode>> residues = sampler.sample(random_);
            if (!residues) return Status::invalid_input(std::string(kNothingToChoose));
            WARPSEQ_TRY(write_sequence(name_of_sample(hmm, i), decode_residues(*residues)));
        }
        return {};
    }

    Status emit_alignment(const ProfileHmm& hmm) {
        std::vector<AlignedSequence> sequences;
        for (std::int64_t i = 1; i <= count_; ++i) {
            std::optional<CoreSample> sample = sample_core(hmm, random_);
            if (!sample) return Status::invalid_input(std::string(kNothingToChoose));
            AlignedSequence& row = sequences.emplace_back();
            row.name = name_of_sample(hmm, i);
            row.residues = std::move(sample->residues);
            row.trace = std::move(sample->trace);
        }
        return write_alignment(align_sequences(hmm, std::move(sequences), false), AlignmentFormat::kStockholm,
                               [this](std::string_view text) { return output_.write(text); });
    }

    const EaselArguments& arguments_;
    OutputSink& output_;
    LinearCongruential random_;
    std::int64_t count_ = 1;
    SearchModel model_;
};

/// Checks that the output replaces no file of the profiles.
Status check_files(const EaselArguments& arguments) {
    RunFiles files;
    files.add_input("<hmmfile>", arguments.positional()[0]);
    for (const std::filesystem::path& file : files_beside_profiles(arguments.positional()[0]))
        files.add_input("<hmmfile>", file);
    files.set_existing(ExistingFile::kWriteInto);
    files.add_output("-o", arguments.value("-o"));
    return files.check_names();
}

/// Emits from all profiles of the file. If an error comes in the middle, the sequences before it
/// have been written, as with HMMER. `failure` becomes the message of an error that HMMER prints
/// without "Error:".
Status emit_all(const EaselArguments& arguments, std::optional<HmmerFailure>& failure) {
    const std::string& file = arguments.positional()[0];
    WARPSEQ_TRY(check_profile_file(file));
    WARPSEQ_TRY(check_files(arguments));
    auto output = OutputSink::open(arguments.value("-o"), ExistingFile::kWriteInto);
    if (!output.ok()) {
        failure = HmmerFailure{"Failed to open output file " + *arguments.value("-o") + "\n"};
        return output.status();
    }
    Emitter emitter(arguments, *output);
    HmmFileReader reader(profile_file_of(file));
    ProfileHmm hmm;
    for (;;) {
        const Result<bool> got = reader.next(hmm);
        if (got.ok() && !*got) return output->finish();
        const Status status = got.ok() ? emitter.emit(hmm) : got.status();
        if (status.ok()) continue;
        WARPSEQ_TRY(output->finish());
        failure = HmmerFailure{got.ok() ? status.message() + "\n"
                                        : "Bad file format in HMM file " + (file == "-" ? "[STDIN]" : file) + ":\n" +
                                              status.message() + "\n\n"};
        return status;
    }
}

}  // namespace

int hmmemit_program(int argc, char** argv) {
    std::optional<HmmerFailure> failure;
    HmmerAction action;
    action.nucleotides = [](const EaselArguments& arguments) { return nucleotide_profiles(arguments.positional()[0]); };
    action.run = [&failure](const EaselArguments& arguments, const char*) { return emit_all(arguments, failure); };
    action.failure = [&failure] { return failure; };
    return run_hmmer_process(kHmmemit, argc, argv, action);
}

std::vector<CommandSyntax> hmmemit_syntax() { return hmmer_syntax(kHmmemit); }

}  // namespace warpseq
