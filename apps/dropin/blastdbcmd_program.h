// `blastdbcmd` as NCBI BLAST+ has it: sequences out of databases, and what databases there are.
#pragma once

namespace warpseq {

/// The whole program; returns the exit status.
int blastdbcmd_program(int argc, char** argv);

}  // namespace warpseq
