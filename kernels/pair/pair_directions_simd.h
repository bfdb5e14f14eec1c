// The directions of every cell of a block of a pair's matrix. A back end fills them, and
// kernels/pair/pair_trace.cpp walks back through them.
//
// One byte per cell says which of the recurrence's choices give its values
// (kernels/pair/pair_sweep.h). The walk asks for kZero, kDiagonal and kIsF in this order, so a bit
// does not matter where an earlier one is set.
//
//     kZero       the sweep is local, and H(i, j) = 0
//     kDiagonal   H(i, j) = H(i-1, j-1) + s
//     kIsF        H(i, j) = F(i, j); otherwise H(i, j) = E(i, j)
//     kOpensF     F(i+1, j) = H(i, j) - first, so the gap that goes on below this cell opens here
//     kOpensE     E(i, j+1) = H(i, j) - first
//
// The back end chooses where the bytes lie, within this layout. Rows are cut into strips, and
// strips into bands of rows. Within a strip, three steps are fixed numbers of bytes: a step to the
// right, from a row to the next one of its band, and from a band to the next one. This layout has
// room for rows, columns, and skewed strips of a vector's lanes with one band per lane
// (kernels/pair/pair_sweep_kernels_simd.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/backend.h"
#include "kernels/pair/pair_trace.h"

namespace warpseq {

struct PairDirections {
    enum Bits : std::uint8_t { kZero = 1, kDiagonal = 2, kIsF = 4, kOpensF = 8, kOpensE = 16 };

    const std::uint8_t* bytes = nullptr;  // of cell (1, 1)
    unsigned strip_rows_log2 = 0;
    unsigned band_rows_log2 = 0;
    std::size_t strip_bytes = 0;   // from a strip to the next one
    std::size_t band_bytes = 0;    // from a band to the next one of the strip
    std::size_t row_bytes = 0;     // from a row to the next one of the band
    std::size_t column_bytes = 0;  // from a cell to the one right of it

    /// Returns the byte of cell (i, j). Cells are counted from 1, as in the recurrence.
    std::uint8_t at(std::size_t i, std::size_t j) const {
        const std::size_t row = i - 1, strip = row >> strip_rows_log2, strip_row = row - (strip << strip_rows_log2);
        const std::size_t band = strip_row >> band_rows_log2, band_row = strip_row - (band << band_rows_log2);
        return bytes[strip * strip_bytes + band * band_bytes + band_row * row_bytes + (j - 1) * column_bytes];
    }
};

/// Fills the directions of blocks. Not thread-safe. The directions stay valid until the next fill.
/// Throws std::bad_alloc.
class PairDirectionFiller {
   public:
    virtual ~PairDirectionFiller() = default;
    /// Fills the directions of a task, which has at least one row and one column. Only the plain
    /// filler of pair_trace.cpp heeds forbidden pairs.
    virtual PairDirections fill(const TraceTask& task) = 0;
};

/// Returns the filler of a back end. `scoring.scheme` outlives it.
std::unique_ptr<PairDirectionFiller> make_pair_direction_filler(CpuBackend backend, const PairScoring& scoring);
/// Returns a filler that uses vectors. Returns nullptr for kReference and for a back end that this
/// processor cannot run.
std::unique_ptr<PairDirectionFiller> make_vector_pair_direction_filler(CpuBackend backend, const PairScoring& scoring);

}  // namespace warpseq
