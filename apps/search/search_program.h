// `search ENGINE ...`: compares queries with databases. Each engine is a library call; this file
// only selects the engine and prints.
#pragma once

#include <string>
#include <vector>

#include "apps/search/driver/division.h"
#include "libcore/base/status.h"
#include "options/option_set.h"

namespace warpseq {

/// Runs the whole program, for its main() and for `warpseq search`; argv[0] is ignored. Returns the
/// exit status, or ends the process (end_of_search()).
int search_program(int argc, char** argv);

/// Runs the command of one engine, argv[1], as one of the processes of `division`. Sets `program`
/// to the name that messages begin with.
Status run_search_engine(int argc, char** argv, Division& division, std::string& program);

/// Returns the options of each engine's command line, and of merge's.
std::vector<CommandSyntax> search_syntax();

}  // namespace warpseq
