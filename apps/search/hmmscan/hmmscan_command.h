// `search hmmscan`: compares sequences with a file of profiles.
#pragma once

#include "apps/search/driver/division.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "options/hmm/hmm_options.h"

namespace warpseq {

/// Searches and writes the report. An error is returned, not printed. A division is a usage error,
/// because the search is not divided.
Status run_hmmscan_command(const OptionValues& values, Division* division = nullptr);

/// Does the same with options that have been read. Progress and notes go to `observer`.
Status run_hmmscan_search(HmmOptions options, Observer& observer);

}  // namespace warpseq
