// `search ENGINE ...`: compares queries with databases. Each engine is a library call; this only
// dispatches and prints.
#pragma once

#include <string>
#include <vector>

#include "apps/search/driver/division.h"
#include "libcore/base/status.h"
#include "options/option_set.h"

namespace warpseq {

/// The whole program, for its main() and for `warpseq search`: argv[0] is not looked at. Returns
/// the exit status, or ends the process (end_of_search()).
int search_program(int argc, char** argv);

/// One engine's command, argv[1], as a part of a division's work. `program` becomes what messages
/// begin with.
Status run_search_engine(int argc, char** argv, Division& division, std::string& program);

/// What the command lines of its engines may hold.
std::vector<CommandSyntax> search_syntax();

}  // namespace warpseq
