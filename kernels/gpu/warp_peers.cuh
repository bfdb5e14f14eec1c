// Additions to counters by the threads of a warp, one atomic operation for all threads with the
// same counter. This is the one place where lists are grouped by hand.
//
// Lists that only drop items use cub::DeviceSelect (selection.cuh). A list that is also grouped by
// a key would need cub::DeviceRadixSort after it: several passes over the longest list possible,
// because the list's length is known on the device alone. Here each item takes its place in the
// pass that finds its key. CUB has no such operation for a warp. Items that are neighbours mostly
// share a key, so nearly always a warp needs one atomic operation, where each thread would need one
// otherwise.
#pragma once

#include <cstdint>

namespace warpseq::cuda {

/// The threads of a warp that have the same key.
class WarpPeers {
   public:
    /// Finds the threads that have `key`. All 32 threads of the warp have to call this together;
    /// a thread without a key passes has_key = false and gets peers of no use. Keys are below
    /// 2^32 - 1.
    __device__ WarpPeers(bool has_key, std::uint32_t key)
        : lane_(threadIdx.x % 32), mask_(__match_any_sync(kAll, has_key ? key : ~0u)) {}

    /// Whether this thread is the first of its peers.
    __device__ bool leads() const { return lane_ == leader(); }
    __device__ std::uint32_t count() const { return static_cast<std::uint32_t>(__popc(mask_)); }
    /// Returns the number of peers before this thread.
    __device__ std::uint32_t rank() const { return static_cast<std::uint32_t>(__popc(mask_ & ((1u << lane_) - 1))); }
    /// Returns the first peer's value. All 32 threads of the warp have to call this together.
    __device__ std::uint32_t leaders(std::uint32_t value) const {
        return __shfl_sync(kAll, value, static_cast<int>(leader()));
    }

   private:
    static constexpr unsigned kAll = ~0u;
    __device__ unsigned leader() const { return static_cast<unsigned>(__ffs(static_cast<int>(mask_)) - 1); }

    unsigned lane_, mask_;
};

}  // namespace warpseq::cuda
