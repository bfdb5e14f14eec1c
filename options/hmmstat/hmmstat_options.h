// The options of `search hmmstat` and hmmstat.
#pragma once

#include <array>

#include "options/easel_options.h"
#include "options/option_row.h"
#include "options/option_set.h"

namespace warpseq {

namespace hmmstat_rows {

inline constexpr auto kRows = std::to_array<OptionRow>({
    {.easel = {"-h", "show brief help on version and usage"}},
    {.type = OptionType::kFile, .warpseq = {"d,db", "FILE", "file of profiles; - is standard input"}},
    {.type = OptionType::kFile, .warpseq = {"o,out", "FILE", "table (standard output without it)"}},
});
inline constexpr EaselGroup kGroups[] = {{"Options:", kRows}};

}  // namespace hmmstat_rows

/// Returns the options with their help.
OptionSet make_hmmstat_options();

}  // namespace warpseq
