// The rows of blastp's options, in warpseq's dialect and in BLAST+'s.
#pragma once

#include "options/blast_options.h"

namespace warpseq {

/// Returns the grammar of blastp's command line. `search blastp` has the same rows.
const BlastProgram& blastp_grammar();

}  // namespace warpseq
