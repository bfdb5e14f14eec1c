// The rows of blastp's options, in warpseq's dialect and in BLAST+'s.
#pragma once

#include "options/blast_options.h"

namespace warpseq {

/// Returns blastp's command line; its rows are those of `search blastp`, too.
const BlastProgram& blastp_grammar();

}  // namespace warpseq
