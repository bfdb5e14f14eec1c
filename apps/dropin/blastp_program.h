// `blastp` as NCBI BLAST+ has it, by warpseq's engine: the same command line, the same report of
// hits.
#pragma once

#include <vector>

#include "options/option_set.h"

namespace warpseq {

/// The whole program; returns the exit status.
int blastp_program(int argc, char** argv);

/// For completions.
std::vector<CommandSyntax> blastp_syntax();

}  // namespace warpseq
