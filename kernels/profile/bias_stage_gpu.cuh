// The bias filter on a GPU, for pairs of a profile and a target. It computes
// BiasFilter::score_nats() of libcore/statistics/null_model.h within a margin.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/gpu/cuda_status.cuh"
#include "kernels/gpu/device_targets.cuh"
#include "kernels/gpu/memory.cuh"
#include "kernels/profile/bias_plan_gpu.h"
#include "kernels/profile/work_list_gpu.cuh"
#include "libcore/base/status.h"

namespace warpseq::cuda {

/// The bias filter of one worker. One thread uses it.
class BiasStage {
   public:
    explicit BiasStage(int ordinal) : ordinal_(ordinal) {}

    /// Copies a batch's tables to the device. `tables` may be destroyed after it returns.
    Status prepare(const BiasTables& tables, cudaStream_t stream);

    /// Writes results[i] for each pair i of the list, whose profiles are those of the tables. A
    /// result is in nats and within bias_margin_nats() of the host's score. It is +infinity if the
    /// host has to compute it. `targets` were uploaded with TargetTables::kLanes. Only enqueues
    /// work. The caller keeps the arguments alive until the stream has done it.
    Status score(const TargetsOnDevice& targets, const DeviceWorkList& list, float* results, cudaStream_t stream);

   private:
    int ordinal_, multiprocessors_ = 0;
    DeviceArray<float> numbers_;
};

}  // namespace warpseq::cuda
