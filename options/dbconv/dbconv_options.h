// The options of dbconv.
#pragma once

#include "options/option_set.h"

namespace warpseq {

/// Returns the options with their help.
OptionSet make_dbconv_options();

}  // namespace warpseq
