// The rows of makeblastdb's options.
#pragma once

#include "options/blast_options.h"

namespace warpseq {

/// Returns makeblastdb's command line.
const BlastProgram& makeblastdb_grammar();

}  // namespace warpseq
