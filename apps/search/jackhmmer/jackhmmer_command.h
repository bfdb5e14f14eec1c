// `search jackhmmer`: searches with the profile HMM engine in rounds.
#pragma once

#include "apps/search/driver/division.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "options/jackhmmer/jackhmmer_options.h"

namespace warpseq {

/// Searches and writes the report. An error is returned, not printed. A division is a usage error,
/// because rounds are not divided.
Status run_jackhmmer_command(const OptionValues& values, Division* division = nullptr);

/// Does the same with options that have been read. Progress and notes go to `observer`.
Status run_jackhmmer_search(JackhmmerOptions options, Observer& observer);

}  // namespace warpseq
