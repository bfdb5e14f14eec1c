// blastp's command line: the table of its options.
#pragma once

#include "apps/dropin/blast_command_line.h"

namespace warpseq {

const BlastProgram& blastp_grammar();

}  // namespace warpseq
