// Viterbi unihit on a list of pairs in device memory. It is the Viterbi filter without J, which
// decides nearly all pairs. This header is for .cu files.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/gpu/cuda_status.cuh"
#include "kernels/gpu/device_targets.cuh"
#include "kernels/gpu/memory.cuh"
#include "kernels/gpu/streams.cuh"
#include "kernels/profile/viterbi_unihit_plan_gpu.h"
#include "kernels/profile/work_list_gpu.cuh"
#include "libcore/base/status.h"

namespace warpseq::cuda {

struct ViterbiUnihitClassToCut;
struct ViterbiUnihitRange;
struct ViterbiUnihitRangeToCut;
struct ViterbiUnihitRun;

/// Viterbi unihit of one worker on one GPU. One thread uses it, with one stream at a time. The work
/// of a call has to be done before another stream is used.
class ViterbiUnihitStage {
   public:
    /// Makes a stage. The border rows of models that take several passes take at most
    /// `scratch_bytes`, or what one block of a kernel needs if that is more.
    ViterbiUnihitStage(int ordinal, std::uint64_t scratch_bytes) : ordinal_(ordinal), scratch_bytes_(scratch_bytes) {}

    /// Copies the batch's tables to the device. Returns when they no longer need `tables`.
    Status prepare(const ViterbiUnihitTables& tables, cudaStream_t stream);

    /// Writes results[i] for each list.slots[i]: the result of kernels/profile/viterbi_filter.h, or
    /// kUndecided if this kernel cannot find it. That is the case if two domains of the target
    /// exceed kViterbiHarmless, or if some M is above the range of the profile's stored numbers. It
    /// is also the case if the profile does not fit, or if the target has a stop or more than
    /// kViterbiUnihitLongestTarget residues. `targets` were uploaded with TargetTables::kLanes,
    /// longest targets first. Only enqueues work, and allocates scratch memory when more is needed.
    Status score(const TargetsOnDevice& targets, const DeviceWorkList& list, std::int16_t* results,
                 cudaStream_t stream);

   private:
    struct LaunchClass {
        ViterbiUnihitShape shape;
        std::uint32_t most_passes, first_range, range_count;
        unsigned resident_blocks;
        std::uint32_t first_length_class;  // the lowest of its ranges, which has the longest targets
        // The members below are of a list, and score() sets them.
        unsigned blocks = 0;                               // as many resident blocks as have room for their borders
        std::uint64_t first_border = 0, border_words = 0;  // border_words: of a warp, or of a team
    };

    /// Cuts the run's items into tasks and launches the kernel of each class.
    Status launch(const TargetsOnDevice& targets, const ViterbiUnihitRun& run, cudaStream_t stream);

    /// Enqueues the kernel of a class.
    Status start(std::size_t which, const TargetsOnDevice& targets, const ViterbiUnihitRun& run, cudaStream_t stream);

    int ordinal_, multiprocessors_ = 0;
    std::uint64_t scratch_bytes_;
    bool all_fit_ = true;
    std::vector<LaunchClass> classes_;
    StreamFan fan_;
    DeviceArray<std::uint8_t> selection_scratch_;
    DeviceArray<std::int16_t> moves_;
    DeviceArray<ViterbiUnihitModel> models_;
    DeviceArray<std::uint32_t> tables_;
    DeviceArray<std::uint8_t> fits_;
    std::uint32_t range_count_ = 0;
    DeviceArray<ViterbiUnihitRangeToCut> to_cut_;
    DeviceArray<ViterbiUnihitClassToCut> classes_to_cut_;
    DeviceArray<ViterbiUnihitRange> ranges_;
    DeviceArray<unsigned> tickets_;
    DeviceArray<uint2> borders_;
    DeviceArray<std::uint16_t> starts_;   // for each pair of the list, see ViterbiUnihitArguments
    DeviceArray<std::uint32_t> pending_;  // pairs for the second run, followed by their number
};

}  // namespace warpseq::cuda
