#include "kernels/profile/ssv_stage_gpu.cuh"

#include "kernels/gpu/launch.cuh"
#include "kernels/profile/ssv_kernel_gpu.cuh"

namespace warpseq::cuda {
namespace {

using SsvKernel = void (*)(SsvArguments);

struct SsvInstance {
    int group_threads, rows_per_thread;
    int block_threads;
    SsvKernel kernel;
};

template <int G, int R, int kUnroll, int kMinBlocks>
constexpr SsvInstance ssv_instance() {
    constexpr int kThreads = 128;
    return {G, R, kThreads, ssv_kernel<G, R, kUnroll, kThreads, kMinBlocks>};
}

/// An instance for each shape of ssv_shapes(). Each was the quickest of 2, 3 and 6 residues at a
/// time and of several bounds of registers.
const SsvInstance kSsvInstances[] = {
    ssv_instance<2, 16, 3, 6>(), ssv_instance<2, 20, 2, 6>(), ssv_instance<2, 24, 3, 5>(), ssv_instance<2, 28, 3, 5>(),
    ssv_instance<2, 32, 2, 5>(), ssv_instance<2, 36, 3, 4>(), ssv_instance<2, 40, 6, 4>(), ssv_instance<2, 44, 2, 4>(),
    ssv_instance<2, 48, 6, 4>(), ssv_instance<2, 52, 3, 4>(), ssv_instance<2, 56, 6, 3>(), ssv_instance<2, 60, 2, 4>(),
    ssv_instance<2, 64, 6, 4>(), ssv_instance<4, 40, 6, 4>(),
};

const SsvInstance* find_ssv(const SsvShape& shape) {
    for (const SsvInstance& each : kSsvInstances) {
        if (each.group_threads == shape.group_threads && each.rows_per_thread == shape.rows_per_thread) return &each;
    }
    return nullptr;
}

/// Returns SsvArguments::above of one thread.
std::uint32_t above_permutation(const SsvSegment& low, const SsvSegment& high, bool first_thread) {
    constexpr std::uint32_t kZero = 0x77;  // bytes with value 0
    const std::uint32_t low_half = first_thread ? 0x54 : 0x10, high_half = first_thread ? 0x10 : 0x32;
    return (low.continues ? low_half : kZero) | (high.continues ? high_half : kZero) << 8;
}

}  // namespace

Status SsvStage::prepare(const SsvTables& tables, cudaStream_t stream) {
    tables_ = &tables;
    WARPSEQ_CUDA_TRY(ticket_.reserve(1), ordinal_, "no memory for tickets");
    return copy_to_device(profiles_, tables.profiles(), ordinal_, stream, "profiles");
}

Status SsvStage::score(const TargetsOnDevice& targets, std::size_t profile_count, std::uint32_t* results,
                       cudaStream_t stream) {
    const std::vector<SsvPass>& passes = tables_->plan().passes;
    WARPSEQ_CUDA_TRY(cudaMemsetAsync(results, 0, profile_count * targets.lane_count * sizeof(std::uint32_t), stream),
                     ordinal_, "cannot clear scores");
    const std::uint32_t* profile = profiles_.data();
    for (std::size_t p = 0; p < passes.size(); ++p) {
        const SsvPass& pass = passes[p];
        const SsvInstance* const instance = find_ssv(pass.shape);
        if (instance == nullptr)
            return Status::unavailable("no kernel for this plan: a defect of warpseq, please report it");
        const std::size_t words = SsvLayout{pass.shape.rows_per_thread}.profile_words();
        const std::size_t shared_bytes = words * sizeof(std::uint32_t);
        const bool reads = pass.segments[0].continues,
                   writes = p + 1 < passes.size() && passes[p + 1].segments[0].continues;
        if (writes)
            WARPSEQ_CUDA_TRY(borders_[p % 2].reserve(targets.word_count), ordinal_, "no memory for border rows");
        const Result<unsigned> resident = resident_blocks(
            ordinal_, instance->kernel, {.threads = instance->block_threads, .shared_bytes = shared_bytes});
        if (!resident.ok()) return resident.status();
        const int threads = pass.shape.group_threads;
        const auto warps = static_cast<std::uint64_t>(instance->block_threads / 32);
        const std::uint64_t most_units =
            std::uint64_t{targets.linear_pieces} + std::uint64_t{targets.interleaved_pieces} * threads;
        if (most_units == 0) break;
        const unsigned blocks = blocks_for(most_units, warps, *resident);

        SsvArguments arguments{};
        arguments.words = targets.words.data();
        arguments.pieces = targets.pieces.data();
        arguments.linear_pieces = targets.linear_pieces;
        arguments.interleaved_pieces = targets.interleaved_pieces;
        arguments.profile = reinterpret_cast<const uint4*>(profile);
        arguments.borders_before = reads ? borders_[(p + 1) % 2].data() : nullptr;
        arguments.borders_after = writes ? borders_[p % 2].data() : nullptr;
        arguments.ticket = ticket_.data();
        arguments.lane_count = targets.lane_count;
        arguments.results = results;
        for (int thread = 0; thread < threads; ++thread) {
            const SsvSegment &low = pass.segments[thread], &high = pass.segments[threads + thread];
            arguments.above[thread] = above_permutation(low, high, thread == 0);
            arguments.profiles[thread] = low.profile;
            arguments.profiles[threads + thread] = high.profile;
        }
        WARPSEQ_CUDA_TRY(cudaMemsetAsync(arguments.ticket, 0, sizeof(unsigned), stream), ordinal_,
                         "cannot start the SSV kernel");
        instance->kernel<<<blocks, static_cast<unsigned>(instance->block_threads), shared_bytes, stream>>>(arguments);
        WARPSEQ_CUDA_TRY(cudaGetLastError(), ordinal_, "cannot start the SSV kernel");
        profile += words;
    }
    return {};
}

}  // namespace warpseq::cuda
