// The rows of makeblastdb's options.
#pragma once

#include "options/blast_options.h"

namespace warpseq {

/// Returns the grammar of makeblastdb's command line.
const BlastProgram& makeblastdb_grammar();

}  // namespace warpseq
