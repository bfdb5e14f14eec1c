// The options of `search hmmconvert` and hmmconvert.
#pragma once

#include <array>
#include <string_view>

#include "options/easel_options.h"
#include "options/option_row.h"
#include "options/option_set.h"

namespace warpseq {

namespace hmmconvert_rows {

inline constexpr std::string_view kKinds = "-a,-b,-2";
inline constexpr auto kRows = std::to_array<OptionRow>({
    {.easel = {"-h", "show brief help on version and usage"}},
    {.type = OptionType::kFile, .warpseq = {"d,db", "FILE", "file of profiles; - is standard input"}},
    {.type = OptionType::kFile, .warpseq = {"o,out", "FILE", "profiles (standard output without it)"}},
    {.toggles = kKinds, .is_on = true, .easel = {"-a", "ascii:  output models in HMMER3 ASCII format"}},
    {.toggles = kKinds,
     .warpseq = {"b,binary", "", "write HMMER3's binary format, not text"},
     .easel = {"-b", "binary: output models in HMMER3 binary format"}},
    {.toggles = kKinds,
     .warpseq = {"hmmer2", "", "write HMMER2's text format, for programs that need it"},
     .easel = {"-2", "HMMER2: output backward compatible HMMER2 ASCII format (ls mode)"}},
    {.type = OptionType::kText,
     .excludes = "-2",
     .warpseq =
         {.names = "outfmt", .argument = "FORMAT", .help = "version of the format: 3/a to 3/f", .standard = "3/f"},
     .easel = {"--outfmt", "choose output legacy 3.x file formats by name, such as '3/a'"}},
});
inline constexpr EaselGroup kGroups[] = {{"Options:", kRows}};

}  // namespace hmmconvert_rows

/// Returns the options with their help.
OptionSet make_hmmconvert_options();

}  // namespace warpseq
