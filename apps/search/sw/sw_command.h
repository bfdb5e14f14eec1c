// `search sw`: the command of the Smith-Waterman engine.
#pragma once

#include "apps/search/driver/division.h"
#include "libcore/base/status.h"
#include "options/option_values.h"

namespace warpseq {

/// Searches and prints the report. An error is returned, not printed. Without a division the
/// options name it.
Status run_sw_command(const OptionValues& values, Division* division = nullptr);

}  // namespace warpseq
