// The drop-in program hmmconvert of HMMER: writes profiles in another format.
#pragma once

#include <vector>

#include "options/option_set.h"

namespace warpseq {

/// Runs the whole program (run_hmmer_process()) and returns the exit status.
int hmmconvert_program(int argc, char** argv);
/// Returns the command line's syntax, for completions.
std::vector<CommandSyntax> hmmconvert_syntax();

}  // namespace warpseq
