// The drop-in programs hmmscan and hmmpress of HMMER: take their command lines and run `search
// hmmscan` and `search hmmpress`.
#pragma once

#include <vector>

#include "options/option_set.h"

namespace warpseq {

int hmmscan_program(int argc, char** argv);
std::vector<CommandSyntax> hmmscan_syntax();

int hmmpress_program(int argc, char** argv);
std::vector<CommandSyntax> hmmpress_syntax();

}  // namespace warpseq
