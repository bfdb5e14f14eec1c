#include "kernels/profile/viterbi_multihit_stage_gpu.cuh"

#include <algorithm>
#include <functional>

#include "kernels/gpu/launch.cuh"
#include "kernels/profile/viterbi_multihit_kernel_gpu.cuh"

namespace warpseq::cuda {
namespace {

struct Instance {
    ViterbiMultihitShape shape;
    int block_threads;  // if this is more than the shape's, the block has several targets
    void (*kernel)(ViterbiMultihitArguments);
};

constexpr int kBlockThreads = 64;

template <int T, int R, int kMinBlocks>
constexpr Instance within_a_warp() {
    return {{T, R}, kBlockThreads, viterbi_multihit_kernel<T, R, false, kBlockThreads, kMinBlocks>};
}
/// Makes an instance. kMostThreads is the number of threads that the kernel is compiled for.
template <int T, int R, int kMostThreads, int kMinBlocks>
constexpr Instance spread() {
    return {{T, R}, T, viterbi_multihit_kernel<32, R, true, kMostThreads, kMinBlocks>};
}

const Instance kInstances[] = {
    within_a_warp<8, 4, 12>(),  within_a_warp<8, 7, 8>(),   within_a_warp<8, 10, 6>(),  within_a_warp<8, 13, 5>(),
    within_a_warp<8, 16, 4>(),  within_a_warp<16, 10, 6>(), within_a_warp<16, 13, 5>(), within_a_warp<16, 16, 4>(),
    within_a_warp<32, 10, 6>(), within_a_warp<32, 13, 5>(), within_a_warp<32, 16, 4>(), spread<64, 10, 64, 7>(),
    spread<64, 13, 64, 5>(),    spread<64, 16, 64, 4>(),    spread<96, 13, 128, 3>(),   spread<128, 13, 128, 3>(),
    spread<128, 16, 128, 2>(),  spread<160, 13, 192, 2>(),  spread<192, 13, 192, 2>(),  spread<256, 10, 256, 2>(),
    spread<160, 16, 256, 1>(),  spread<224, 13, 256, 1>(),  spread<192, 16, 256, 1>(),  spread<256, 13, 256, 1>(),
    spread<224, 16, 256, 1>(),  spread<256, 16, 256, 1>(),
};
constexpr unsigned kLongBlockThreads = 128;
constexpr unsigned kLongBlocksPerMultiprocessor = 8;

/// The number of shapes whose kernels run side by side.
constexpr std::size_t kBranches = 6;

const Instance* find(const ViterbiMultihitShape& shape) {
    const auto found = std::ranges::find(kInstances, shape, &Instance::shape);
    return found == std::end(kInstances) ? nullptr : found;
}

}  // namespace

Status ViterbiMultihitStage::prepare(const ViterbiMultihitTables& tables, cudaStream_t stream) {
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    const Result<int> multiprocessors = count_multiprocessors(ordinal_);
    if (!multiprocessors.ok()) return multiprocessors.status();
    multiprocessors_ = *multiprocessors;
    WARPSEQ_TRY(fan_.open(ordinal_, kBranches));
    shapes_.assign(tables.shape_of_profile().begin(), tables.shape_of_profile().end());
    std::ranges::sort(shapes_, std::greater());
    shapes_.erase(std::ranges::unique(shapes_).begin(), shapes_.end());
    std::vector<std::uint32_t> group_of_profile;
    longest_without_shape_ = 0;
    for (std::size_t p = 0; p < tables.profiles().size(); ++p) {
        const std::uint32_t shape = tables.shape_of_profile()[p];
        group_of_profile.push_back(static_cast<std::uint32_t>(std::ranges::find(shapes_, shape) - shapes_.begin()));
        if (shape == viterbi_multihit_shapes().size())
            longest_without_shape_ = std::max(longest_without_shape_, tables.profiles()[p].length);
    }
    EnqueuedWork copies(ordinal_);  // of group_of_profile, too
    WARPSEQ_TRY(undecided_.prepare(group_of_profile, static_cast<std::uint32_t>(shapes_.size()), true, stream));
    WARPSEQ_TRY(copy_to_device(profiles_, tables.profiles(), ordinal_, stream, "profiles"));
    WARPSEQ_TRY(copy_to_device(entries_, tables.entries(), ordinal_, stream, "profiles"));
    return copies.wait(stream, "cannot copy profiles");
}

Status ViterbiMultihitStage::score(const TargetsOnDevice& targets, const DeviceWorkList& list,
                                   const std::int16_t* moves, std::int16_t* results, cudaStream_t stream) {
    if (list.most == 0 || shapes_.empty()) return {};
    WARPSEQ_TRY(undecided_.collect(list, results, targets.lanes_table.data(), stream));
    ViterbiMultihitArguments arguments{};
    arguments.words = targets.words.data();
    arguments.lanes = targets.lanes_table.data();
    arguments.lane_count = list.lane_count;
    arguments.slots = list.slots;
    arguments.undecided = undecided_.view();
    arguments.moves = moves;
    arguments.profiles = profiles_.data();
    arguments.entries = entries_.data();
    arguments.results = results;

    const std::size_t branches = shapes_.size() > 1 ? shapes_.size() : 0;
    return fan_.run(stream, branches, [&]() -> Status {
        for (std::size_t i = 0; i < shapes_.size(); ++i) {
            arguments.group = static_cast<std::uint32_t>(i) * kLengthBins;
            WARPSEQ_TRY(start(shapes_[i], arguments, branches == 0 ? stream : fan_.branch(i)));
        }
        return {};
    });
}

Status ViterbiMultihitStage::start(std::uint32_t shape, ViterbiMultihitArguments& arguments, cudaStream_t stream) {
    if (shape == viterbi_multihit_shapes().size()) {
        arguments.row_nodes = static_cast<std::uint32_t>(longest_without_shape_);
        const unsigned blocks =
            blocks_within(scratch_bytes_, std::uint64_t{kLongBlockThreads / 32} * 3 * arguments.row_nodes * sizeof(int),
                          static_cast<unsigned>(multiprocessors_) * kLongBlocksPerMultiprocessor);
        WARPSEQ_CUDA_TRY(rows_.reserve(std::size_t{blocks} * (kLongBlockThreads / 32) * 3 * arguments.row_nodes),
                         ordinal_, "no memory for rows");
        arguments.rows = rows_.data();
        viterbi_multihit_long_kernel<<<blocks, kLongBlockThreads, 0, stream>>>(arguments);
    } else {
        const Instance* const instance = find(viterbi_multihit_shapes()[shape]);
        if (instance == nullptr)
            return Status::unavailable("no kernel for this plan: a defect of warpseq, please report it");
        const Result<unsigned> blocks =
            resident_blocks(ordinal_, instance->kernel, {.threads = instance->block_threads});
        if (!blocks.ok()) return blocks.status();
        instance->kernel<<<*blocks, static_cast<unsigned>(instance->block_threads), 0, stream>>>(arguments);
    }
    return cuda_status(cudaGetLastError(), ordinal_, "cannot start the Viterbi kernel");
}

}  // namespace warpseq::cuda
