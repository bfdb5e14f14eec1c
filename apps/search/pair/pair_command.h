// `search pair`: aligns two sequences, or many pairs of them.
#pragma once

#include "apps/search/driver/division.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Aligns the pairs and writes the report. Without a division the options name it.
Status run_pair_command(const OptionValues& values, Division* division);

}  // namespace warpseq
