// Steps of a warp before and after it sweeps a strip. Before, it takes over the cells of the band
// on the left, finds the row checkpoint below the strip, and writes the corners of checkpoints.
// Afterwards it hands cells to the band on the right, and tells the host that the strip is done.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/pair/pair_sweep_access_gpu.cuh"
#include "kernels/pair/pair_sweep_layout_gpu.h"

namespace warpseq::cuda {

/// Returns the row checkpoint at a strip's last row, or null if there is none.
__device__ __forceinline__ BorderCell* row_checkpoint_below(const PairDeviceTask& task, std::uint32_t strip,
                                                            std::uint32_t strip_rows) {
    const std::uint64_t end = (std::uint64_t{strip} + 1) * strip_rows;
    if (end >= task.rows)
        return task.row_checkpoints + std::size_t{task.row_blocks - 1} * (std::size_t{task.columns} + 1);
    if (end % task.row_step != 0) return nullptr;
    return task.row_checkpoints + static_cast<std::size_t>(end / task.row_step - 1) * (std::size_t{task.columns} + 1);
}

/// Writes the corners of checkpoints, which are cells of row 0 and column 0: of the row checkpoint
/// `below` the strip, if there is one, and for the first strip those of all column checkpoints. The
/// strip ends above row `end_row`.
__device__ __forceinline__ void write_corners(const PairDeviceTask& task, BorderCell* below, std::uint32_t end_row,
                                              bool first_strip, std::uint32_t columns, int lane) {
    if (lane == 0 && below != nullptr) store_cell(below, task.left[end_row].h, 0);
    if (first_strip) {
        for (std::uint32_t i = lane; i < task.column_blocks; i += kWarpLanes) {
            const std::uint64_t column = min(std::uint64_t{columns}, (std::uint64_t{i} + 1) * task.column_step);
            store_cell(task.column_checkpoints + std::size_t{i} * (std::size_t{task.rows} + 1), task.top[column].h, 0);
        }
    }
}

/// Waits until the band on the left has written a strip's cells of column 0, and copies them.
/// Returns false if the sweep has been stopped.
__device__ __forceinline__ bool take_left(const PairDeviceTask& task, std::uint32_t strip, std::uint32_t first_row,
                                          std::uint32_t rows, const std::uint32_t* stop, int lane) {
    // Reading words in host memory is slow, so a warp reads them only if its strip is one of the
    // next few.
    constexpr std::uint32_t kStripsAhead = 8;
    std::uint32_t ready = 0;
    if (lane == 0) {
        while (load_relaxed(stop) == 0) {
            // The first cell is the last cell of the strip above, which may be written later than
            // this strip's cells.
            if (load_relaxed(task.left_seen) + kStripsAhead > strip &&
                (strip == 0 || load_acquire_system(task.left_ready + strip - 1) != 0)) {
                ready = load_acquire_system(task.left_ready + strip);
            }
            if (ready != 0) break;
            __nanosleep(1000);
        }
        if (ready != 0) {
            atomicMax(task.left_seen, strip + 1);
            if (ready > 1) atomicMax(task.reached, static_cast<std::int32_t>(ready - 1));
        }
    }
    if (__shfl_sync(~0u, ready, 0) == 0) return false;
    __syncwarp();
    // The warp of the strip above writes the same first cell.
    copy_cells(task.left + first_row, task.given_left + first_row, rows + 1, lane);
    __syncwarp();
    return true;
}

/// Copies a strip's cells of the last column checkpoint from device memory to host memory, for the
/// band on the right.
__device__ __forceinline__ void give_right(const PairDeviceTask& task, std::uint32_t strip_rows) {
    const std::uint32_t strip = task.strip;
    int lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));  // not an argument: the caller has no register for it
    const std::uint32_t first_row = strip * strip_rows, rows = min(strip_rows, task.rows - first_row);
    __syncwarp();
    const std::size_t first_cell = std::size_t{task.column_blocks - 1} * (std::size_t{task.rows} + 1);
    copy_cells(task.right + first_row + 1, task.column_checkpoints + first_cell + first_row + 1, rows, lane);
    __threadfence_system();
    __syncwarp();
    if (lane == 0) {
        const std::int32_t reached = task.prune != 0 ? load_relaxed(task.reached) : 0;
        store_release_system(task.right_ready + strip, 1 + static_cast<std::uint32_t>(reached));
    }
}

/// Reports to the host that a strip is done, after the strips above have reported. Returns false if
/// the sweep has been stopped.
__device__ __forceinline__ bool tell_done(const PairDeviceTask& task, const PairKernelArguments& arguments, int lane) {
    bool stopped = false;
    __syncwarp();
    if (lane == 0) {
        while (!stopped && load_acquire(task.done) != task.strip) {
            stopped = load_relaxed(arguments.stop) != 0;
            __nanosleep(200);
        }
        if (!stopped) {
            __threadfence_system();
            store_release(task.done, task.strip + 1);
            *arguments.host_strips = task.strip + 1;
        }
    }
    return __shfl_sync(~0u, stopped, 0) == 0;
}

}  // namespace warpseq::cuda
