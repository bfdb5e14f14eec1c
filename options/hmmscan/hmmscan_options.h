// The command line of `search hmmscan`. It has hmmscan's options under their names, and the options
// that every engine has. They are read into HmmOptions: its queries are the sequences, and its one
// database is the file of profiles.
#pragma once

#include <string>
#include <string_view>

#include "engines/hmm/hmm_model_search.h"
#include "libcore/base/status.h"
#include "options/hmm/hmm_options.h"
#include "options/option_set.h"

namespace warpseq {

/// Defines the options, with their help.
OptionSet make_hmmscan_options();

/// Returns the settings that the options state, as read_hmm_options() does.
Result<HmmOptions> read_hmmscan_options(const OptionValues& parsed, std::string_view query_option = "-q",
                                        std::string_view database_option = "-d",
                                        ExistingFile existing = ExistingFile::kReplace);

/// Returns the settings of the search. They refer to the options, which have to outlive them.
HmmModelSearchSettings model_search_settings_of(const HmmOptions& options);

}  // namespace warpseq
