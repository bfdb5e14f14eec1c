// The drop-in program hmmalign of HMMER: takes its command line and runs `search hmmalign`.
#pragma once

#include <vector>

#include "options/option_set.h"

namespace warpseq {

/// Runs the whole program (run_hmmer_process()) and returns the exit status.
int hmmalign_program(int argc, char** argv);
/// Returns the command line's syntax, for completions.
std::vector<CommandSyntax> hmmalign_syntax();

}  // namespace warpseq
