// The directions of every cell of a block of a pair's matrix. A back end fills them, and
// kernels/pair/pair_trace.cpp walks back through them.
//
// Each cell has a byte that says which choices of the recurrence (kernels/pair/pair_sweep.h) give
// its values. The walk checks kZero, kDiagonal and kIsF in this order. So if one of these bits is
// set, the later ones of them may have any value.
//
//     kZero       the sweep is local, and H(i, j) = 0
//     kDiagonal   H(i, j) = H(i-1, j-1) + s
//     kIsF        H(i, j) = F(i, j); otherwise H(i, j) = E(i, j)
//     kOpensF     F(i+1, j) = H(i, j) - first, so the gap that goes on below this cell opens here
//     kOpensE     E(i, j+1) = H(i, j) - first
//
// The back end chooses the order of the bytes within the following scheme. Rows are cut into
// strips, and strips into bands of rows. Within a strip there is a fixed distance in bytes from a
// cell to the one right of it, from a row to the next one of its band, and from a band to the next
// one. This covers row order, column order, and the skewed strips of pair_skewed_kernels_simd.h,
// whose bands are the lanes of a vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/backend.h"
#include "kernels/pair/pair_trace.h"

namespace warpseq {

struct PairDirections {
    enum Bits : std::uint8_t { kZero = 1, kDiagonal = 2, kIsF = 4, kOpensF = 8, kOpensE = 16 };

    const std::uint8_t* bytes = nullptr;  // the byte of cell (1, 1)
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

/// A filler of directions for blocks. Not thread-safe. Its functions throw std::bad_alloc.
class PairDirectionFiller {
   public:
    virtual ~PairDirectionFiller() = default;
    /// Fills the directions of a task, which has at least one row and one column. The result is
    /// valid until the next call. Only the scalar filler of pair_trace.cpp heeds task.forbidden.
    virtual PairDirections fill(const TraceTask& task) = 0;
};

/// Returns the filler of a back end. `scoring.scheme` has to outlive it.
std::unique_ptr<PairDirectionFiller> make_pair_direction_filler(CpuBackend backend, const PairScoring& scoring);
/// Returns a filler that uses vectors. Returns nullptr for kReference and for a back end that this
/// processor cannot run.
std::unique_ptr<PairDirectionFiller> make_vector_pair_direction_filler(CpuBackend backend, const PairScoring& scoring);

}  // namespace warpseq
