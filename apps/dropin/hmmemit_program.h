// The drop-in program hmmemit of HMMER: emits sequences from profiles, which are samples or the
// consensus.
#pragma once

#include <vector>

#include "options/option_set.h"

namespace warpseq {

/// Runs the whole program (run_hmmer_process()) and returns the exit status.
int hmmemit_program(int argc, char** argv);
/// Returns the command line's syntax, for completions.
std::vector<CommandSyntax> hmmemit_syntax();

}  // namespace warpseq
