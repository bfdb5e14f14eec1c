// `dbconv IN.fasta [MORE ...] -o OUT.wsdb`: makes a database of protein sequences.
#pragma once

namespace warpseq {

/// Runs the whole program, for its main() and for `warpseq dbconv`; argv[0] is ignored. Returns the
/// exit status.
int dbconv_program(int argc, char** argv);

}  // namespace warpseq
