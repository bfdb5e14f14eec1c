// The collection of the items of a list that an earlier filter left undecided, in groups for the
// kernels that decide them.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/gpu/cuda_status.cuh"
#include "kernels/gpu/device_targets.cuh"
#include "kernels/gpu/memory.cuh"
#include "kernels/profile/work_list_gpu.cuh"

namespace warpseq::cuda {

/// The collected items as a kernel reads them. The items of group g are items[starts[g]] up to but
/// not including items[starts[g + 1]]. They are indices into the list and its results.
struct UndecidedView {
    const std::uint32_t* items;
    const std::uint32_t* starts;  // one more than the number of groups
    std::uint32_t* tickets;       // one per group, zero at the start; kernels take items by them
};

/// Number of length bins in a group. A bin is half an octave wide, and the longest targets come
/// first.
inline constexpr std::uint32_t kLengthBins = 64;

/// A collector of undecided items.
class UndecidedItems {
   public:
    explicit UndecidedItems(int ordinal) : ordinal_(ordinal) {}

    /// Prepares groups. The items of profile p go to group group_of_profile[p], which is below
    /// `groups`. With `by_length` each group is split into kLengthBins groups of descending target
    /// lengths. Otherwise the items of a group are about in the list's order. Enqueues a copy of
    /// `group_of_profile`, which has to live until `stream` has done it.
    Status prepare(std::span<const std::uint32_t> group_of_profile, std::uint32_t groups, bool by_length,
                   cudaStream_t stream);
    /// Enqueues the collection of the items whose result is kUndecided. Allocates memory for
    /// list.room items.
    Status collect(const DeviceWorkList& list, const std::int16_t* results, const DeviceLane* lanes,
                   cudaStream_t stream);
    UndecidedView view() const;

   private:
    int ordinal_, multiprocessors_ = 0;
    std::uint32_t groups_ = 0;  // number of bins
    bool by_length_ = false;
    DeviceArray<std::uint32_t> group_of_profile_, items_;
    DeviceArray<std::uint32_t> numbers_;  // counts, tickets, cursors, starts
};

}  // namespace warpseq::cuda
