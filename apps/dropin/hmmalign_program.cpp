#include "apps/dropin/hmmalign_program.h"

#include <optional>
#include <string>
#include <string_view>

#include "apps/dropin/alignment_failure.h"
#include "apps/dropin/hmmer_program.h"
#include "apps/search/hmmalign/hmmalign_command.h"
#include "formats/alignments/alignment_format.h"
#include "formats/alignments/alignment_reader.h"
#include "formats/sequences/sequence_format.h"
#include "libcore/base/thread_pool.h"
#include "options/hmmalign/hmmalign_options.h"

namespace warpseq {
namespace {

constexpr HmmerProgram kHmmalign = {.name = "hmmalign",
                                    .banner = "align sequences to a profile HMM",
                                    .usage = "[-options] <hmmfile> <seqfile>",
                                    .brief_title = "",
                                    .groups = hmmalign_rows::kGroups,
                                    .help_end =
                                        "\nSequence input formats include:   FASTA, EMBL, GenBank, UniProt\n"
                                        "Alignment output formats include: Stockholm, Pfam, A2M, PSIBLAST\n\n",
                                    .error_begin = "\nERROR: ",
                                    .has_bare_parse_failures = true};

/// Returns the alignment format with this name if HMMER has it. A3M is warpseq's own.
std::optional<AlignmentFormat> hmmer_format(const std::string& name) {
    const std::optional<AlignmentFormat> format = alignment_format_named(name);
    return format == AlignmentFormat::kA3m ? std::nullopt : format;
}

std::string misuse(const EaselArguments& arguments) {
    const std::vector<std::string>& files = arguments.positional();
    if (files[0] == "-" && files[1] == "-")
        return "Either <hmmfile> or <seqfile> may be '-' (to read from stdin), but not both.";
    if (const auto name = arguments.value("--informat"); name && !sequence_format_named(*name))
        return *name + " is not a recognized input sequence file format";
    if (const auto name = arguments.value("--outformat"); name && !hmmer_format(*name))
        return *name + " is not a recognized output MSA file format";
    if (const auto output = arguments.value("-o"); output && !can_be_written(*output))
        return "failed to open -o output file " + *output + " for writing";
    return {};
}

std::optional<std::string> nucleotides(const EaselArguments& arguments) {
    for (const auto& [option, alphabet] : {std::pair("--dna", "DNA"), std::pair("--rna", "RNA")})
        if (arguments.has(option)) return std::string(option) + " asks for an alignment of " + alphabet;
    return nucleotide_profiles(arguments.positional()[0]);
}

/// Aligns the sequences. `mapped` becomes the reader of --mapali.
Status align(const EaselArguments& arguments, std::optional<AlignmentReader>& mapped) {
    const std::string &profile = arguments.positional()[0], &sequences = arguments.positional()[1];
    HmmalignOptions options;
    WARPSEQ_TRY(check_profile_file(profile));
    options.profile_file = profile;
    options.sequence_file = sequences;
    options.sequences = {.dialect = FastaDialect::kHmmer};
    options.mapped_alignment = arguments.value("--mapali");
    options.trim = arguments.has("--trim");
    options.run.output_file = arguments.value("-o");
    options.run.existing = ExistingFile::kWriteInto;
    options.run.quiet = true;
    options.run.threads = ThreadPool::hardware_threads();
    if (const auto name = arguments.value("--informat")) options.sequences = *sequence_format_named(*name);
    if (const auto name = arguments.value("--outformat")) options.output_format = *hmmer_format(*name);
    if (!options.mapped_alignment) {
        WARPSEQ_TRY(check_query_sequences(sequences, options.sequences));
        return run_hmmalign(options);
    }
    mapped.emplace(*options.mapped_alignment);
    Status aligned = run_hmmalign(options, &*mapped);
    // HMMER opens the sequences only after it has read the alignment.
    if (!aligned.ok() && mapped->fault().kind == AlignmentFault::Kind::kNone)
        WARPSEQ_TRY(check_query_sequences(sequences, options.sequences));
    return aligned;
}

}  // namespace

int hmmalign_program(int argc, char** argv) {
    HmmerAction action;
    action.misuse = misuse;
    std::optional<AlignmentReader> mapped;
    std::string mapped_file, message;
    action.nucleotides = nucleotides;
    action.run = [&](const EaselArguments& arguments, const char*) {
        mapped_file = arguments.value("--mapali").value_or("");
        Status aligned = align(arguments, mapped);
        if (!aligned.ok()) static_cast<void>(leave_output(arguments.value("-o")));
        message = aligned.message();
        return aligned;
    };
    action.failure = [&]() -> std::optional<HmmerFailure> {
        if (!mapped) return std::nullopt;
        // Errors from the comparison of the alignment with the profile are printed without
        // "Error:".
        for (const char* begin : {"HMM has no ", "--mapali MSA "})
            if (message.starts_with(begin)) return HmmerFailure{message + "\n"};
        return alignment_failure(*mapped, mapped_file);
    };
    return run_hmmer_process(kHmmalign, argc, argv, action);
}

std::vector<CommandSyntax> hmmalign_syntax() { return hmmer_syntax(kHmmalign); }

}  // namespace warpseq
