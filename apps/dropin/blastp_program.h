// The drop-in program `blastp` of NCBI BLAST+: takes the same command line and prints the same
// report of hits, with warpseq's engine.
#pragma once

#include <vector>

#include "options/option_set.h"

namespace warpseq {

/// Runs the whole program and returns the exit status.
int blastp_program(int argc, char** argv);

/// Returns the command line's syntax, for completions.
std::vector<CommandSyntax> blastp_syntax();

}  // namespace warpseq
