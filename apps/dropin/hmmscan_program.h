// The drop-in programs hmmscan and hmmpress of HMMER: take their command lines and run `search
// hmmscan` and `search hmmpress`.
#pragma once

#include <vector>

#include "options/option_set.h"

namespace warpseq {

/// Runs the whole program (run_hmmer_process()) and returns the exit status.
int hmmscan_program(int argc, char** argv);
/// Returns the command line's syntax, for completions.
std::vector<CommandSyntax> hmmscan_syntax();

/// The same for hmmpress.
int hmmpress_program(int argc, char** argv);
std::vector<CommandSyntax> hmmpress_syntax();

}  // namespace warpseq
