// `search jackhmmer`: the profile HMM engine in rounds.
#pragma once

#include "apps/search/division.h"
#include "apps/search/jackhmmer/jackhmmer_options.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"

namespace warpseq {

/// argv[0] is "jackhmmer". Prints the report, or help; an error is returned, not printed. A
/// division into several processes is an error: rounds are not divided.
Status run_jackhmmer_command(int argc, char** argv, Division* division = nullptr);

/// The search that options have been read for, and its outputs; progress and notes go to
/// `observer`.
Status run_jackhmmer_search(JackhmmerOptions options, Observer& observer);

}  // namespace warpseq
