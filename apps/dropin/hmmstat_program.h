// The drop-in program hmmstat of HMMER: prints figures of profiles.
#pragma once

#include <vector>

#include "options/option_set.h"

namespace warpseq {

/// Runs the whole program (run_hmmer_process()) and returns the exit status.
int hmmstat_program(int argc, char** argv);
/// Returns the command line's syntax, for completions.
std::vector<CommandSyntax> hmmstat_syntax();

}  // namespace warpseq
