// The options of `search hmmemit` and hmmemit, and the settings that they give.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "libcore/base/status.h"
#include "libcore/profile/profile_sampler.h"
#include "options/easel_options.h"
#include "options/option_row.h"
#include "options/option_set.h"

namespace warpseq {

namespace hmmemit_rows {

/// The options that say what is emitted. Without any of them it is sequences of the core model.
inline constexpr std::string_view kOutputs = "-a,-c,-C,-p";
inline constexpr std::string_view kModes = "--local,--unilocal,--glocal,--uniglocal";
inline constexpr OptionRange kFraction = {.text = "0<=x<=1", .least = 0, .most = 1};

inline constexpr auto kCommon = std::to_array<OptionRow>({
    {.easel = {"-h", "show brief help on version and usage"}},
    {.type = OptionType::kFile, .warpseq = {"d,db", "FILE", "file of profiles; - is standard input"}},
    {.type = OptionType::kFile,
     .warpseq = {"o,out", "FILE", "sequences (standard output without it)"},
     .easel = {"-o", "send sequence output to file <f>, not stdout"}},
    {.type = OptionType::kInteger,
     .standard = "1",
     .range = {.text = "n>0", .least = 1},
     .excludes = "-c,-C",
     .warpseq = {"N,samples", "N", "samples of each profile"},
     .easel = {"-N", "number of seqs to sample"}},
});
inline constexpr auto kWhat = std::to_array<OptionRow>({
    {.excludes = kOutputs,
     .warpseq = {"a,alignment", "", "an alignment of the samples, in Stockholm format"},
     .easel = {"-a", "emit alignment"}},
    {.excludes = kOutputs,
     .warpseq = {"c,consensus", "", "the likeliest residues instead of samples"},
     .easel = {"-c", "emit simple majority-rule consensus sequence"}},
    {.excludes = kOutputs,
     .warpseq = {"C,graded", "", "the same, in a case that shows how likely they are (--minl, --minu)"},
     .easel = {"-C", "emit fancier consensus sequence (req's --minl, --minu)"}},
    {.excludes = kOutputs,
     .warpseq = {"p,search-model", "", "samples of the model that searches use, with residues around it"},
     .easel = {"-p", "sample sequences from profile, not core model"}},
});
inline constexpr auto kProfile = std::to_array<OptionRow>({
    {.type = OptionType::kInteger,
     .standard = "400",
     .needs = "-p",
     .warpseq = {"L,length", "N", "expected residues around the alignments of a sample"},
     .easel = {"-L", "set expected length from profile to <n>"}},
    {.needs = "-p",
     .toggles = kModes,
     .is_on = true,
     .warpseq = {"local", "", "any number of alignments to parts of the profile (the default)"},
     .easel = {"--local", "configure profile in multihit local mode"}},
    {.needs = "-p",
     .toggles = kModes,
     .warpseq = {"unilocal", "", "one alignment to a part of the profile"},
     .easel = {"--unilocal", "configure profile in unilocal mode"}},
    {.needs = "-p",
     .toggles = kModes,
     .warpseq = {"glocal", "", "any number of alignments to the whole profile"},
     .easel = {"--glocal", "configure profile in multihit glocal mode"}},
    {.needs = "-p",
     .toggles = kModes,
     .warpseq = {"uniglocal", "", "one alignment to the whole profile"},
     .easel = {"--uniglocal", "configure profile in unihit glocal mode"}},
});
inline constexpr auto kConsensus = std::to_array<OptionRow>({
    {.type = OptionType::kReal,
     .standard = "0.0",
     .range = kFraction,
     .needs = "-C",
     .warpseq = {"minl", "X", "show x for a residue whose probability is below X"},
     .easel = {"--minl", "show consensus as 'any' (X/N) unless >= this fraction"}},
    {.type = OptionType::kReal,
     .standard = "0.0",
     .range = kFraction,
     .needs = "-C",
     .warpseq = {"minu", "X", "show a residue in upper case if its probability is X or more"},
     .easel = {"--minu", "show consensus as upper case if >= this fraction"}},
});
inline constexpr auto kOther = std::to_array<OptionRow>({
    {.type = OptionType::kInteger,
     .standard = "0",
     .range = {.text = "n>=0", .least = 0},
     .warpseq = {"seed", "N", "seed of the random numbers; 0 is another one in each run"},
     .easel = {"--seed", "set RNG seed to <n>"}},
});
inline constexpr EaselGroup kGroups[] = {{"Common options are:", kCommon},
                                         {"Options controlling what to emit:", kWhat},
                                         {"Options controlling emission from profiles with -p:", kProfile},
                                         {"Options controlling fancy consensus emission with -C:", kConsensus},
                                         {"Other options::", kOther}};

}  // namespace hmmemit_rows

/// The settings of a run.
struct HmmemitOptions {
    enum class Output { kCoreSamples, kSearchSamples, kAlignment, kConsensus, kGradedConsensus };

    std::string profile_file;  // "-" is standard input
    std::optional<std::filesystem::path> output_file;
    Output output = Output::kCoreSamples;
    std::int64_t samples = 1;
    SearchModel model;                       // of kSearchSamples
    float least_shown = 0, least_upper = 0;  // of kGradedConsensus (graded_consensus())
    std::uint32_t seed = 0;                  // 0: another one in each run
};

/// Returns the options with their help.
OptionSet make_hmmemit_options();
/// Returns the settings that the options state. Wrong values are usage errors, and so are options
/// that do not go together.
Result<HmmemitOptions> read_hmmemit_options(const OptionValues& values);
/// Returns the settings that a command line of HMMER's hmmemit states.
HmmemitOptions read_hmmemit_options(const EaselArguments& arguments);

}  // namespace warpseq
