#include "kernels/profile/forward_stage_gpu.cuh"

#include <algorithm>

#include "kernels/gpu/launch.cuh"
#include "kernels/profile/forward_kernel_gpu.cuh"

namespace warpseq::cuda {
namespace {

/// The number of residues from which targets go before all others of a class, whatever their
/// profile. They take as long as thousands of others.
constexpr std::uint32_t kLongTargetResidues = 2048;

/// The number of classes whose kernels run side by side.
constexpr std::size_t kBranches = 4;

using ForwardKernel = void (*)(ForwardArguments);

/// Returns the kernel of a group of kLanes lanes, or of several warps (0) on kTargets targets. R is
/// the first of a list of nodes a thread.
template <int kLanes, int kTargets, int R, int... kMore>
ForwardKernel instance_of(int nodes_per_thread) {
    if (nodes_per_thread == R) {
        if constexpr (kLanes == 0)
            return forward_warps_kernel<R, kTargets>;
        else
            return forward_lanes_kernel<kLanes, R>;
    }
    if constexpr (sizeof...(kMore) > 0)
        return instance_of<kLanes, kTargets, kMore...>(nodes_per_thread);
    else
        return nullptr;
}

ForwardKernel find_kernel(const ForwardShape& shape) {
    const int nodes = shape.nodes_per_thread;
    if (nodes > kMostForwardNodesPerThread) return forward_long_kernel;
    if (shape.warps > 1)
        return shape.targets == 1 ? instance_of<0, 1, 16>(nodes) : instance_of<0, 2, 7, 8, 10, 12, 13>(nodes);
    switch (shape.lanes) {
        case 4: return instance_of<4, 1, 4, 6, 8, 10, 12, 14, 16>(nodes);
        case 8: return instance_of<8, 1, 10, 12, 14, 16>(nodes);
        case 16: return instance_of<16, 1, 10, 12, 14, 16>(nodes);
        default: return instance_of<32, 1, 10, 12, 14, 16>(nodes);
    }
}

/// Returns the number of targets that one ticket stands for.
std::uint32_t ticket_targets(const ForwardShape& shape) {
    return static_cast<std::uint32_t>(shape.warps > 1 ? shape.targets : 32 / shape.lanes);
}

/// Returns the first pair of the list, from `begin` on, that is not before `slot`.
__device__ std::uint32_t lower_bound(const std::uint32_t* slots, std::uint32_t begin, std::uint32_t end,
                                     std::uint64_t slot) {
    while (begin < end) {
        const std::uint32_t middle = begin + (end - begin) / 2;
        if (slots[middle] < slot)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/// Cuts the list into the segments of one class, long targets first. segments[c] has its c-th
/// profile's long targets, and segments[profile_count + c] the others.
__global__ void cut_forward_segments(DeviceWorkList list, const DeviceLane* lanes, const std::uint32_t* profiles,
                                     std::uint32_t profile_count, std::uint32_t per_ticket, ForwardSegment* segments,
                                     unsigned* ticket) {
    const std::uint32_t total = *list.count;
    for (std::uint32_t c = threadIdx.x; c < profile_count; c += blockDim.x) {
        const std::uint64_t first_slot = std::uint64_t{profiles[c]} * list.lane_count;
        const std::uint32_t begin = lower_bound(list.slots, 0, total, first_slot);
        const std::uint32_t end = lower_bound(list.slots, begin, total, first_slot + list.lane_count);
        std::uint32_t split = begin, above = end;  // the first target that is not long
        while (split < above) {
            const std::uint32_t middle = split + (above - split) / 2;
            if (lanes[list.slots[middle] - first_slot].residues >= kLongTargetResidues)
                split = middle + 1;
            else
                above = middle;
        }
        segments[c] = {profiles[c], begin, split - begin, 0};
        segments[profile_count + c] = {profiles[c], split, end - split, 0};
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    std::uint32_t tickets = 0;
    for (std::uint32_t segment = 0; segment < 2 * profile_count; ++segment) {
        segments[segment].first_ticket = tickets;
        tickets += (segments[segment].count + per_ticket - 1) / per_ticket;
    }
    segments[2 * profile_count] = {0, 0, 0, tickets};
    *ticket = 0;
}

/// Sets the results of profiles without a proven margin to infinity.
__global__ void refuse_segments(const ForwardSegment* segments, std::uint32_t segment_count, float* results) {
    for (std::uint32_t at = 0; at < segment_count; ++at) {
        for (std::uint32_t item = blockIdx.x * blockDim.x + threadIdx.x; item < segments[at].count;
             item += gridDim.x * blockDim.x)
            results[segments[at].first + item] = INFINITY;
    }
}

}  // namespace

Status ForwardStage::prepare(const ForwardTables& tables, cudaStream_t stream) {
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    const Result<int> multiprocessors = count_multiprocessors(ordinal_);
    if (!multiprocessors.ok()) return multiprocessors.status();
    multiprocessors_ = *multiprocessors;
    WARPSEQ_TRY(fan_.open(ordinal_, kBranches));
    classes_.clear();
    std::vector<std::size_t> firsts;
    int longest = 0;
    for (std::uint32_t p = 0; p < tables.entries().size(); ++p) {
        const ForwardTables::Entry& entry = tables.entries()[p];
        firsts.push_back(entry.first);
        auto found = std::ranges::find_if(classes_, [&](const Class& each) {
            return each.bounded == entry.bounded && (!entry.bounded || each.shape == entry.shape);
        });
        if (found == classes_.end()) found = classes_.insert(found, {entry.shape, entry.bounded, {}});
        found->profiles.push_back(p);
        if (entry.bounded && entry.shape.nodes_per_thread > kMostForwardNodesPerThread)
            longest = std::max(longest, entry.shape.nodes_per_thread);
    }
    // The classes with the most work for a target come first, so that others fill the gaps while
    // they run.
    std::ranges::stable_sort(classes_, std::ranges::greater(), [](const Class& each) { return each.shape.nodes(); });
    std::vector<std::uint32_t> class_profiles;
    for (const Class& each : classes_)
        class_profiles.insert(class_profiles.end(), each.profiles.begin(), each.profiles.end());

    const auto block_state =
        std::size_t{kForwardLongStates} * static_cast<std::size_t>(longest) * 32 * kLongForwardWarps;
    long_blocks_ = longest > 0 ? blocks_within(scratch_bytes_, block_state * sizeof(float),
                                               static_cast<unsigned>(2 * multiprocessors_))
                               : 0;
    const std::size_t long_state = long_blocks_ * block_state;
    WARPSEQ_CUDA_TRY(segments_.reserve(2 * firsts.size() + classes_.size() + 1), ordinal_, "no memory for profiles");
    WARPSEQ_CUDA_TRY(tickets_.reserve(classes_.size() + 1), ordinal_, "no memory for profiles");
    if (long_state > 0) WARPSEQ_CUDA_TRY(state_.reserve(long_state), ordinal_, "no memory for long profiles");
    EnqueuedWork copies(ordinal_);  // of the vectors above, too
    WARPSEQ_TRY(copy_to_device(numbers_, tables.numbers(), ordinal_, stream, "profiles"));
    WARPSEQ_TRY(copy_to_device(firsts_, firsts, ordinal_, stream, "profiles"));
    WARPSEQ_TRY(copy_to_device(class_profiles_, class_profiles, ordinal_, stream, "profiles"));
    return copies.wait(stream, "cannot copy profiles");
}

Status ForwardStage::launch(const Class& each, ForwardArguments& arguments, cudaStream_t stream) {
    if (!each.bounded) {
        refuse_segments<<<static_cast<unsigned>(multiprocessors_), 256, 0, stream>>>(
            arguments.segments, arguments.segment_count, arguments.results);
        return cuda_status(cudaGetLastError(), ordinal_, "cannot start the Forward kernel");
    }
    const ForwardKernel kernel = find_kernel(each.shape);
    if (kernel == nullptr)
        return Status::unavailable("no kernel for this shape: a defect of warpseq, please report it");
    const int threads = each.shape.warps > 1 ? each.shape.threads() : kForwardLanesThreads;
    unsigned blocks = long_blocks_;
    if (kernel != forward_long_kernel) {
        const Result<unsigned> resident = resident_blocks(ordinal_, kernel, {.threads = threads});
        if (!resident.ok()) return resident.status();
        blocks = *resident;
    }
    arguments.warps = each.shape.warps;
    arguments.nodes_per_thread = each.shape.nodes_per_thread;
    kernel<<<blocks, static_cast<unsigned>(threads), 0, stream>>>(arguments);
    return cuda_status(cudaGetLastError(), ordinal_, "cannot start the Forward kernel");
}

Status ForwardStage::score(const TargetsOnDevice& targets, const DeviceWorkList& list, float* results,
                           cudaStream_t stream) {
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    ForwardArguments arguments{};
    arguments.words = targets.words.data();
    arguments.lanes = targets.lanes_table.data();
    arguments.slots = list.slots;
    arguments.lane_count = list.lane_count;
    arguments.numbers = numbers_.data();
    arguments.firsts = firsts_.data();
    arguments.results = results;
    arguments.state = state_.data();
    const std::size_t branches = classes_.size() > 1 ? std::min(fan_.size(), classes_.size()) : 0;
    return fan_.run(stream, branches, [&]() -> Status {
        const std::uint32_t* profiles = class_profiles_.data();
        ForwardSegment* segments = segments_.data();
        for (std::size_t c = 0; c < classes_.size(); ++c) {
            const Class& each = classes_[c];
            const auto count = static_cast<std::uint32_t>(each.profiles.size());
            // Kernels of long models run one after another, since they share their memory.
            const bool is_long = each.shape.nodes_per_thread > kMostForwardNodesPerThread;
            const cudaStream_t on = branches == 0 ? stream : fan_.branch(is_long ? 0 : c % branches);
            arguments.segments = segments;
            arguments.segment_count = 2 * count;
            arguments.ticket = tickets_.data() + c;
            cut_forward_segments<<<1, 64, 0, on>>>(list, arguments.lanes, profiles, count, ticket_targets(each.shape),
                                                   segments, arguments.ticket);
            WARPSEQ_CUDA_TRY(cudaGetLastError(), ordinal_, "cannot start the Forward kernel");
            WARPSEQ_TRY(launch(each, arguments, on));
            profiles += count;
            segments += 2 * count + 1;
        }
        return {};
    });
}

}  // namespace warpseq::cuda
