// `search sw`: the command line of the Smith-Waterman engine.
#pragma once

#include "apps/common/option_set.h"
#include "libcore/base/status.h"

namespace warpseq {

/// argv[0] is "sw". Prints the report, or help; an error is returned, not printed.
Status run_sw_command(int argc, char** argv);

/// What its command line may hold.
OptionSet make_sw_options();

}  // namespace warpseq
