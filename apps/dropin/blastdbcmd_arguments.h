// blastdbcmd's command line: the table of its options.
#pragma once

#include "apps/dropin/blast_command_line.h"

namespace warpseq {

const BlastProgram& blastdbcmd_grammar();

}  // namespace warpseq
