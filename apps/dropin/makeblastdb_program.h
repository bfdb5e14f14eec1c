// `makeblastdb` as NCBI BLAST+ has it: makes NAME.wsdb, and NAME.pin and the like as markers of it.
#pragma once

namespace warpseq {

/// The whole program; returns the exit status.
int makeblastdb_program(int argc, char** argv);

}  // namespace warpseq
