// `search jackhmmer`: the profile HMM engine in rounds.
#pragma once

#include "apps/search/driver/division.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "options/jackhmmer/jackhmmer_options.h"

namespace warpseq {

/// argv[0] is "jackhmmer". Prints the report, or help; an error is returned, not printed. A
/// division into several processes is an error: rounds are not divided.
Status run_jackhmmer_command(const OptionValues& values, Division* division = nullptr);

/// The search that options have been read for, and its outputs; progress and notes go to
/// `observer`.
Status run_jackhmmer_search(JackhmmerOptions options, Observer& observer);

}  // namespace warpseq
