#include "kernels/cuda/exact_viterbi_stage.cuh"

#include <algorithm>
#include <functional>

#include "kernels/cuda/exact_viterbi_kernel.cuh"

namespace warpseq::cuda {
namespace {

struct Instance {
    int nodes_per_thread;
    bool spread;
    int block_threads;  // of a block whose warps have a target each; at most, where they share one
    void (*kernel)(ExactViterbiArguments);
};

template <int R, int kMinBlocks>
constexpr Instance alone() {
    return {R, false, 64, exact_viterbi_kernel<R, false, 64, kMinBlocks>};
}
template <int R, int kWarps, int kMinBlocks>
constexpr Instance spread() {
    return {R, true, 32 * kWarps, exact_viterbi_kernel<R, true, 32 * kWarps, kMinBlocks>};
}

const Instance kInstances[] = {alone<2, 16>(), alone<4, 12>(), alone<7, 8>(), alone<10, 6>(), alone<13, 5>(), alone<16, 4>(),
                               spread<10, 8, 2>(), spread<13, 6, 2>(), spread<13, 8, 1>(), spread<16, 8, 1>()};
constexpr unsigned kLongBlockThreads = 128;
constexpr unsigned kLongBlocksPerMultiprocessor = 8;

const Instance* find(const ExactViterbiShape& shape) {
    const auto found = std::ranges::find_if(
        kInstances, [&](const Instance& each) {
        return each.nodes_per_thread == shape.nodes_per_thread && each.spread == (shape.warps > 1) && (shape.warps == 1 || each.block_threads >= shape.threads());
    });
    return found == std::end(kInstances) ? nullptr : found;
}

}  // namespace

Status ExactViterbiStage::prepare(const ExactViterbiTables& tables, cudaStream_t stream) {
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    WARPSEQ_CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, ordinal_), ordinal_,
                     "cannot tell its multiprocessors");
    WARPSEQ_TRY(fan_.open());
    shapes_.assign(tables.shape_of_profile().begin(), tables.shape_of_profile().end());
    std::ranges::sort(shapes_, std::greater());
    shapes_.erase(std::ranges::unique(shapes_).begin(), shapes_.end());
    std::vector<std::uint32_t> group_of_profile;
    longest_without_shape_ = 0;
    for (std::size_t p = 0; p < tables.profiles().size(); ++p) {
        const std::uint32_t shape = tables.shape_of_profile()[p];
        group_of_profile.push_back(static_cast<std::uint32_t>(std::ranges::find(shapes_, shape) - shapes_.begin()));
        if (shape == exact_viterbi_shapes().size()) longest_without_shape_ = std::max(longest_without_shape_, tables.profiles()[p].length);
    }
    WARPSEQ_TRY(undecided_.prepare(group_of_profile, static_cast<std::uint32_t>(shapes_.size()), true, stream));
    WARPSEQ_CUDA_TRY(profiles_.reserve(std::max<std::size_t>(tables.profiles().size(), 1)), ordinal_, "no memory for profiles");
    WARPSEQ_CUDA_TRY(entries_.reserve(std::max<std::size_t>(tables.entries().size(), 1)), ordinal_, "no memory for profiles");
    WARPSEQ_CUDA_TRY(cudaMemcpyAsync(profiles_.data(), tables.profiles().data(), tables.profiles().size_bytes(), cudaMemcpyHostToDevice, stream),
                     ordinal_, "cannot copy profiles");
    WARPSEQ_CUDA_TRY(cudaMemcpyAsync(entries_.data(), tables.entries().data(), tables.entries().size_bytes(), cudaMemcpyHostToDevice, stream),
                     ordinal_, "cannot copy profiles");
    // Pageable memory: the copies have left it when the stream is done.
    return cuda_status(cudaStreamSynchronize(stream), ordinal_, "cannot copy profiles");
}

Status ExactViterbiStage::score(const TargetsOnDevice& targets, const DeviceWorkList& list, const std::int16_t* moves, std::int16_t* results,
                                cudaStream_t stream) {
    if (list.most == 0 || shapes_.empty()) return {};
    WARPSEQ_TRY(undecided_.collect(list, results, targets.lanes_table.data(), stream));
    ExactViterbiArguments arguments{};
    arguments.words = targets.words.data();
    arguments.lanes = targets.lanes_table.data();
    arguments.lane_count = list.lane_count;
    arguments.slots = list.slots;
    arguments.undecided = undecided_.view();
    arguments.moves = moves;
    arguments.profiles = profiles_.data();
    arguments.entries = entries_.data();
    arguments.results = results;

    const auto branches = static_cast<unsigned>(shapes_.size());
    const bool one = branches == 1;
    if (!one) WARPSEQ_TRY(fan_.fork(stream, branches));
    for (unsigned i = 0; i < branches; ++i) {
        const cudaStream_t branch = one ? stream : fan_.branch(i);
        arguments.group = i * kLengthBins;
        if (shapes_[i] == exact_viterbi_shapes().size()) {
            const unsigned blocks = static_cast<unsigned>(multiprocessors_) * kLongBlocksPerMultiprocessor;
            arguments.row_nodes = static_cast<std::uint32_t>(longest_without_shape_);
            WARPSEQ_CUDA_TRY(rows_.reserve(std::size_t{blocks} * (kLongBlockThreads / 32) * 3 * arguments.row_nodes), ordinal_, "no memory for rows");
            arguments.rows = rows_.data();
            exact_viterbi_long_kernel<<<blocks, kLongBlockThreads, 0, branch>>>(arguments);
        } else {
            const ExactViterbiShape& shape = exact_viterbi_shapes()[shapes_[i]];
            const Instance* const instance = find(shape);
            if (instance == nullptr) return Status::unavailable("no kernel for this plan: a defect of warpseq, please report it");
            const int block_threads = instance->spread ? shape.threads() : instance->block_threads;
            int blocks = 0;
            WARPSEQ_CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, instance->kernel, block_threads, 0), ordinal_,
                             "cannot prepare the Viterbi kernel");
            instance->kernel<<<static_cast<unsigned>(std::max(blocks, 1) * multiprocessors_), static_cast<unsigned>(block_threads), 0, branch>>>(
                arguments);
        }
        WARPSEQ_CUDA_TRY(cudaGetLastError(), ordinal_, "cannot start the Viterbi kernel");
    }
    if (!one) WARPSEQ_TRY(fan_.join(stream, branches));
    return {};
}

}  // namespace warpseq::cuda
