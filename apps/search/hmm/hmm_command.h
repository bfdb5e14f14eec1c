// `search hmm`: the command line of the profile HMM engine.
#pragma once

#include "apps/search/driver/division.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "options/hmm/hmm_options.h"

namespace warpseq {

/// argv[0] is "hmm". Prints the report, or help; an error is returned, not printed. Without a
/// division the command line says which.
Status run_hmm_command(const OptionValues& values, Division* division = nullptr);

/// The search that options have been read for, and its outputs; progress and notes go to
/// `observer`.
Status run_hmm_search(HmmOptions options, Observer& observer, Division* division = nullptr);

}  // namespace warpseq
