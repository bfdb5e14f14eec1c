// The drop-in program `blastdbcmd` of NCBI BLAST+: prints sequences of databases, and lists
// databases.
#pragma once

#include <vector>

#include "options/option_set.h"

namespace warpseq {

/// Runs the whole program and returns the exit status.
int blastdbcmd_program(int argc, char** argv);

/// Returns the command line's syntax, for completions.
std::vector<CommandSyntax> blastdbcmd_syntax();

}  // namespace warpseq
