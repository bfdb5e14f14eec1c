// HMMER's jackhmmer: its command line, help, messages and exit statuses, over `search jackhmmer`.
#pragma once

#include <vector>

#include "options/option_set.h"

namespace warpseq {

/// The whole program, for a link of its name and for `warpseq jackhmmer` (run_hmmer_process()).
int jackhmmer_program(int argc, char** argv);

/// For completions.
std::vector<CommandSyntax> jackhmmer_syntax();

}  // namespace warpseq
