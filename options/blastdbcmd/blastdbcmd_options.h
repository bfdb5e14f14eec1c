// The rows of blastdbcmd's options.
#pragma once

#include "options/blast_options.h"

namespace warpseq {

/// Returns blastdbcmd's command line.
const BlastProgram& blastdbcmd_grammar();

}  // namespace warpseq
