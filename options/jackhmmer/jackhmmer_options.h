// The command line of `search jackhmmer`. It has jackhmmer's options under their names, and the
// options that every engine has.
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

/// The settings of a run of `search jackhmmer`.
struct JackhmmerOptions {
    HmmOptions search;  // thresholds and filters of each round, outputs, the first profile
    std::uint64_t rounds = 5;
    std::optional<std::uint64_t> most_targets;  // maximum number of targets in one round
    ProfileBuildSettings build;                 // how profiles are built from the second round on
    HmmCheckpointFiles checkpoints;
};

/// Defines the options, with their help.
OptionSet make_jackhmmer_options();

/// Returns the settings that the options state, as read_hmm_options() does.
Result<JackhmmerOptions> read_jackhmmer_options(const OptionValues& parsed, std::string_view query_option = "-q",
                                                std::string_view database_option = "-d",
                                                ExistingFile existing = ExistingFile::kReplace);

/// Returns the settings of the rounds. Whether the alignment of the last round is needed, and
/// whether domZ is shown, is left to the caller.
HmmRoundsSettings rounds_settings_of(const JackhmmerOptions& options);

}  // namespace warpseq
