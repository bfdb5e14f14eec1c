// HMMER's hmmscan and hmmpress: their command lines over `search hmmscan` and `search hmmpress`.
#pragma once

#include <vector>

#include "options/option_set.h"

namespace warpseq {

int hmmscan_program(int argc, char** argv);
std::vector<CommandSyntax> hmmscan_syntax();

int hmmpress_program(int argc, char** argv);
std::vector<CommandSyntax> hmmpress_syntax();

}  // namespace warpseq
