// `search hmmscan`: sequences against a file of profiles.
#pragma once

#include "apps/search/driver/division.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "options/hmm/hmm_options.h"

namespace warpseq {

/// argv[0] is "hmmscan". Prints the report, or help; an error is returned, not printed. Such a
/// search is not divided.
Status run_hmmscan_command(const OptionValues& values, Division* division = nullptr);

/// The search that options have been read for, and its outputs; progress and notes go to
/// `observer`.
Status run_hmmscan_search(HmmOptions options, Observer& observer);

}  // namespace warpseq
