// `inspect COMMAND DATABASE.wsdb`: what is in a database, and whether it is sound.
#pragma once

namespace warpseq {

/// The whole program, for its main() and for `warpseq inspect`: argv[0] is not looked at. Returns
/// the exit status.
int inspect_program(int argc, char** argv);

}  // namespace warpseq
