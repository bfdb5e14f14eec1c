// `search sw`: the command of the Smith-Waterman engine.
#pragma once

#include "apps/search/driver/division.h"
#include "libcore/base/status.h"
#include "options/option_values.h"

namespace warpseq {

/// Searches and writes the report. An error is returned, not printed. `division` is this process's
/// share of the search. If it is nullptr, the options say what the share is (make_division()).
Status run_sw_command(const OptionValues& values, Division* division = nullptr);

}  // namespace warpseq
