// The options of hmmemit.
#pragma once

#include <string_view>

#include "options/easel_options.h"
#include "options/option_row.h"

namespace warpseq {

namespace hmmemit_rows {

/// The options that say what is emitted. Without any of them it is sequences of the core model.
inline constexpr std::string_view kOutputs = "-a,-c,-C,-p";
inline constexpr std::string_view kModes = "--local,--unilocal,--glocal,--uniglocal";
inline constexpr OptionRange kFraction = {.text = "0<=x<=1", .least = 0, .most = 1};

inline constexpr OptionRow kCommon[] = {
    {.easel = {"-h", "show brief help on version and usage"}},
    {.type = OptionType::kFile, .easel = {"-o", "send sequence output to file <f>, not stdout"}},
    {.type = OptionType::kInteger,
     .standard = "1",
     .range = {.text = "n>0", .least = 1},
     .excludes = "-c,-C",
     .easel = {"-N", "number of seqs to sample"}},
};
inline constexpr OptionRow kWhat[] = {
    {.excludes = kOutputs, .easel = {"-a", "emit alignment"}},
    {.excludes = kOutputs, .easel = {"-c", "emit simple majority-rule consensus sequence"}},
    {.excludes = kOutputs, .easel = {"-C", "emit fancier consensus sequence (req's --minl, --minu)"}},
    {.excludes = kOutputs, .easel = {"-p", "sample sequences from profile, not core model"}},
};
inline constexpr OptionRow kProfile[] = {
    {.type = OptionType::kInteger,
     .standard = "400",
     .needs = "-p",
     .easel = {"-L", "set expected length from profile to <n>"}},
    {.needs = "-p", .toggles = kModes, .is_on = true, .easel = {"--local", "configure profile in multihit local mode"}},
    {.needs = "-p", .toggles = kModes, .easel = {"--unilocal", "configure profile in unilocal mode"}},
    {.needs = "-p", .toggles = kModes, .easel = {"--glocal", "configure profile in multihit glocal mode"}},
    {.needs = "-p", .toggles = kModes, .easel = {"--uniglocal", "configure profile in unihit glocal mode"}},
};
inline constexpr OptionRow kConsensus[] = {
    {.type = OptionType::kReal,
     .standard = "0.0",
     .range = kFraction,
     .needs = "-C",
     .easel = {"--minl", "show consensus as 'any' (X/N) unless >= this fraction"}},
    {.type = OptionType::kReal,
     .standard = "0.0",
     .range = kFraction,
     .needs = "-C",
     .easel = {"--minu", "show consensus as upper case if >= this fraction"}},
};
inline constexpr OptionRow kOther[] = {
    {.type = OptionType::kInteger,
     .standard = "0",
     .range = {.text = "n>=0", .least = 0},
     .easel = {"--seed", "set RNG seed to <n>"}},
};
inline constexpr EaselGroup kGroups[] = {{"Common options are:", kCommon},
                                         {"Options controlling what to emit:", kWhat},
                                         {"Options controlling emission from profiles with -p:", kProfile},
                                         {"Options controlling fancy consensus emission with -C:", kConsensus},
                                         {"Other options::", kOther}};

}  // namespace hmmemit_rows

}  // namespace warpseq
