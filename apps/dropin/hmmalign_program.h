// The drop-in program hmmalign of HMMER: takes its command line and runs `search hmmalign`.
#pragma once

#include <vector>

#include "options/option_set.h"

namespace warpseq {

int hmmalign_program(int argc, char** argv);
std::vector<CommandSyntax> hmmalign_syntax();

}  // namespace warpseq
