// `search hmm`: searches with the profile HMM engine.
#pragma once

#include "apps/search/driver/division.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "options/hmm/hmm_options.h"

namespace warpseq {

/// Searches and prints the report. An error is returned, not printed. Without a division the
/// options name it.
Status run_hmm_command(const OptionValues& values, Division* division = nullptr);

/// Runs the search with options that have been read, and writes its outputs. Progress and notes go
/// to `observer`.
Status run_hmm_search(HmmOptions options, Observer& observer, Division* division = nullptr);

}  // namespace warpseq
