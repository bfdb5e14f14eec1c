// The command line of `search jackhmmer`: jackhmmer's options under its names, and those that every
// engine has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libcore/base/status.h"
#include "libcore/profile/profile_builder.h"
#include "options/hmm/hmm_options.h"
#include "options/option_set.h"
#include "reports/hmmer/hmm_checkpoints.h"

namespace warpseq {

struct JackhmmerOptions {
    HmmOptions search;  // of each round; thresholds, filters, outputs, the profile of the first round
    std::uint64_t rounds = 5;
    std::optional<std::uint64_t> most_targets;  // of a round
    ProfileBuildSettings build;                 // from the second round on
    HmmCheckpointFiles checkpoints;
};

/// Defines the options, with their help.
OptionSet make_jackhmmer_options();

/// Reads them back, as read_hmm_options() does.
Result<JackhmmerOptions> read_jackhmmer_options(const OptionValues& parsed, std::string_view query_option = "-q",
                                                std::string_view database_option = "-d",
                                                ExistingFile existing = ExistingFile::kReplace);

}  // namespace warpseq
