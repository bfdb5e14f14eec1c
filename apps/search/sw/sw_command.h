// `search sw`: the command line of the Smith-Waterman engine.
#pragma once

#include "apps/common/option_set.h"
#include "apps/search/division.h"
#include "libcore/base/status.h"

namespace warpseq {

/// argv[0] is "sw". Prints the report, or help; an error is returned, not printed. Without a
/// division the command line says which.
Status run_sw_command(int argc, char** argv, Division* division = nullptr);

/// What its command line may hold.
OptionSet make_sw_options();

}  // namespace warpseq
