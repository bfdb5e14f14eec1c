// The GPUs of this machine, without a CUDA header: callers need no toolkit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/base/status.h"

namespace warpseq::cuda {

struct GpuInfo {
    int ordinal;
    std::string name;
    int compute_capability;  // 90 for 9.0
    std::uint64_t memory_bytes;
};

/// Every GPU this build has code for (compute capability 8.0 and later). kUnavailable, with the
/// reason, when there is no driver, no GPU, or none that is recent enough.
Result<std::vector<GpuInfo>> list_gpus();

/// Whether an NVIDIA driver is installed. Without one a machine is not meant to have GPUs.
bool has_driver();

/// Bytes of GPU memory that are free now. Creates the GPU's context in this process (a fifth of a
/// second the first time).
Result<std::uint64_t> free_gpu_memory_bytes(int ordinal);

}  // namespace warpseq::cuda
