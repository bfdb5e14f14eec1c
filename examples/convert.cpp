// convert IN.fasta OUT.wsdb: makes a database of protein sequences.
#include <cstdio>

#include "formats/wsdb/convert_fasta.h"

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    warpseq::Observer nobody;  // or a class of your own that shows progress
    const auto report = warpseq::convert_fasta({.inputs = {argv[1]}, .output = argv[2], .replace = true}, nobody);
    if (!report.ok()) {
        std::fprintf(stderr, "%s\n", report.status().message().c_str());
        return 1;
    }
    std::printf("%llu sequences, %llu residues\n", static_cast<unsigned long long>(report->summary.sequences),
                static_cast<unsigned long long>(report->summary.residues));
}
