// `search sw`: the command line of the Smith-Waterman engine.
#pragma once

#include "libcore/base/status.h"

namespace warpseq {

/// argv[0] is "sw". Prints the report, or help; an error is returned, not printed.
Status run_sw_command(int argc, char** argv);

}  // namespace warpseq
