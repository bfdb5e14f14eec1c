// A cell on the border of a part of the dynamic programming matrix of two sequences. The cells on
// the border hold all values from which the cells behind it are computed.
//
// A row checkpoint at i holds, for j = 0 .. n, the scores after i query and j target residues. A
// column checkpoint at j holds them for i = 0 .. m. Row 0 and column 0 of the matrix also have such
// cells.
#pragma once

#include <cstdint>

namespace warpseq {

struct BorderCell {
    std::int32_t h;    // H(i, j), raw score
    std::int32_t gap;  // the gap as it enters the next row, F(i + 1, j), or the next column, E(i, j + 1)
    bool operator==(const BorderCell&) const = default;
};
static_assert(sizeof(BorderCell) == 8);

}  // namespace warpseq
