#include "apps/dbconv/dbconv_program.h"

int main(int argc, char** argv) { return warpseq::dbconv_program(argc, argv); }
