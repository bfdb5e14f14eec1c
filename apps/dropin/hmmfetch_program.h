// HMMER's hmmfetch: profiles out of a file by name or accession, and an index of them.
#pragma once

#include <vector>

#include "options/option_set.h"

namespace warpseq {

int hmmfetch_program(int argc, char** argv);
std::vector<CommandSyntax> hmmfetch_syntax();

}  // namespace warpseq
