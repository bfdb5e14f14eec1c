// `search hmm`: the command line of the profile HMM engine.
#pragma once

#include "apps/search/hmm/hmm_options.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"

namespace warpseq {

/// argv[0] is "hmm". Prints the report, or help; an error is returned, not printed.
Status run_hmm_command(int argc, char** argv);

/// The search that options have been read for, and its outputs; progress and notes go to `observer`.
Status run_hmm_search(HmmOptions options, Observer& observer);

}  // namespace warpseq
