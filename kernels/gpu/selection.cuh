// The selection of numbers on a GPU, by CUB. It is the compaction of every list that keeps its
// order.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <algorithm>
#include <cstdint>
#include <cub/device/device_select.cuh>

#include "kernels/gpu/cuda_status.cuh"
#include "kernels/gpu/memory.cuh"
#include "libcore/base/status.h"

namespace warpseq::cuda {

/// A selection with its scratch memory. Calls on one object have to be on one stream.
class Selection {
   public:
    explicit Selection(int ordinal) : ordinal_(ordinal) {}

    /// Enqueues the selection of the numbers of 0 .. count - 1 for which `wanted`, a function
    /// object for the device, is true. Writes them to `out` in ascending order, and their number to
    /// `out_count`. Both are in device memory, and `out` has room for all. Allocates scratch memory
    /// for counts of up to `room`, so that no later call has to. Fails with kUnavailable if memory
    /// is exhausted. `count` and `room` are at most INT32_MAX.
    template <typename Wanted>
    Status select(std::uint32_t count, std::uint32_t room, const Wanted& wanted, std::uint32_t* out,
                  std::uint32_t* out_count, cudaStream_t stream) {
        const thrust::counting_iterator<std::uint32_t> all(0);
        const auto run = [&](void* scratch, std::size_t& bytes, std::uint32_t numbers) {
            return cub::DeviceSelect::If(scratch, bytes, all, out, out_count, static_cast<int>(numbers), wanted,
                                         stream);
        };
        std::size_t bytes = 0;
        WARPSEQ_CUDA_TRY(run(nullptr, bytes, std::max(count, room)), ordinal_, "cannot select pairs");
        WARPSEQ_CUDA_TRY(scratch_.reserve(bytes), ordinal_, "no memory for selecting");
        bytes = scratch_.size();
        return cuda_status(run(scratch_.data(), bytes, count), ordinal_, "cannot select pairs");
    }

   private:
    int ordinal_;
    DeviceArray<std::uint8_t> scratch_;
};

}  // namespace warpseq::cuda
