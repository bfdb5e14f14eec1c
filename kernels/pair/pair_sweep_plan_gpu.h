// Decisions for the GPU's pair sweeper that are made on the host: the shape of its kernel for a
// matrix, and the limits that keep 16-bit cells exact.
//
// Narrow arithmetic holds H, E and F as 16-bit numbers relative to a base that a warp moves along.
// A window is the cells that a warp has in its registers at a time, rows x columns of them. In a
// window no H lies more than
//
//     drop = (rows + columns) * (highest score + extend) + 4 * open
//
// below the highest H there. This follows from the rule of lines (LineSteps in
// kernels/pair/pair_sweep.h), which row 0 and column 0 have to keep. From a cell to one below or
// right of it, H falls by at most the cost of a gap. From a cell to one above or left of it, H
// falls by at most what that many residues can gain, plus the cost of opening a gap in each
// direction. So a base that suits the highest H of the window suits the whole window. With pruning,
// a value may fall below the range. It is then raised to the lower end of the range, which is not
// above the true score.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kernels/pair/pair_sweep.h"

namespace warpseq::cuda {

inline constexpr int kWarpLanes = 32;
inline constexpr std::uint32_t kChunkColumns = 32;  // columns between two checks of the neighbouring strip's progress

/// The layout of the kernel. A warp takes a strip of 32 lanes x halves x rows_per_half rows.
/// `halves` is the number of cells in a register.
struct PairShape {
    int rows_per_half;
    bool wide;  // whether a register has one 32-bit cell, not two 16-bit ones
    bool operator==(const PairShape&) const = default;
    constexpr std::uint32_t strip_rows() const {
        return static_cast<std::uint32_t>(kWarpLanes * rows_per_half * (wide ? 1 : 2));
    }
};

inline constexpr PairShape kPairShapes[] = {{16, false}, {8, false}, {4, false}, {8, true}};  // tallest first
inline constexpr PairShape kWidePairShape = {8, true};

/// Limits of 16-bit numbers relative to a warp's base.
struct PairRange {
    std::uint32_t lowest_gap;  // E and F
    std::uint32_t lowest_h;
    std::uint32_t least_top, most_top;  // bounds of the window's highest H before a chunk of columns is filled
};

/// Returns the limits for a shape, or nothing if 16 bits do not suffice.
std::optional<PairRange> pair_range(const PairShape& shape, const ScoringScheme& scheme);

/// Returns the shape that fills a matrix of rows x columns in the least time, if it has a GPU with
/// this many multiprocessors to itself.
PairShape choose_pair_shape(std::uint64_t rows, std::uint64_t columns, const ScoringScheme& scheme,
                            int multiprocessors);

/// Returns the shape for one of `tasks` matrices that are filled side by side.
PairShape choose_batch_shape(std::uint64_t rows, std::uint64_t columns, const ScoringScheme& scheme,
                             int multiprocessors, std::uint64_t tasks);

/// Returns the bytes of device memory that a sweep of one matrix needs besides its grid.
std::uint64_t pair_work_bytes(std::uint64_t rows, std::uint64_t columns);
/// Bytes of a GPU's memory that the sweeper does not allocate. They are for the driver and for the
/// code of kernels.
inline constexpr std::uint64_t kReserveBytes = std::uint64_t{256} << 20;

/// The letters that occur in a target, numbered without gaps. The kernel's profiles have a row for
/// each of them.
struct PairLetterNumbers {
    std::uint32_t count = 0;
    std::uint8_t index[kResidueTableSize] = {};  // the number of each code that occurs

    void add(std::span<const ResidueCode> residues);  // called before finish()
    void add(const PairLetterNumbers& others);        // before finish() of both
    void finish();
    bool occurs(int code) const { return occurs_[code]; }

   private:
    bool occurs_[kResidueTableSize] = {};
};

}  // namespace warpseq::cuda
