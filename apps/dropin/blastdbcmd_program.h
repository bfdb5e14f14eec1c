// `blastdbcmd` as NCBI BLAST+ has it: sequences out of databases, and what databases there are.
#pragma once

#include <vector>

#include "options/option_set.h"

namespace warpseq {

/// The whole program; returns the exit status.
int blastdbcmd_program(int argc, char** argv);

/// For completions.
std::vector<CommandSyntax> blastdbcmd_syntax();

}  // namespace warpseq
