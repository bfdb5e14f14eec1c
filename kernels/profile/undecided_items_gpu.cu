#include "kernels/profile/undecided_items_gpu.cuh"

#include <algorithm>
#include <cub/block/block_scan.cuh>

#include "kernels/gpu/launch.cuh"
#include "kernels/gpu/warp_peers.cuh"

namespace warpseq::cuda {
namespace {

constexpr unsigned kBlockThreads = 256;

struct CollectArguments {
    const std::uint32_t* slots;
    const std::uint32_t* count;
    std::uint32_t lane_count;
    const std::int16_t* results;
    const DeviceLane* lanes;
    const std::uint32_t* group_of_profile;
    bool by_length;
    std::uint32_t* counts;   // the first pass adds to them
    std::uint32_t* cursors;  // the second pass takes places from them
    std::uint32_t* items;
};

__device__ std::uint32_t group_of(const CollectArguments& arguments, std::uint32_t slot) {
    const std::uint32_t profile = slot / arguments.lane_count;
    const std::uint32_t group = arguments.group_of_profile[profile];
    if (!arguments.by_length) return group;
    const std::uint32_t residues = max(1u, arguments.lanes[slot - profile * arguments.lane_count].residues);
    const int octave = 31 - __clz(residues);
    const std::uint32_t half = octave > 0 ? residues >> (octave - 1) & 1 : 0;
    return group * kLengthBins + (kLengthBins - 1 - (2 * octave + half));
}

/// Counts the items of each group, or puts them into their places. Threads of a warp with the same
/// group take places together. The loop's bounds are the same for all threads of a warp.
template <bool kPlace>
__global__ void __launch_bounds__(kBlockThreads) collect_kernel(const __grid_constant__ CollectArguments arguments) {
    const std::uint32_t count = *arguments.count;
    const std::uint32_t lane = threadIdx.x % 32;
    for (std::uint32_t first = blockIdx.x * kBlockThreads + threadIdx.x - lane; first < count;
         first += gridDim.x * kBlockThreads) {
        const std::uint32_t item = first + lane;
        const bool collects = item < count && arguments.results[item] == kUndecided;
        const std::uint32_t group = collects ? group_of(arguments, arguments.slots[item]) : 0;
        const WarpPeers peers(collects, group);
        std::uint32_t place = 0;
        if (collects && peers.leads())
            place = atomicAdd((kPlace ? arguments.cursors : arguments.counts) + group, peers.count());
        if constexpr (kPlace) {
            place = peers.leaders(place) + peers.rank();
            if (collects) arguments.items[place] = item;
        }
    }
}

/// Sets starts[g] = cursors[g] = counts[0] + .. + counts[g - 1]. Runs in one block.
__global__ void __launch_bounds__(kBlockThreads)
    sum_kernel(const std::uint32_t* counts, std::uint32_t groups, std::uint32_t* starts, std::uint32_t* cursors) {
    using Scan = cub::BlockScan<std::uint32_t, kBlockThreads>;
    __shared__ Scan::TempStorage storage;
    std::uint32_t before = 0;
    for (std::uint32_t first = 0; first < groups; first += kBlockThreads) {
        const std::uint32_t group = first + threadIdx.x;
        std::uint32_t sum = 0, total = 0;
        Scan(storage).ExclusiveSum(group < groups ? counts[group] : 0, sum, total);
        if (group < groups) starts[group] = cursors[group] = before + sum;
        before += total;
        __syncthreads();  // before `storage` is used again
    }
    if (threadIdx.x == 0) starts[groups] = before;
}

}  // namespace

Status UndecidedItems::prepare(std::span<const std::uint32_t> group_of_profile, std::uint32_t groups, bool by_length,
                               cudaStream_t stream) {
    groups_ = by_length ? groups * kLengthBins : groups;
    by_length_ = by_length;
    const Result<int> multiprocessors = count_multiprocessors(ordinal_);
    if (!multiprocessors.ok()) return multiprocessors.status();
    multiprocessors_ = *multiprocessors;
    WARPSEQ_CUDA_TRY(numbers_.reserve(4 * std::size_t{groups_} + 1), ordinal_, "no memory for lists");
    return copy_to_device(group_of_profile_, group_of_profile, ordinal_, stream, "profiles");
}

Status UndecidedItems::collect(const DeviceWorkList& list, const std::int16_t* results, const DeviceLane* lanes,
                               cudaStream_t stream) {
    WARPSEQ_CUDA_TRY(items_.reserve(std::max<std::size_t>(list.room, 1)), ordinal_, "no memory for lists");
    std::uint32_t* const counts = numbers_.data();
    std::uint32_t* const cursors = counts + 2 * std::size_t{groups_};
    std::uint32_t* const starts = counts + 3 * std::size_t{groups_};
    const CollectArguments arguments{
        list.slots, list.count, list.lane_count, results,      lanes, group_of_profile_.data(),
        by_length_, counts,     cursors,         items_.data()};
    const unsigned blocks = blocks_for(list.most, kBlockThreads, static_cast<std::uint64_t>(multiprocessors_) * 8);
    WARPSEQ_CUDA_TRY(cudaMemsetAsync(counts, 0, 2 * std::size_t{groups_} * sizeof(std::uint32_t), stream), ordinal_,
                     "cannot clear lists");
    collect_kernel<false><<<blocks, kBlockThreads, 0, stream>>>(arguments);
    sum_kernel<<<1, kBlockThreads, 0, stream>>>(counts, groups_, starts, cursors);
    collect_kernel<true><<<blocks, kBlockThreads, 0, stream>>>(arguments);
    return cuda_status(cudaGetLastError(), ordinal_, "cannot collect undecided targets");
}

UndecidedView UndecidedItems::view() const {
    std::uint32_t* const counts = numbers_.data();
    return {items_.data(), counts + 3 * std::size_t{groups_}, counts + groups_};
}

}  // namespace warpseq::cuda
