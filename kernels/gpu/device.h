// The GPUs of this machine. This header includes no CUDA header, so callers need no toolkit.
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

/// Returns every GPU that this build has code for (compute capability 8.0 and later). Fails with
/// kUnavailable and the reason when there is no driver, no GPU, or none that is recent enough.
Result<std::vector<GpuInfo>> list_gpus();

/// Whether an NVIDIA driver is installed. Without one, the machine is taken to have no GPUs.
bool has_driver();

/// The ways in which threads wait for a GPU.
enum class GpuWait {
    kAwake,   // the driver's default: they keep a core busy if there are enough, and go on at once
    kAsleep,  // after 0.2 ms they leave the core to other threads, and go on somewhat later
};

/// Opens a GPU: creates its context in this process, which takes a fifth of a second. Functions
/// that use a GPU open one that is not open, for threads that wait awake. Fails with kUnavailable
/// if the driver refuses. The GPU must not be in use yet.
Status open_gpu(int ordinal, GpuWait wait);

/// Returns the bytes of GPU memory that are free now. Creates the GPU's context in this process,
/// which takes a fifth of a second the first time.
Result<std::uint64_t> free_gpu_memory_bytes(int ordinal);

}  // namespace warpseq::cuda
