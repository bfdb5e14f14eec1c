// HMMER's hmmsearch and phmmer: their command lines, help, messages and exit statuses, over `search
// hmm`.
#pragma once

#include <vector>

#include "options/option_set.h"

namespace warpseq {

/// The whole program, for a link of its name and for `warpseq NAME`. Usage errors go to standard
/// output, other errors to standard error, both with exit status 1, as HMMER's do. Returns the exit
/// status or ends the process (end_of_search()).
int hmmsearch_program(int argc, char** argv);
int phmmer_program(int argc, char** argv);

/// For completions.
std::vector<CommandSyntax> hmmsearch_syntax();
std::vector<CommandSyntax> phmmer_syntax();

}  // namespace warpseq
