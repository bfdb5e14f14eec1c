#include "kernels/profile/msv_stage_gpu.cuh"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "kernels/gpu/launch.cuh"
#include "kernels/profile/msv_kernel_gpu.cuh"

namespace warpseq::cuda {
namespace {

struct Instance {
    MsvShape shape;
    int block_threads;
    void (*kernel)(MsvArguments);
};

template <int G, int R, int kThreads, int kMinBlocks>
constexpr Instance instance() {
    return {{G, R}, kThreads, msv_kernel<G, R, kThreads, kMinBlocks>};
}

// Instances in the order of msv_shapes(). Blocks are so large that tables in shared memory do not
// limit the number of warps.
const Instance kInstances[] = {
    instance<8, 4, 256, 5>(),   instance<8, 8, 256, 5>(),   instance<8, 12, 256, 4>(),  instance<8, 16, 256, 4>(),
    instance<8, 20, 256, 4>(),  instance<8, 24, 256, 3>(),  instance<8, 28, 256, 3>(),  instance<8, 32, 256, 3>(),
    instance<16, 20, 256, 4>(), instance<16, 24, 256, 3>(), instance<16, 28, 256, 3>(), instance<16, 32, 256, 3>(),
    instance<32, 20, 256, 3>(), instance<32, 24, 256, 3>(), instance<32, 28, 384, 2>(), instance<32, 32, 384, 2>(),
    instance<32, 40, 640, 1>(), instance<32, 48, 640, 1>(), instance<32, 56, 512, 1>(), instance<32, 64, 512, 1>(),
};
constexpr unsigned kLongBlockThreads = 128;
constexpr unsigned kLongBlocksPerMultiprocessor = 8;

/// The number of shapes whose kernels run side by side.
constexpr std::size_t kBranches = 6;

}  // namespace

Status MsvStage::prepare(const MsvTables& tables, cudaStream_t stream) {
    if (tables.highest_bias() > kMsvHighestBias)
        return Status::unavailable("a profile has a match score of over " + std::to_string(kMsvHighestBias / 3) +
                                   " bits: the GPU's MSV filter does not take it");
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    const Result<int> multiprocessors = count_multiprocessors(ordinal_);
    if (!multiprocessors.ok()) return multiprocessors.status();
    multiprocessors_ = *multiprocessors;
    WARPSEQ_TRY(fan_.open(ordinal_, kBranches));
    const auto profile_count = static_cast<std::uint32_t>(tables.profiles().size());
    std::vector<std::uint32_t> each(profile_count), members;
    std::iota(each.begin(), each.end(), 0u);
    EnqueuedWork copies(ordinal_);  // of the vectors above, too
    WARPSEQ_TRY(undecided_.prepare(each, profile_count, false, stream));

    launches_.clear();
    longest_without_shape_ = 0;
    const auto shapes = static_cast<std::uint32_t>(msv_shapes().size());
    for (std::uint32_t shape = shapes + 1; shape-- > 0;) {  // the slowest first
        const auto first = static_cast<std::uint32_t>(members.size());
        std::ranges::copy_if(each, std::back_inserter(members),
                             [&](std::uint32_t p) { return tables.shape_of_profile()[p] == shape; });
        if (members.size() == first) continue;
        launches_.push_back({shape, first, static_cast<std::uint32_t>(members.size()) - first});
        for (std::size_t i = first; shape == shapes && i < members.size(); ++i)
            longest_without_shape_ = std::max(longest_without_shape_, tables.profiles()[members[i]].length);
    }
    WARPSEQ_TRY(copy_to_device(profiles_, tables.profiles(), ordinal_, stream, "profiles"));
    WARPSEQ_TRY(copy_to_device(tables_, tables.words(), ordinal_, stream, "profiles"));
    WARPSEQ_TRY(copy_to_device(best_scores_, tables.best_scores(), ordinal_, stream, "profiles"));
    WARPSEQ_TRY(copy_to_device(members_, members, ordinal_, stream, "profiles"));
    return copies.wait(stream, "cannot copy profiles");
}

Status MsvStage::score(const TargetsOnDevice& targets, const DeviceWorkList& list, const std::uint8_t* moves,
                       std::int16_t* results, cudaStream_t stream) {
    if (list.most == 0 || launches_.empty()) return {};
    WARPSEQ_TRY(undecided_.collect(list, results, targets.lanes_table.data(), stream));
    MsvArguments arguments{};
    arguments.words = targets.words.data();
    arguments.lanes = targets.lanes_table.data();
    arguments.lane_count = list.lane_count;
    arguments.slots = list.slots;
    arguments.undecided = undecided_.view();
    arguments.moves = moves;
    arguments.profiles = profiles_.data();
    arguments.tables = tables_.data();
    arguments.best_scores = best_scores_.data();
    arguments.results = results;

    const std::size_t branches = launches_.size() > 1 ? launches_.size() : 0;
    return fan_.run(stream, branches, [&]() -> Status {
        for (std::size_t i = 0; i < launches_.size(); ++i)
            WARPSEQ_TRY(start(launches_[i], arguments, branches == 0 ? stream : fan_.branch(i)));
        return {};
    });
}

Status MsvStage::start(const Launch& launch, MsvArguments& arguments, cudaStream_t stream) {
    arguments.members = members_.data() + launch.first_member;
    arguments.member_count = launch.members;
    if (launch.shape == msv_shapes().size()) {
        arguments.row_nodes = static_cast<std::uint32_t>(longest_without_shape_);
        const unsigned blocks = blocks_within(
            scratch_bytes_, std::uint64_t{kLongBlockThreads / 32} * arguments.row_nodes * sizeof(std::uint16_t),
            static_cast<unsigned>(multiprocessors_) * kLongBlocksPerMultiprocessor);
        WARPSEQ_CUDA_TRY(rows_.reserve(std::size_t{blocks} * (kLongBlockThreads / 32) * arguments.row_nodes), ordinal_,
                         "no memory for rows");
        arguments.rows = rows_.data();
        msv_long_kernel<<<blocks, kLongBlockThreads, 0, stream>>>(arguments);
    } else {
        const Instance& instance = kInstances[launch.shape];
        const std::size_t shared_bytes = instance.shape.table_words() * sizeof(std::uint32_t);
        const Result<unsigned> blocks = resident_blocks(
            ordinal_, instance.kernel, {.threads = instance.block_threads, .shared_bytes = shared_bytes});
        if (!blocks.ok()) return blocks.status();
        instance.kernel<<<*blocks, static_cast<unsigned>(instance.block_threads), shared_bytes, stream>>>(arguments);
    }
    return cuda_status(cudaGetLastError(), ordinal_, "cannot start the MSV kernel");
}

}  // namespace warpseq::cuda
