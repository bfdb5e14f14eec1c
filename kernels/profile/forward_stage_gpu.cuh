// Forward on a GPU as a filter for pairs of a profile and a target. It uses 32-bit floats in
// another order than the host.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "kernels/gpu/cuda_status.cuh"
#include "kernels/gpu/device_targets.cuh"
#include "kernels/gpu/memory.cuh"
#include "kernels/gpu/streams.cuh"
#include "kernels/profile/forward_plan_gpu.h"
#include "kernels/profile/work_list_gpu.cuh"
#include "libcore/base/status.h"

namespace warpseq::cuda {

struct ForwardArguments;
struct ForwardSegment;

/// Forward of one worker. One thread uses it.
class ForwardStage {
   public:
    /// Makes a stage. The state of models that do not fit the registers takes at most
    /// `scratch_bytes`, or what one block needs if that is more.
    ForwardStage(int ordinal, std::uint64_t scratch_bytes) : ordinal_(ordinal), scratch_bytes_(scratch_bytes) {}

    /// Copies a batch's tables, and makes room for its kernels. `tables` may be destroyed after it
    /// returns.
    Status prepare(const ForwardTables& tables, cudaStream_t stream);

    /// Writes results[i] for each pair i of the list, whose profiles are those of the tables. A
    /// result is the multihit Forward score in nats, within forward_margin_nats() of the host's
    /// score. It is +infinity if the host has to compute it, because the device has no usable
    /// number or no proven margin. `targets` were uploaded with TargetTables::kLanes. Kernels of
    /// different shapes run side by side, and `stream` waits for all of them. Only enqueues work.
    /// The caller keeps the arguments alive until the stream has done it.
    Status score(const TargetsOnDevice& targets, const DeviceWorkList& list, float* results, cudaStream_t stream);

   private:
    /// The profiles that one kernel takes.
    struct Class {
        ForwardShape shape;
        bool bounded;
        std::vector<std::uint32_t> profiles;
    };
    Status launch(const Class& each, ForwardArguments& arguments, cudaStream_t stream);

    int ordinal_, multiprocessors_ = 0;
    std::uint64_t scratch_bytes_;
    std::vector<Class> classes_;
    DeviceArray<float> numbers_;
    DeviceArray<std::size_t> firsts_;
    DeviceArray<std::uint32_t> class_profiles_;  // the profiles of all classes, one class after another
    DeviceArray<ForwardSegment> segments_;       // two for each profile and one more for each class
    DeviceArray<unsigned> tickets_;              // one for each class
    DeviceArray<float> state_;
    unsigned long_blocks_ = 0;
    StreamFan fan_;
};

}  // namespace warpseq::cuda
