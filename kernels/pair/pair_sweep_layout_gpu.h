// Structures that the host shares with the kernel of kernels/pair/pair_sweep_kernel_gpu.cuh: the
// description of a matrix, the kernel's arguments, the shared memory of a block, and the words of
// the border between two strips.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/gpu/host_device.h"
#include "kernels/pair/pair_sweep_plan_gpu.h"
#include "libcore/scoring/border_cell.h"

namespace warpseq::cuda {

/// A matrix to fill, as the kernel sees it. All pointers are to memory of the GPU unless said
/// otherwise.
struct PairDeviceTask {
    const std::uint8_t* query;       // m codes
    const std::uint8_t* target;      // n codes
    const BorderCell* top;           // n + 1
    BorderCell* left;                // m + 1
    unsigned long long* between;     // n words: the border between two strips; zero at the start
    BorderCell* row_checkpoints;     // n + 1 cells each
    BorderCell* column_checkpoints;  // m + 1 cells each
    std::int32_t* maxima;            // row blocks x column blocks
    std::int32_t* reached;           // the highest score found in the matrix so far; zero at the start
    std::uint32_t* done;             // strips whose checkpoints are written; zero at the start
    std::uint32_t rows, columns, strips;
    std::uint32_t row_step, column_step, row_blocks, column_blocks;
    std::uint32_t rows_beyond, columns_beyond;
    std::int32_t known_raw;  // a score that is reached; for pruning
    std::uint32_t prune;
    std::uint32_t strip;  // the strip that the warp fills
    // The members below are for a band of a wider matrix, whose neighbours are on other GPUs. They
    // are null if there is no neighbour. The cells are in host memory, together with a word for
    // each strip. The word is 0 at the start. When the strip's cells have been written, it becomes
    // 1 plus a score that is known to be reached.
    const BorderCell* given_left;  // the cells of `left`, from which each strip copies its part
    const std::uint32_t* left_ready;
    std::uint32_t* left_seen;  // strips whose words a warp has seen set; zero at the start
    BorderCell* right;         // for the next band: its `given_left`
    std::uint32_t* right_ready;
};

/// A strip to fill: the work of a warp between two tickets.
struct PairUnit {
    std::uint32_t task, strip;
};

struct PairKernelArguments {
    const PairDeviceTask* tasks;
    const PairUnit* units;
    std::uint32_t unit_count;
    std::uint32_t* ticket;                      // zero at the start
    const std::uint32_t* stop;                  // not zero: all warps leave
    unsigned long long* cells;                  // done so far
    volatile unsigned long long* host_cells;    // the same, where the host sees it
    volatile std::uint32_t* host_strips;        // `done`, where the host sees it; null unless a launch has one task
    const std::int8_t* scores;                  // letter * kResidueTableSize + code of the query
    std::uint8_t letter_of[kResidueTableSize];  // by residue code of the target
    std::uint32_t letters;
    std::uint32_t warms_up;  // not 0: warps begin with a warm-up, as matrices have many strips
    std::uint32_t tag_bits;  // PairBorderWord
    std::uint32_t one;  // 1, but not a constant: else the compiler makes multiply-adds additions, on the busier pipe
    std::int32_t first, extend, highest;
    PairRange range;
};

/// Warps of a block, one for each scheduler of a multiprocessor. They are independent of each
/// other.
inline constexpr int kPairBlockWarps = 4;

inline constexpr int kPairLetterRing = 192;  // 128 columns' letters, and the first 64 of them again

/// The shared memory of a warp behind its profile.
struct PairWarpMemory {
    struct alignas(8) Exchange {
        std::uint32_t x, y;
    };
    /// One entry for each column of a chunk, and a spare one. An entry has lane 0's input from the
    /// strip above, and later lane 31's output for the strip below.
    Exchange exchange[kWarpLanes + 1];
    PairDeviceTask task;  // the matrix of the warp's unit
    /// The row of the profile for each of the last columns, as an offset in bytes. The letter of
    /// column i is at i % 128. The first 64 entries are also at 128 + i % 128, so that 32 steps in
    /// a row need no modulus.
    std::uint16_t letters[kPairLetterRing];
};
static_assert(sizeof(PairDeviceTask) % 8 == 0 && sizeof(PairDeviceTask) / 8 <= kWarpLanes);  // a lane copies 8 bytes

/// The dynamic shared memory of a block. Each warp has a part of its own.
///
///     part of warp 0                                     | part of warp 1  ...
///     profile: letters x strip_rows score bytes | memory |
///
/// The profile has a row for each letter of the target. A row has the scores of the strip's query
/// residues against the letter: first those of all lanes' low halves, R bytes a lane, then those of
/// all lanes' high halves. The padding behind `memory` makes a part a multiple of 16 bytes, because
/// a lane loads up to 16 score bytes at a time.
struct PairSharedLayout {
    std::uint32_t profile_bytes;

    WARPSEQ_HOST_DEVICE static constexpr PairSharedLayout of(std::uint32_t strip_rows, std::uint32_t letters) {
        return {letters * strip_rows};
    }
    /// Returns the bytes of one warp's part.
    WARPSEQ_HOST_DEVICE constexpr std::size_t warp_bytes() const {
        return (profile_bytes + sizeof(PairWarpMemory) + 15) / 16 * 16;
    }
    WARPSEQ_HOST_DEVICE constexpr std::size_t block_bytes() const { return kPairBlockWarps * warp_bytes(); }
};
// An offset of a profile's row has 16 bits, and `memory` behind the profile holds 64-bit words.
static_assert((kResidueTableSize - 1) * kPairShapes[0].strip_rows() <= 0xffff);
static_assert(kPairShapes[2].strip_rows() % alignof(PairWarpMemory) == 0);

/// A word of the border row between two strips, one for each column of the matrix.
///
///     bit 63        32 31       tag_bits         0
///        | H          | H - F      | tag         |
///
/// H - F lies between 0 and `first`. The tag tells which strip wrote the word. All warps may wait
/// for their first word at the same time, so there have to be at least as many tags as warps. There
/// are 2^tag_bits - 1 tags, from 1 on. A word of zeros was written by no strip.
struct PairBorderWord {
    std::uint32_t low, high;

    WARPSEQ_HOST_DEVICE static constexpr std::uint32_t tag_of(std::uint32_t strip, std::uint32_t tag_bits) {
        return strip % ((1u << tag_bits) - 1) + 1;
    }
    WARPSEQ_HOST_DEVICE static constexpr unsigned long long packed(std::int32_t h, std::int32_t gap, std::uint32_t tag,
                                                                   std::uint32_t tag_bits) {
        return static_cast<unsigned long long>(static_cast<std::uint32_t>(h)) << 32 |
               static_cast<std::uint32_t>(h - gap) << tag_bits | tag;
    }
    WARPSEQ_HOST_DEVICE static constexpr PairBorderWord unpacked(unsigned long long word) {
        return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
    }

    WARPSEQ_HOST_DEVICE constexpr std::int32_t h() const { return static_cast<std::int32_t>(high); }
    WARPSEQ_HOST_DEVICE constexpr std::int32_t gap(std::uint32_t tag_bits) const {
        return h() - static_cast<std::int32_t>(low >> tag_bits);
    }
    WARPSEQ_HOST_DEVICE constexpr std::uint32_t tag(std::uint32_t tag_bits) const {
        return low & ((1u << tag_bits) - 1);
    }
};

/// Returns the bits of a border word's tag. The cost of a gap's first residue has to fit the rest
/// of the low half.
inline std::uint32_t pair_tag_bits(const GapCosts& gaps) { return gaps.first() < 1 << 18 ? 14 : 11; }
static_assert(2 * kHighestGapCost < 1 << (32 - 11));
/// Returns the most warps that may run with so many bits. With costs that leave few tags, few warps
/// run.
constexpr std::uint64_t most_pair_warps(std::uint32_t tag_bits) { return (std::uint64_t{1} << tag_bits) - 2; }

}  // namespace warpseq::cuda
