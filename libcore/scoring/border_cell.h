// A cell of a line through the matrix of two sequences: all that the cells beyond the line need to know of those before it.
//
// Lines lie between residues. The row line at i has i query residues before it and holds, for j = 0 .. n, the scores after i
// query and j target residues; the column line at j holds them for i = 0 .. m.
#pragma once

#include <cstdint>

namespace warpseq {

struct BorderCell {
    std::int32_t h;    // H(i, j), raw score
    std::int32_t gap;  // of a row line F(i + 1, j), of a column line E(i, j + 1): the gap as it enters what lies beyond
    bool operator==(const BorderCell&) const = default;
};
static_assert(sizeof(BorderCell) == 8);

}  // namespace warpseq
