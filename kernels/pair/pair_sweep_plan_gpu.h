// The decisions of the GPU's pair sweeper that are made on the host: the shape of its kernel for a
// matrix, and the numbers that keep 16-bit cells exact.
//
// Narrow arithmetic holds H, E and F as 16-bit numbers relative to a base that a warp moves along.
// A window is the cells that a warp has in its registers at a time, rows x columns of them. In a
// window no H lies more than
//
//     drop = (rows + columns) * (highest score + extend) + 4 * open
//
// below the highest H there. Going down or right costs a gap at most. Going up or left undoes what
// that many residues can gain, and opens a gap each way at most. So a base that is right for the
// window's highest H is right for all of the window. A value that would fall below the range may be
// raised to its lower end without becoming higher than the true score; only pruning makes this
// happen. All of it needs row 0 and column 0 to keep the rule of lines (kernels/pair/pair_sweep.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kernels/gpu/host_device.h"
#include "kernels/pair/pair_sweep.h"

namespace warpseq::cuda {

inline constexpr int kWarpLanes = 32;
inline constexpr std::uint32_t kChunkColumns = 32;  // columns between two looks at the neighbouring strip

/// The layout of the kernel. A warp takes a strip of 32 lanes x halves x rows_per_half rows.
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
    std::uint32_t least_top, most_top;  // where the window's highest H has to be before a chunk of columns is filled
};

/// Returns the limits for a shape, or nothing where 16 bits are too few for it.
std::optional<PairRange> pair_range(const PairShape& shape, const ScoringScheme& scheme);

/// Returns the shape that fills a matrix of rows x columns soonest, alone on a GPU of this many
/// multiprocessors.
PairShape choose_pair_shape(std::uint64_t rows, std::uint64_t columns, const ScoringScheme& scheme,
                            int multiprocessors);

/// Returns the shape for one of `tasks` matrices that are filled side by side.
PairShape choose_batch_shape(std::uint64_t rows, std::uint64_t columns, const ScoringScheme& scheme,
                             int multiprocessors, std::uint64_t tasks);

/// Returns the device memory that a sweep needs besides its grid, for one matrix, in bytes.
std::uint64_t pair_work_bytes(std::uint64_t rows, std::uint64_t columns);
/// Bytes of a GPU's memory that the sweeper leaves alone, for the driver and for kernels' code.
inline constexpr std::uint64_t kReserveBytes = std::uint64_t{256} << 20;

/// The letters of a target, as a kernel's profiles count them. These are the letters that occur,
/// numbered without gaps.
struct PairLetters {
    std::uint32_t count = 0;
    std::uint8_t index[kResidueTableSize] = {};  // of each code that occurs

    void add(std::span<const ResidueCode> residues);  // called before finish()
    void add(const PairLetters& others);              // which are not finished
    void finish();
    bool occurs(int code) const { return occurs_[code]; }

   private:
    bool occurs_[kResidueTableSize] = {};
};

}  // namespace warpseq::cuda
