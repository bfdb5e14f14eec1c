// The drop-in program hmmbuild of HMMER 3.3.2, for proteins: takes its command line and runs
// `search hmmbuild`.
#pragma once

#include <vector>

#include "options/option_set.h"

namespace warpseq {

/// Runs the whole program (run_hmmer_process()) and returns the exit status.
int hmmbuild_program(int argc, char** argv);
/// Returns the command line's syntax, for completions.
std::vector<CommandSyntax> hmmbuild_syntax();

}  // namespace warpseq
