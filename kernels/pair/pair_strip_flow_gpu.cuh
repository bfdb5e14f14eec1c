// The inputs and outputs of a strip while a warp sweeps it, chunk by chunk. Inputs are the letters
// of the target and the border words of the strip above. Outputs are the border words for the strip
// below, row checkpoints, scores for pruning, and the number of cells that are done.
//
// Each struct holds the few variables of one concern, and is a local variable of the kernel. With
// one struct for all of them and the strip, two steps with R = 4 take 101 instructions instead of
// 98.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/pair/pair_strip_gpu.cuh"
#include "kernels/pair/pair_sweep_access_gpu.cuh"
#include "kernels/pair/pair_sweep_layout_gpu.h"

namespace warpseq::cuda {

/// The inputs of a strip: the letters of the target and the border words of the strip above. They
/// are read ahead, so that the loads are in flight while a chunk is filled. Lane t has column t of
/// a chunk.
template <typename Strip>
struct PairStripInput {
    const PairKernelArguments& arguments;
    const PairDeviceTask& task;
    std::uint16_t* const letters;
    const int lane;
    const std::uint32_t strip_index, columns, tag_bits, tag_above;
    const std::uint8_t* const target;
    const unsigned long long* const between;

    std::uint32_t next_letter = 0;  // the residue code of the lane's column in the next chunk
    PairBorderWord word{};          // the word from above; in the first strip it has the cell of row 0

    /// Clears the ring of letters, puts those of the first chunk into it, and begins to read ahead.
    __device__ __forceinline__ void begin() {
        for (int i = lane; i < kPairLetterRing; i += kWarpLanes) letters[i] = 0;
        __syncwarp();
        keep_letters(0, letter_at(static_cast<std::uint32_t>(lane)));
        next_letter = letter_at(kChunkColumns + static_cast<std::uint32_t>(lane));
        fetch(static_cast<std::uint32_t>(lane));
    }
    /// Returns the residue code of a column, or 0 behind the last one.
    __device__ __forceinline__ std::uint32_t letter_at(std::uint32_t column) const {
        return column < columns ? target[column] : 0;
    }
    /// Puts the letters of a chunk into the ring. `code` is that of this lane's column.
    __device__ __forceinline__ void keep_letters(std::uint32_t chunk, std::uint32_t code) const {
        const std::uint32_t letter = arguments.letter_of[code] * Strip::kRows;
        const std::uint32_t at = (chunk * kChunkColumns + static_cast<std::uint32_t>(lane)) % 128;
        letters[at] = static_cast<std::uint16_t>(letter);
        if (at < kPairLetterRing - 128) letters[at + 128] = static_cast<std::uint16_t>(letter);
    }
    /// Loads the word of a column. It may be one that the strip above has yet to write.
    __device__ __forceinline__ void fetch(std::uint32_t column) {
        if (column >= columns) return;
        if (strip_index > 0) {
            word = load_border_word(between + column);
        } else {
            const BorderCell cell = task.top[column + 1];
            word = {static_cast<std::uint32_t>(cell.gap), static_cast<std::uint32_t>(cell.h)};
        }
    }
    /// Whether the strip above has written this lane's word of a chunk.
    __device__ __forceinline__ bool has_word(std::uint32_t column) const {
        return strip_index == 0 || column >= columns || word.tag(tag_bits) == tag_above;
    }
    /// Returns the gap of the word: F as it enters the strip's first row.
    __device__ __forceinline__ std::int32_t gap() const {
        return strip_index == 0 ? static_cast<std::int32_t>(word.low) : word.gap(tag_bits);
    }
};

/// The outputs of a strip: the border words for the strip below, and the row checkpoint at the
/// strip's last row.
template <typename Strip>
struct PairStripOutput {
    unsigned long long* const between;
    BorderCell* const below;  // the row checkpoint, or null
    const bool last;          // whether there is no strip below
    const std::uint32_t columns, tag_bits, tag;
    const std::int32_t first;  // the cost of a gap's first residue

    /// Writes the values that lane 31 has put into `exchange`, for the chunk that it has passed.
    /// `column` is this lane's column of the chunk that was just filled.
    __device__ __forceinline__ void write(const Strip& strip, std::uint32_t chunk, std::uint32_t column) const {
        const std::uint32_t done = column - Strip::kSkew * kChunkColumns;
        if (chunk >= Strip::kSkew && done < columns) {
            const uint2 given = strip.exchange[strip.lane];
            const std::int32_t h = strip.half_raw(given.x, 0);
            // The gap of a checkpoint is at least that of a gap which opens here. F that was opened
            // from G may be lower if H is F or 0.
            const std::int32_t gap =
                max(Strip::kIsWide ? strip.half_raw(given.y, 0) : strip.half_raw(given.x, 1), h - first);
            if (!last) store_border_word(between + done, PairBorderWord::packed(h, gap, tag, tag_bits));
            if (below != nullptr) store_cell(below + done + 1, h, gap);
        }
    }
};

/// The pruning of a local sweep (kernels/pair/pair_sweep.h), for one strip.
template <typename Strip>
struct PairStripPruning {
    const PairDeviceTask& task;
    const bool enabled;
    std::int32_t reached;  // the highest known score

    /// Whether no alignment through the chunk that begins at column `begin` reaches the highest
    /// known score. `highest` is the window's highest H, `gain` the highest score of two residues.
    __device__ __forceinline__ bool is_hopeless(const Strip& strip, std::uint32_t begin, std::int32_t highest,
                                                std::int32_t gain) const {
        const std::int64_t rows_left = std::int64_t{task.rows - strip.first_row} + task.rows_beyond;
        const std::int64_t columns_left = std::int64_t{strip.columns - begin} + Strip::kSpan + 1 + task.columns_beyond;
        return highest + gain * min(rows_left, columns_left) < __shfl_sync(~0u, reached, 0);
    }
    /// Shares the highest score that the warp has found with all warps of the matrix.
    __device__ __forceinline__ void share(const Strip& strip) {
        const std::int32_t seen = __reduce_max_sync(~0u, strip.highest_raw);
        if (strip.lane == 0 && seen > reached) atomicMax(task.reached, seen);
        reached = max(task.known_raw, load_relaxed(task.reached));
    }
};

/// Returns the column checkpoint that a lane meets first, in the chunk that begins at column
/// `begin` or in a later one. Columns begin - kSpan + 1 .. begin + 32 are finished in the chunk.
/// `last` is the result for the chunk before, or 0 for the first chunk.
template <typename Strip>
__device__ __forceinline__ std::uint32_t next_checkpoint_from(std::uint32_t begin, std::uint32_t column_step,
                                                              std::uint32_t last) {
    if (begin >= Strip::kSpan && last < begin - Strip::kSpan + 1)
        return (begin - Strip::kSpan + column_step) / column_step * column_step;
    return last == 0 ? column_step : last;
}

/// Tells the host how many cells are done.
struct PairProgress {
    const PairKernelArguments& arguments;
    const std::uint32_t rows;
    const int lane;
    std::uint32_t reported = 0;  // columns

    __device__ __forceinline__ void report(std::uint32_t columns) {
        if (lane == 0) {
            const unsigned long long cells = static_cast<unsigned long long>(columns - reported) * rows;
            *arguments.host_cells = atomicAdd(arguments.cells, cells) + cells;
        }
        reported = columns;
    }
};

}  // namespace warpseq::cuda
