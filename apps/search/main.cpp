#include "apps/search/search_program.h"

int main(int argc, char** argv) { return warpseq::search_program(argc, argv); }
