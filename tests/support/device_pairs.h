// DevicePairs: a list of pairs of targets on GPU 0, for tests and benchmarks of a GPU's list
// stages.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/gpu/device_targets.cuh"
#include "kernels/gpu/memory.cuh"
#include "kernels/profile/work_list_gpu.cuh"
#include "libcore/sequence/tile.h"
#include "tests/support/gpu.h"

namespace warpseq::testing {

/// A list in device memory, with room for its results.
class DevicePairs {
   public:
    /// Sets the list. `slots` must ascend. Returns false if the GPU has not enough memory.
    bool set(const cuda::TargetsOnDevice& targets, std::uint32_t profiles, std::span<const std::uint32_t> slots) {
        targets_ = &targets;
        profiles_ = profiles;
        count_ = static_cast<std::uint32_t>(slots.size());
        return slots_.reserve(std::max<std::size_t>(slots.size(), 1)) == cudaSuccess &&
               counter_.reserve(1) == cudaSuccess &&
               results_.reserve(std::max<std::size_t>(slots.size(), 1)) == cudaSuccess &&
               cudaMemcpy(slots_.data(), slots.data(), slots.size_bytes(), cudaMemcpyHostToDevice) == cudaSuccess &&
               cudaMemcpy(counter_.data(), &count_, sizeof count_, cudaMemcpyHostToDevice) == cudaSuccess &&
               cudaMemset(results_.data(), 0xff, results_.size_bytes()) == cudaSuccess;  // NaN
    }
    cuda::DeviceWorkList list() const {
        return {slots_.data(), counter_.data(), count_, count_, static_cast<std::uint32_t>(targets_->lane_count),
                profiles_};
    }
    float* results() const { return results_.data(); }
    /// Waits for the stream and returns the results. Returns none after an error.
    std::vector<float> read(cudaStream_t stream) const {
        std::vector<float> results(count_);
        if (cudaStreamSynchronize(stream) != cudaSuccess) return {};
        if (cudaMemcpy(results.data(), results_.data(), count_ * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess)
            return {};
        return results;
    }

   private:
    const cuda::TargetsOnDevice* targets_ = nullptr;
    std::uint32_t profiles_ = 0, count_ = 0;
    cuda::DeviceArray<std::uint32_t> slots_, counter_;
    cuda::DeviceArray<float> results_;
};

}  // namespace warpseq::testing
