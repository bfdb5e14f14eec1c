// Viterbi multihit on one GPU, which is the whole Viterbi filter. It computes the items of a list
// that Viterbi unihit leaves undecided.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/gpu/device_targets.cuh"
#include "kernels/profile/undecided_items_gpu.cuh"
#include "kernels/profile/viterbi_multihit_plan_gpu.h"
#include "kernels/profile/work_list_gpu.cuh"

namespace warpseq::cuda {

/// Viterbi multihit of one worker, used by one thread. Its memory is on the calls' GPU, which is
/// current when they are called.
class ViterbiMultihitStage {
   public:
    /// Makes a stage. The rows of models that do not fit the registers stay within `scratch_bytes`,
    /// as far as one block can.
    ViterbiMultihitStage(int ordinal, std::uint64_t scratch_bytes)
        : ordinal_(ordinal), scratch_bytes_(scratch_bytes), undecided_(ordinal), fan_(ordinal) {}

    /// Copies a batch to the device. `tables` may be destroyed after it returns. Returns
    /// kUnavailable if memory is exhausted.
    Status prepare(const ViterbiMultihitTables& tables, cudaStream_t stream);

    /// Computes the Viterbi filter's result, kViterbiOverflow included, where results[i] of list
    /// item i is kUndecided. Other results stay. `moves` is in device memory and has
    /// ViterbiProfile::move of each of targets.distinct_lengths. Only enqueues on `stream` (and on
    /// streams of its own, ordered by it).
    Status score(const TargetsOnDevice& targets, const DeviceWorkList& list, const std::int16_t* moves,
                 std::int16_t* results, cudaStream_t stream);

   private:
    int ordinal_, multiprocessors_ = 0;
    std::uint64_t scratch_bytes_;
    UndecidedItems undecided_;
    StreamFan fan_;
    /// The shapes that the batch needs, falling. They are indices into viterbi_multihit_shapes(),
    /// or one more.
    std::vector<std::uint32_t> shapes_;
    int longest_without_shape_ = 0;
    DeviceArray<ViterbiMultihitProfile> profiles_;
    DeviceArray<std::int16_t> entries_;
    DeviceArray<int> rows_;
};

}  // namespace warpseq::cuda
