// The full MSV recurrence on one GPU, for the items of a list that SSV leaves undecided.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/gpu/device_targets.cuh"
#include "kernels/gpu/memory.cuh"
#include "kernels/gpu/streams.cuh"
#include "kernels/profile/msv_plan_gpu.h"
#include "kernels/profile/undecided_items_gpu.cuh"
#include "kernels/profile/work_list_gpu.cuh"

namespace warpseq::cuda {

struct MsvArguments;

/// Full MSV of one worker. One thread uses it. Its GPU has to be the current one in all calls.
class MsvStage {
   public:
    /// Makes a stage. The rows of models that do not fit the registers take at most
    /// `scratch_bytes`, or what one block needs if that is more.
    MsvStage(int ordinal, std::uint64_t scratch_bytes)
        : ordinal_(ordinal), scratch_bytes_(scratch_bytes), undecided_(ordinal) {}

    /// Copies a batch to the device. `tables` may be destroyed after it returns. Returns
    /// kUnavailable if memory is exhausted or a profile's bias is above kMsvHighestBias.
    Status prepare(const MsvTables& tables, cudaStream_t stream);

    /// Computes results[i] for each list item i whose result is kUndecided: the result of
    /// reference_msv(), kMsvOverflow included. Leaves other results unchanged. `moves` is in device
    /// memory and has MsvProfile::move() of each of targets.distinct_lengths. Only enqueues work on
    /// `stream`, and on streams of its own that are ordered with it.
    Status score(const TargetsOnDevice& targets, const DeviceWorkList& list, const std::uint8_t* moves,
                 std::int16_t* results, cudaStream_t stream);

   private:
    struct Launch {
        std::uint32_t shape;  // index into msv_shapes(), or its size: profiles without a shape
        std::uint32_t first_member, members;
    };
    /// Enqueues the kernel of one shape. Sets the members of `arguments` that depend on it.
    Status start(const Launch& launch, MsvArguments& arguments, cudaStream_t stream);

    int ordinal_, multiprocessors_ = 0;
    std::uint64_t scratch_bytes_;
    UndecidedItems undecided_;
    StreamFan fan_;
    std::vector<Launch> launches_;
    int longest_without_shape_ = 0;
    DeviceArray<MsvDeviceProfile> profiles_;
    DeviceArray<std::uint32_t> tables_, members_;
    DeviceArray<std::int16_t> best_scores_;
    DeviceArray<std::uint16_t> rows_;
};

}  // namespace warpseq::cuda
