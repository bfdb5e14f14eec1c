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

/// Enqueues the selection of the numbers of 0 .. count - 1 for which `wanted`, a function object
/// for the device, is true. Writes them to `out` in ascending order, and their number to
/// `out_count`. Both are in device memory, and `out` has room for all. Allocates `scratch` for
/// counts of up to `room`, so that no later call has to. All calls with one `scratch` have to be on
/// one stream. Fails with kUnavailable if memory is exhausted. `count` and `room` are at most
/// INT32_MAX.
template <typename Wanted>
Status select_numbers(int ordinal, std::uint32_t count, std::uint32_t room, const Wanted& wanted, std::uint32_t* out,
                      std::uint32_t* out_count, DeviceArray<std::uint8_t>& scratch, cudaStream_t stream) {
    const thrust::counting_iterator<std::uint32_t> all(0);
    const auto run = [&](void* memory, std::size_t& bytes, std::uint32_t numbers) {
        return cub::DeviceSelect::If(memory, bytes, all, out, out_count, static_cast<int>(numbers), wanted, stream);
    };
    std::size_t bytes = 0;
    WARPSEQ_CUDA_TRY(run(nullptr, bytes, std::max(count, room)), ordinal, "cannot select pairs");
    WARPSEQ_CUDA_TRY(scratch.reserve(bytes), ordinal, "no memory for selecting");
    bytes = scratch.size();
    return cuda_status(run(scratch.data(), bytes, count), ordinal, "cannot select pairs");
}

}  // namespace warpseq::cuda
