// The options of `search hmmpress`.
#pragma once

#include "options/option_set.h"

namespace warpseq {

/// Returns the options with their help.
OptionSet make_hmmpress_options();

}  // namespace warpseq
