// The drop-in program jackhmmer of HMMER: its command line, help, messages and exit statuses. It
// runs `search jackhmmer`.
#pragma once

#include <vector>

#include "options/option_set.h"

namespace warpseq {

/// Runs the whole program, for a link of its name and for `warpseq jackhmmer`
/// (run_hmmer_process()).
int jackhmmer_program(int argc, char** argv);

/// Returns the command line's syntax, for completions.
std::vector<CommandSyntax> jackhmmer_syntax();

}  // namespace warpseq
