// The drop-in program `makeblastdb` of NCBI BLAST+: makes the files of a BLAST database, and
// NAME.wsdb beside them.
#pragma once

#include <vector>

#include "options/option_set.h"

namespace warpseq {

/// Runs the whole program and returns the exit status.
int makeblastdb_program(int argc, char** argv);

/// Returns the command line's syntax, for completions.
std::vector<CommandSyntax> makeblastdb_syntax();

}  // namespace warpseq
