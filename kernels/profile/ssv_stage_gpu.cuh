// SSV of a batch of profiles against every lane of a chunk. A stage holds the buffers of one
// worker. One thread uses it.
#pragma once

#include <cstdint>

#include "kernels/gpu/cuda_status.cuh"
#include "kernels/gpu/device_targets.cuh"
#include "kernels/gpu/memory.cuh"
#include "kernels/profile/ssv_plan_gpu.h"
#include "libcore/base/status.h"

namespace warpseq::cuda {

class SsvStage {
   public:
    explicit SsvStage(int ordinal) : ordinal_(ordinal) {}

    /// Enqueues the copy of a batch's tables to the device. The tables have to live until `stream`
    /// has done this, and during all calls of score(). The GPU has to be the current one in all
    /// calls.
    Status prepare(const SsvTables& tables, cudaStream_t stream);
    /// Enqueues the computation of results[profile * lane_count + lane]: the best diagonal counted
    /// from begin, at most 255 (ssv_kernel_gpu.cuh).
    Status score(const TargetsOnDevice& targets, std::size_t profile_count, std::uint32_t* results,
                 cudaStream_t stream);

   private:
    int ordinal_;
    const SsvTables* tables_ = nullptr;
    DeviceArray<unsigned> ticket_;
    DeviceArray<std::uint32_t> profiles_;
    DeviceArray<std::uint64_t> borders_[2];
};

}  // namespace warpseq::cuda
