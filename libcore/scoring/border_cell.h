// A cell of a row or column of the matrix of two sequences: all that the cells beyond it need to
// know of those before it.
//
// A row checkpoint at i holds, for j = 0 .. n, the scores after i query and j target residues; a
// column checkpoint at j holds them for i = 0 .. m. Row 0 and column 0, which a matrix begins with,
// have such cells, too.
#pragma once

#include <cstdint>

namespace warpseq {

struct BorderCell {
    std::int32_t h;    // H(i, j), raw score
    std::int32_t gap;  // in a row F(i + 1, j), in a column E(i, j + 1): the gap as it enters the next row or column
    bool operator==(const BorderCell&) const = default;
};
static_assert(sizeof(BorderCell) == 8);

}  // namespace warpseq
