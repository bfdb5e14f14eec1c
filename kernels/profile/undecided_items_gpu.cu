#include "kernels/profile/undecided_items_gpu.cuh"

#include <algorithm>

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
/// group take places together.
template <bool kPlace>
__global__ void __launch_bounds__(kBlockThreads) collect_kernel(const __grid_constant__ CollectArguments arguments) {
    const std::uint32_t count = *arguments.count;
    const std::uint32_t lane = threadIdx.x % 32;
    for (std::uint32_t first = blockIdx.x * kBlockThreads + threadIdx.x - lane; first < count;
         first += gridDim.x * kBlockThreads) {
        const std::uint32_t item = first + lane;
        if (item >= count || arguments.results[item] != kUndecided) continue;
        const std::uint32_t group = group_of(arguments, arguments.slots[item]);
        const std::uint32_t peers = __match_any_sync(__activemask(), group);
        const auto leader = static_cast<std::uint32_t>(__ffs(peers) - 1);
        std::uint32_t place = 0;
        if (lane == leader) place = atomicAdd((kPlace ? arguments.cursors : arguments.counts) + group, __popc(peers));
        if constexpr (kPlace) {
            place = __shfl_sync(peers, place, leader);
            arguments.items[place + __popc(peers & ((1u << lane) - 1))] = item;
        }
    }
}

/// Sets starts[g] = cursors[g] = counts[0] + .. + counts[g - 1]. Runs in one warp.
__global__ void sum_kernel(const std::uint32_t* counts, std::uint32_t groups, std::uint32_t* starts,
                           std::uint32_t* cursors) {
    const std::uint32_t lane = threadIdx.x;
    std::uint32_t before = 0;
    for (std::uint32_t first = 0; first < groups; first += 32) {
        const std::uint32_t group = first + lane;
        const std::uint32_t own = group < groups ? counts[group] : 0;
        std::uint32_t sum = own;
        for (int step = 1; step < 32; step *= 2) {
            const std::uint32_t lower = __shfl_up_sync(~0u, sum, step);
            if (lane >= static_cast<std::uint32_t>(step)) sum += lower;
        }
        if (group < groups) starts[group] = cursors[group] = before + sum - own;
        before += __shfl_sync(~0u, sum, 31);
    }
    if (lane == 0) starts[groups] = before;
}

}  // namespace

Status UndecidedItems::prepare(std::span<const std::uint32_t> group_of_profile, std::uint32_t groups, bool by_length,
                               cudaStream_t stream) {
    groups_ = by_length ? groups * kLengthBins : groups;
    by_length_ = by_length;
    WARPSEQ_CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, ordinal_), ordinal_,
                     "cannot tell its multiprocessors");
    WARPSEQ_CUDA_TRY(group_of_profile_.reserve(std::max<std::size_t>(group_of_profile.size(), 1)), ordinal_,
                     "no memory for profiles");
    WARPSEQ_CUDA_TRY(numbers_.reserve(4 * std::size_t{groups_} + 1), ordinal_, "no memory for lists");
    WARPSEQ_CUDA_TRY(cudaMemcpyAsync(group_of_profile_.data(), group_of_profile.data(), group_of_profile.size_bytes(),
                                     cudaMemcpyHostToDevice, stream),
                     ordinal_, "cannot copy profiles");
    return {};
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
    const auto blocks =
        static_cast<unsigned>(std::clamp<std::uint64_t>((std::uint64_t{list.most} + kBlockThreads - 1) / kBlockThreads,
                                                        1, static_cast<std::uint64_t>(multiprocessors_) * 8));
    WARPSEQ_CUDA_TRY(cudaMemsetAsync(counts, 0, 2 * std::size_t{groups_} * sizeof(std::uint32_t), stream), ordinal_,
                     "cannot clear lists");
    collect_kernel<false><<<blocks, kBlockThreads, 0, stream>>>(arguments);
    sum_kernel<<<1, 32, 0, stream>>>(counts, groups_, starts, cursors);
    collect_kernel<true><<<blocks, kBlockThreads, 0, stream>>>(arguments);
    return cuda_status(cudaGetLastError(), ordinal_, "cannot collect undecided targets");
}

UndecidedView UndecidedItems::view() const {
    std::uint32_t* const counts = numbers_.data();
    return {items_.data(), counts + 3 * std::size_t{groups_}, counts + groups_};
}

StreamFan::~StreamFan() {
    cudaSetDevice(ordinal_);
    for (const cudaEvent_t event : joined_) {
        if (event != nullptr) cudaEventDestroy(event);
    }
    if (forked_ != nullptr) cudaEventDestroy(forked_);
    for (const cudaStream_t stream : streams_) {
        if (stream != nullptr) cudaStreamDestroy(stream);
    }
}

Status StreamFan::open() {
    if (forked_ != nullptr) return {};
    for (cudaStream_t& stream : streams_)
        WARPSEQ_CUDA_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), ordinal_, "cannot make a stream");
    for (cudaEvent_t& event : joined_)
        WARPSEQ_CUDA_TRY(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), ordinal_, "cannot make an event");
    return cuda_status(cudaEventCreateWithFlags(&forked_, cudaEventDisableTiming), ordinal_, "cannot make an event");
}

Status StreamFan::fork(cudaStream_t stream, unsigned branches) {
    WARPSEQ_CUDA_TRY(cudaEventRecord(forked_, stream), ordinal_, "cannot order its work");
    for (unsigned i = 0; i < std::min(branches, kBranches); ++i)
        WARPSEQ_CUDA_TRY(cudaStreamWaitEvent(streams_[i], forked_, 0), ordinal_, "cannot order its work");
    return {};
}

Status StreamFan::join(cudaStream_t stream, unsigned branches) {
    for (unsigned i = 0; i < std::min(branches, kBranches); ++i) {
        WARPSEQ_CUDA_TRY(cudaEventRecord(joined_[i], streams_[i]), ordinal_, "cannot order its work");
        WARPSEQ_CUDA_TRY(cudaStreamWaitEvent(stream, joined_[i], 0), ordinal_, "cannot order its work");
    }
    return {};
}

}  // namespace warpseq::cuda
