// `makeblastdb` as NCBI BLAST+ has it: makes NAME.wsdb, and NAME.pin and the like as markers of it.
#pragma once

#include <vector>

#include "apps/common/option_set.h"

namespace warpseq {

/// The whole program; returns the exit status.
int makeblastdb_program(int argc, char** argv);

/// For completions.
std::vector<CommandSyntax> makeblastdb_syntax();

}  // namespace warpseq
