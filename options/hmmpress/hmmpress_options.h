// The options of `search hmmpress` and hmmpress.
#pragma once

#include <array>

#include "options/easel_options.h"
#include "options/option_row.h"
#include "options/option_set.h"

namespace warpseq {

namespace hmmpress_rows {

inline constexpr auto kRows = std::to_array<OptionRow>({
    {.easel = {"-h", "show brief help on version and usage"}},
    {.type = OptionType::kFile, .warpseq = {"d,db", "FILE", "file of profiles in HMMER3 format"}},
    {.warpseq = {"f,force", "", "replace pressed files that are there already"},
     .easel = {"-f", "force: overwrite any previous pressed files"}},
});
inline constexpr EaselGroup kGroups[] = {{"Options:", kRows}};

}  // namespace hmmpress_rows

/// Returns the options with their help.
OptionSet make_hmmpress_options();

}  // namespace warpseq
