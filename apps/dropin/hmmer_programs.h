// The drop-in programs hmmsearch and phmmer of HMMER: their command lines, help, messages and exit
// statuses. They run `search hmm`.
#pragma once

#include <vector>

#include "options/option_set.h"

namespace warpseq {

/// Runs the whole program, for a link of its name and for `warpseq NAME`. Usage errors go to
/// standard output, and other errors to standard error. Both have exit status 1, as in HMMER.
/// Returns the exit status or ends the process (end_of_search()).
int hmmsearch_program(int argc, char** argv);
int phmmer_program(int argc, char** argv);

/// Returns the command line's syntax, for completions.
std::vector<CommandSyntax> hmmsearch_syntax();
std::vector<CommandSyntax> phmmer_syntax();

}  // namespace warpseq
