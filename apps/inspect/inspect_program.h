// `inspect COMMAND DATABASE.wsdb`: shows what a database holds and whether it is sound.
#pragma once

namespace warpseq {

/// Runs the whole program, for its main() and for `warpseq inspect`; argv[0] is ignored. Returns
/// the exit status.
int inspect_program(int argc, char** argv);

}  // namespace warpseq
