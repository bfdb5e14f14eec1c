// `search pair`: the best alignment of two sequences, or of many pairs of them.
#pragma once

#include "apps/search/driver/division.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Parses the command line, aligns and writes the report. argv[0] is the engine's name. Without a
/// division the options say which.
Status run_pair_command(const OptionValues& values, Division* division);

}  // namespace warpseq
