#include "kernels/gpu/device.h"

#include "kernels/gpu/architectures.h"
#include "kernels/gpu/cuda_status.cuh"

namespace warpseq::cuda {

namespace {

constexpr int kLeastComputeCapability = 80;

/// Returns "13.0" for 13000.
std::string cuda_version(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Returns the CUDA version that the driver supports, as 1000 * major + 10 * minor, or 0 without a
/// driver.
int driver_version() {
    int version = 0;
    return cudaDriverGetVersion(&version) == cudaSuccess ? version : 0;
}

}  // namespace

bool has_driver() { return driver_version() != 0; }

Result<std::vector<GpuInfo>> list_gpus() {
    int count = 0;
    if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess && error != cudaErrorNoDevice) {
        if (error == cudaErrorInsufficientDriver) {
            const int driver = driver_version();
            if (driver == 0) return Status::unavailable("no usable GPU: no NVIDIA driver is installed");
            return Status::unavailable("no usable GPU: the NVIDIA driver supports CUDA " + cuda_version(driver) +
                                       ", and this program needs " + cuda_version(CUDART_VERSION) +
                                       " or later; update the driver");
        }
        return Status::unavailable(std::string("no usable GPU: ") + cudaGetErrorString(error));
    }
    if (count == 0) return Status::unavailable("no usable GPU: the driver reports none");
    std::vector<GpuInfo> gpus;
    std::string old, other;
    for (int ordinal = 0; ordinal < count; ++ordinal) {
        cudaDeviceProp properties;
        WARPSEQ_CUDA_TRY(cudaGetDeviceProperties(&properties, ordinal), ordinal, "cannot read its properties");
        const int capability = 10 * properties.major + properties.minor;
        if (capability >= kLeastComputeCapability && !has_code_for(WARPSEQ_CUDA_ARCHITECTURES, capability)) {
            other += std::string(other.empty() ? "" : ", ") + properties.name;
        } else if (capability >= kLeastComputeCapability) {
            gpus.push_back({ordinal, properties.name, capability, properties.totalGlobalMem});
        } else {
            old += std::string(old.empty() ? "" : ", ") + properties.name;
        }
    }
    if (gpus.empty() && !other.empty()) {
        return Status::unavailable("no usable GPU: this program was built for other GPUs (" +
                                   std::string(WARPSEQ_CUDA_ARCHITECTURES) + ") than " + other +
                                   "; build it on this machine, or with the preset portable");
    }
    if (gpus.empty()) return Status::unavailable("no usable GPU: " + old + " is older than compute capability 8.0");
    return gpus;
}

Status open_gpu(int ordinal, GpuWait wait) {
    const unsigned flags = wait == GpuWait::kAsleep ? cudaDeviceScheduleBlockingSync : cudaDeviceScheduleAuto;
    return cuda_status(cudaInitDevice(ordinal, flags, cudaInitDeviceFlagsAreValid), ordinal, "cannot be used");
}

Result<std::uint64_t> free_gpu_memory_bytes(int ordinal) {
    std::size_t free = 0, total = 0;
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal), ordinal, "cannot be used");
    WARPSEQ_CUDA_TRY(cudaMemGetInfo(&free, &total), ordinal, "cannot tell its free memory");
    return std::uint64_t{free};
}

}  // namespace warpseq::cuda
