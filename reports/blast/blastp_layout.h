// How much a blastp report in format 0 shows.
#pragma once

#include <cstdint>

namespace warpseq {

struct BlastpLayout {
    std::uint64_t descriptions = 500;  // lines of the table of hits
    std::uint64_t alignments = 250;    // sequences with alignments
    std::uint64_t line_length = 60;    // columns of an alignment in a line
};

}  // namespace warpseq
