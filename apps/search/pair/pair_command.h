// `search pair`: aligns two sequences, or many pairs of them.
#pragma once

#include "apps/search/driver/division.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Aligns the pairs and writes the report. An error is returned, not printed. `division` is this
/// process's share of the work. If it is nullptr, the options say what the share is
/// (make_division()).
Status run_pair_command(const OptionValues& values, Division* division);

}  // namespace warpseq
