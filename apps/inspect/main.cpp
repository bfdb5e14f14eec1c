#include "apps/inspect/inspect_program.h"

int main(int argc, char** argv) { return warpseq::inspect_program(argc, argv); }
