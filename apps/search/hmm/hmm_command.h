// `search hmm`: the command line of the profile HMM engine.
#pragma once

#include "libcore/base/status.h"

namespace warpseq {

/// argv[0] is "hmm". Prints the report, or help; an error is returned, not printed.
Status run_hmm_command(int argc, char** argv);

}  // namespace warpseq
