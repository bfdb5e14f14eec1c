// Viterbi multihit on one GPU. This is the full Viterbi filter. It computes the items of a list
// that Viterbi unihit leaves undecided.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/gpu/device_targets.cuh"
#include "kernels/gpu/memory.cuh"
#include "kernels/gpu/streams.cuh"
#include "kernels/profile/undecided_items_gpu.cuh"
#include "kernels/profile/viterbi_multihit_plan_gpu.h"
#include "kernels/profile/work_list_gpu.cuh"

namespace warpseq::cuda {

struct ViterbiMultihitArguments;

/// Viterbi multihit of one worker. One thread uses it. Its GPU has to be the current one in all
/// calls.
class ViterbiMultihitStage {
   public:
    /// Makes a stage. The rows of models that do not fit the registers take at most
    /// `scratch_bytes`, or what one block needs if that is more.
    ViterbiMultihitStage(int ordinal, std::uint64_t scratch_bytes)
        : ordinal_(ordinal), scratch_bytes_(scratch_bytes), undecided_(ordinal) {}

    /// Copies a batch to the device. `tables` may be destroyed after it returns. Returns
    /// kUnavailable if memory is exhausted.
    Status prepare(const ViterbiMultihitTables& tables, cudaStream_t stream);

    /// Computes results[i] for each list item i whose result is kUndecided: the Viterbi filter's
    /// result, kViterbiOverflow included. Leaves other results unchanged. `moves` is in device
    /// memory and has ViterbiProfile::move() of each of targets.distinct_lengths. Only enqueues
    /// work on `stream`, and on streams of its own that are ordered with it.
    Status score(const TargetsOnDevice& targets, const DeviceWorkList& list, const std::int16_t* moves,
                 std::int16_t* results, cudaStream_t stream);

   private:
    /// Enqueues the kernel of one of shapes_. Sets the members of `arguments` that depend on it.
    Status start(std::uint32_t shape, ViterbiMultihitArguments& arguments, cudaStream_t stream);

    int ordinal_, multiprocessors_ = 0;
    std::uint64_t scratch_bytes_;
    UndecidedItems undecided_;
    StreamFan fan_;
    /// The shapes that the batch needs, in descending order. They are indices into
    /// viterbi_multihit_shapes(), or its size for profiles that fit no shape.
    std::vector<std::uint32_t> shapes_;
    int longest_without_shape_ = 0;
    DeviceArray<ViterbiMultihitProfile> profiles_;
    DeviceArray<std::int16_t> entries_;
    DeviceArray<int> rows_;
};

}  // namespace warpseq::cuda
