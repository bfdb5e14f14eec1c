// A list of pairs of a profile and a target. Such lists pass from filter to filter on the device.
#pragma once

#include <cstdint>

#include "kernels/profile/filter_verdict_gpu.h"

namespace warpseq::cuda {

/// A list of pairs in device memory. A pair is a slot, profile * lane_count + lane, and slots
/// ascend. So the pairs of a profile stand together, longest target first. The number of pairs is
/// known only on the device. Kernels read it there, so that nothing waits for the host.
struct DeviceWorkList {
    const std::uint32_t* slots;
    const std::uint32_t* count;  // one number in device memory, at most `most`
    std::uint32_t most;
    std::uint32_t room;           // number of items for which memory is allocated, at least `most`
    std::uint32_t lane_count;     // lanes of the chunk
    std::uint32_t profile_count;  // profiles of the batch
};

/// Returns how many of `blocks` blocks fit `scratch_bytes` if each needs `bytes_per_block`, but at
/// least 1. Kernels take tickets, so with fewer blocks they are only slower.
inline unsigned blocks_within(std::uint64_t scratch_bytes, std::uint64_t bytes_per_block, unsigned blocks) {
    if (bytes_per_block * blocks <= scratch_bytes) return blocks;
    return bytes_per_block >= scratch_bytes ? 1 : static_cast<unsigned>(scratch_bytes / bytes_per_block);
}

}  // namespace warpseq::cuda
