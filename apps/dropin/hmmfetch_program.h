// The drop-in program hmmfetch of HMMER: gets profiles out of a file by name or accession, and
// makes an index of the file.
#pragma once

#include <vector>

#include "options/option_set.h"

namespace warpseq {

/// Runs the whole program (run_hmmer_process()) and returns the exit status.
int hmmfetch_program(int argc, char** argv);
/// Returns the command line's syntax, for completions.
std::vector<CommandSyntax> hmmfetch_syntax();

}  // namespace warpseq
