// The options of `search hmmfetch`.
#pragma once

#include "options/option_set.h"

namespace warpseq {

/// Returns the options with their help.
OptionSet make_hmmfetch_options();

}  // namespace warpseq
