// `makeblastdb` as NCBI BLAST+ has it: makes the files of a BLAST database, and NAME.wsdb beside
// them.
#pragma once

#include <vector>

#include "options/option_set.h"

namespace warpseq {

/// The whole program; returns the exit status.
int makeblastdb_program(int argc, char** argv);

/// For completions.
std::vector<CommandSyntax> makeblastdb_syntax();

}  // namespace warpseq
