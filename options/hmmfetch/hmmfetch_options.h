// The options of `search hmmfetch` and hmmfetch.
#pragma once

#include <array>

#include "options/easel_options.h"
#include "options/option_row.h"
#include "options/option_set.h"

namespace warpseq {

namespace hmmfetch_rows {

inline constexpr auto kRows = std::to_array<OptionRow>({
    {.easel = {"-h", "help; show brief info on version and usage"}},
    {.excludes = "--index", .easel = {"-f", "second cmdline arg is a file of names to retrieve"}},
    {.type = OptionType::kFile,
     .excludes = "-O,--index",
     .warpseq = {"o,out", "FILE", "profiles (standard output without it)", 2},
     .easel = {"-o", "output HMM to file <f> instead of stdout"}},
    {.excludes = "-o,-f,--index", .easel = {"-O", "output HMM to file named <key>"}},
    {.warpseq = {"index", "", "make PROFILES.hmm.ssi, HMMER's index of names and accessions", 2},
     .easel = {"--index", "index the <hmmfile>, creating <hmmfile>.ssi"}},
    {.type = OptionType::kFile,
     .warpseq = {"d,db", "FILE", "file of profiles in HMMER3 format, pressed (hmmpress) or not"}},
    {.type = OptionType::kFile, .warpseq = {"list", "FILE", "file of keys, one on each line; - is standard input", 1}},
});
inline constexpr EaselGroup kGroups[] = {{"Options:", kRows}};

}  // namespace hmmfetch_rows

/// Returns the options with their help.
OptionSet make_hmmfetch_options();

}  // namespace warpseq
