#include "kernels/cuda/ssv_stage.cuh"

#include <algorithm>

#include "kernels/cuda/ssv_kernel.cuh"

namespace warpseq::cuda {
namespace {

using SsvKernel = void (*)(SsvArguments);

struct SsvInstance {
    int group_threads, rows_per_thread;
    bool linear;
    int block_threads;
    SsvKernel kernel;
};

template <int G, int R, bool kLinear, int kThreads, int kMinBlocks>
constexpr SsvInstance ssv_instance() {
    return {G, R, kLinear, kThreads, ssv_kernel<G, R, kLinear, kThreads, kMinBlocks>};
}

const SsvInstance kSsvInstances[] = {
    ssv_instance<2, 16, false, 128, 8>(), ssv_instance<2, 32, false, 128, 6>(), ssv_instance<4, 16, false, 128, 8>(),
    ssv_instance<4, 32, false, 128, 6>(), ssv_instance<4, 48, false, 128, 5>(), ssv_instance<8, 16, false, 128, 8>(),
    ssv_instance<8, 32, false, 128, 6>(), ssv_instance<8, 48, false, 128, 5>(), ssv_instance<2, 16, true, 128, 8>(),
    ssv_instance<2, 32, true, 128, 6>(),  ssv_instance<4, 16, true, 128, 8>(),  ssv_instance<4, 32, true, 128, 6>(),
    ssv_instance<4, 48, true, 128, 5>(),  ssv_instance<8, 16, true, 128, 8>(),  ssv_instance<8, 32, true, 128, 6>(),
    ssv_instance<8, 48, true, 128, 5>(),
};

const SsvInstance* find_ssv(const SsvShape& shape, bool linear) {
    for (const SsvInstance& each : kSsvInstances) {
        if (each.group_threads == shape.group_threads && each.rows_per_thread == shape.rows_per_thread && each.linear == linear)
            return &each;
    }
    return nullptr;
}

}  // namespace

Status SsvStage::prepare(const SsvTables& tables, cudaStream_t stream) {
    WARPSEQ_CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, ordinal_), ordinal_,
                     "cannot tell its multiprocessors");
    tables_ = &tables;
    const auto profiles = tables.profiles();
    WARPSEQ_CUDA_TRY(ticket_.reserve(1), ordinal_, "no memory for tickets");
    WARPSEQ_CUDA_TRY(profiles_.reserve(std::max<std::size_t>(profiles.size(), 1)), ordinal_, "no memory for profiles");
    return cuda_status(cudaMemcpyAsync(profiles_.data(), profiles.data(), profiles.size_bytes(), cudaMemcpyHostToDevice, stream), ordinal_,
                       "cannot copy profiles");
}

Status SsvStage::score(const TargetsOnDevice& targets, std::size_t profile_count, std::uint32_t* results, cudaStream_t stream) {
    WARPSEQ_CUDA_TRY(borders_.reserve(targets.word_count + kTileLanes), ordinal_, "no memory for border rows");
    WARPSEQ_CUDA_TRY(cudaMemsetAsync(results, 0, profile_count * targets.lane_count * sizeof(std::uint32_t), stream), ordinal_,
                     "cannot clear scores");
    for (const bool linear : {true, false}) {
        if (targets.tile_count(linear) > 0) WARPSEQ_TRY(launch(targets, linear, results, stream));
    }
    return {};
}

Status SsvStage::launch(const TargetsOnDevice& targets, bool linear, std::uint32_t* results, cudaStream_t stream) {
    const SsvPlan& plan = tables_->plan();
    const SsvInstance* const instance = find_ssv(plan.shape, linear);
    if (instance == nullptr) return Status::unavailable("no kernel for this plan: a defect of warpseq, please report it");
    const std::size_t words = ssv_profile_words(plan.shape);
    const std::size_t shared_bytes = words * sizeof(std::uint32_t);
    WARPSEQ_CUDA_TRY(cudaFuncSetAttribute(instance->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
                     ordinal_, "cannot prepare the kernel");
    int blocks = 0;
    WARPSEQ_CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, instance->kernel, instance->block_threads, shared_bytes),
                     ordinal_, "cannot prepare the kernel");
    const auto per_warp = static_cast<std::uint64_t>(32 / plan.shape.group_threads);
    const std::uint64_t units = (std::uint64_t{targets.tile_count(linear)} * (linear ? 1 : kTileLanes) + per_warp - 1) / per_warp;
    const auto warps = static_cast<std::uint64_t>(instance->block_threads / 32);
    const auto grid = static_cast<unsigned>(std::min<std::uint64_t>(
        (units + warps - 1) / warps, static_cast<std::uint64_t>(std::max(blocks, 1)) * static_cast<std::uint64_t>(multiprocessors_)));

    SsvArguments arguments{};
    arguments.words = targets.words.data();
    arguments.tiles = targets.tiles_of(linear);
    arguments.tile_count = targets.tile_count(linear);
    arguments.borders = borders_.data();
    arguments.ticket = ticket_.data();
    arguments.lane_count = targets.lane_count;
    arguments.results = results;
    const int threads = plan.shape.group_threads;
    for (std::size_t pass = 0; pass < plan.passes.size(); ++pass) {
        const SsvSegment* const segments = plan.passes[pass].segments;
        arguments.profile = reinterpret_cast<const uint4*>(profiles_.data() + pass * words);
        arguments.reads_borders = segments[0].continues;
        arguments.writes_borders = pass + 1 < plan.passes.size() && plan.passes[pass + 1].segments[0].continues;
        for (int thread = 0; thread < threads; ++thread) {
            arguments.keep[thread] = (segments[thread].continues ? 0xffffu : 0u) | (segments[threads + thread].continues ? 0xffff0000u : 0u);
            arguments.profiles[thread] = segments[thread].profile;
            arguments.profiles[threads + thread] = segments[threads + thread].profile;
        }
        WARPSEQ_CUDA_TRY(cudaMemsetAsync(arguments.ticket, 0, sizeof(unsigned), stream), ordinal_, "cannot start the SSV kernel");
        instance->kernel<<<grid, static_cast<unsigned>(instance->block_threads), shared_bytes, stream>>>(arguments);
        WARPSEQ_CUDA_TRY(cudaGetLastError(), ordinal_, "cannot start the SSV kernel");
    }
    return {};
}

}  // namespace warpseq::cuda
