// `blastp` as NCBI BLAST+ has it, by warpseq's engine: the same command line, the same report of hits.
#pragma once

namespace warpseq {

/// The whole program; returns the exit status.
int blastp_program(int argc, char** argv);

}  // namespace warpseq
