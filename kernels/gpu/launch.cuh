// Sizes of launches: what a GPU has, and how many blocks of a kernel it holds.
//
// A persistent kernel is launched with the blocks that are resident at one time
// (resident_blocks()). They take work by tickets until none is left. A kernel with a loop over a
// list is launched with blocks_for() blocks.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "kernels/gpu/cuda_status.cuh"
#include "libcore/base/status.h"

namespace warpseq::cuda {

/// Returns the number of multiprocessors of a GPU.
inline Result<int> count_multiprocessors(int ordinal) {
    int count = 0;
    WARPSEQ_CUDA_TRY(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, ordinal), ordinal,
                     "cannot tell its multiprocessors");
    return count;
}

/// Returns the most bytes of shared memory that a block of a kernel may have.
inline Result<int> find_shared_bytes(int ordinal) {
    int bytes = 0;
    WARPSEQ_CUDA_TRY(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal), ordinal,
                     "cannot tell its shared memory");
    return bytes;
}

/// The size of a kernel's blocks.
struct BlockSize {
    int threads = 0;
    std::size_t shared_bytes = 0;  // of dynamic shared memory
    /// The limit of dynamic shared memory that the kernel gets, or 0: shared_bytes. The limit
    /// belongs to the kernel, not to the launch. So a kernel that is launched with different
    /// shared_bytes gets the largest of them each time: else another worker could lower the limit
    /// between this worker's call and its launch.
    std::size_t most_shared_bytes = 0;
};

/// Returns the number of blocks of `kernel` that a multiprocessor holds at one time, at least 1.
/// Sets the kernel's limit of dynamic shared memory, so it also has to be called before the first
/// launch of a kernel that has some. The GPU has to be the current one. Fails with kUnavailable if
/// not even one block fits.
template <typename Kernel>
Result<int> blocks_per_multiprocessor(int ordinal, Kernel kernel, const BlockSize& block) {
    if (const std::size_t most = std::max(block.shared_bytes, block.most_shared_bytes); most > 0) {
        WARPSEQ_CUDA_TRY(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(most)), ordinal,
            "cannot prepare the kernel");
    }
    int blocks = 0;
    WARPSEQ_CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block.threads, block.shared_bytes),
                     ordinal, "cannot prepare the kernel");
    if (blocks < 1)
        return Status::unavailable("GPU " + std::to_string(ordinal) +
                                   ": too little shared memory or too few registers for the kernel");
    return blocks;
}

/// Returns the number of blocks of `kernel` that the whole GPU holds at one time. Everything else
/// is as in blocks_per_multiprocessor().
template <typename Kernel>
Result<unsigned> resident_blocks(int ordinal, Kernel kernel, const BlockSize& block) {
    const Result<int> multiprocessors = count_multiprocessors(ordinal);
    if (!multiprocessors.ok()) return multiprocessors.status();
    const Result<int> blocks = blocks_per_multiprocessor(ordinal, kernel, block);
    if (!blocks.ok()) return blocks.status();
    return static_cast<unsigned>(*blocks) * static_cast<unsigned>(*multiprocessors);
}

/// Returns the blocks for `items` items of which each block takes `block_items`: at most `most`
/// blocks, and at least 1.
inline unsigned blocks_for(std::uint64_t items, std::uint64_t block_items, std::uint64_t most) {
    const std::uint64_t blocks = items / block_items + (items % block_items != 0 ? 1 : 0);
    return static_cast<unsigned>(std::max<std::uint64_t>(std::min(blocks, most), 1));
}

}  // namespace warpseq::cuda
