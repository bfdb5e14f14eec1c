// The rows of blastdbcmd's options.
#pragma once

#include "options/blast_options.h"

namespace warpseq {

/// Returns the grammar of blastdbcmd's command line.
const BlastProgram& blastdbcmd_grammar();

}  // namespace warpseq
