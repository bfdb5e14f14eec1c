// Forward of pairs of a profile and a target on a GPU, as a filter: 32-bit floats in another order
// than the host's.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "kernels/gpu/cuda_status.cuh"
#include "kernels/gpu/device_targets.cuh"
#include "kernels/profile/forward_plan_gpu.h"
#include "kernels/profile/work_list_gpu.cuh"
#include "libcore/base/status.h"

namespace warpseq::cuda {

struct ForwardArguments;
struct ForwardSegment;

/// Used by one thread. Calls only enqueue; the caller keeps arguments alive until the stream is
/// done.
class ForwardStage {
   public:
    /// State of models beyond the registers stays within `scratch_bytes`, as far as one block can.
    ForwardStage(int ordinal, std::uint64_t scratch_bytes) : ordinal_(ordinal), scratch_bytes_(scratch_bytes) {}
    ~ForwardStage();
    ForwardStage(const ForwardStage&) = delete;
    ForwardStage& operator=(const ForwardStage&) = delete;

    /// Copies a batch's tables, and makes room for its kernels.
    Status prepare(const ForwardTables& tables, cudaStream_t stream);

    /// results[i] for each pair i of the list, whose profiles are the batch's: the multihit Forward
    /// score in nats, within forward_margin_nats() of the host's; +infinity where the host has to
    /// find out (no usable number, or no proven margin). `targets` were uploaded with their lanes.
    /// Kernels of different shapes run side by side; the stream waits for all.
    Status score(const TargetsOnDevice& targets, const DeviceWorkList& list, float* results, cudaStream_t stream);

   private:
    /// The profiles that one kernel takes.
    struct Class {
        ForwardShape shape;
        bool bounded;
        std::vector<std::uint32_t> profiles;
    };
    Status launch(const Class& each, ForwardArguments& arguments, cudaStream_t stream);

    static constexpr int kSideStreams = 4;
    int ordinal_, multiprocessors_ = 0;
    std::uint64_t scratch_bytes_;
    std::vector<Class> classes_;
    DeviceArray<float> numbers_;
    DeviceArray<std::size_t> firsts_;
    DeviceArray<std::uint32_t> class_profiles_;  // those of class after class
    DeviceArray<ForwardSegment> segments_;       // two for each profile and one more for each class
    DeviceArray<unsigned> tickets_;              // one for each class
    DeviceArray<float> state_;
    int long_blocks_ = 0;
    cudaStream_t side_streams_[kSideStreams] = {};
    cudaEvent_t begun_ = nullptr, ended_[kSideStreams] = {};
};

}  // namespace warpseq::cuda
