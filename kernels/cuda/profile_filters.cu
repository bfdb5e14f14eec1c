#include "kernels/cuda/profile_filters.h"

#include <algorithm>
#include <utility>

#include "kernels/cuda/cuda_status.cuh"
#include "kernels/cuda/device_targets.cuh"
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

class Gpu final : public ProfileFilterGpu {
   public:
    explicit Gpu(int ordinal) : ordinal_(ordinal), uploader_(ordinal) {}
    ~Gpu() override {
        cudaSetDevice(ordinal_);
        for (const cudaEvent_t event : {begun_, ended_}) {
            if (event != nullptr) cudaEventDestroy(event);
        }
        if (stream_ != nullptr) cudaStreamDestroy(stream_);
    }

    Status open() {
        WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
        WARPSEQ_CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, ordinal_), ordinal_,
                         "cannot tell its multiprocessors");
        WARPSEQ_CUDA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), ordinal_, "cannot make a stream");
        for (cudaEvent_t* event : {&begun_, &ended_})
            WARPSEQ_CUDA_TRY(cudaEventCreate(event), ordinal_, "cannot make an event");
        WARPSEQ_CUDA_TRY(tickets_.reserve(1), ordinal_, "no memory for tickets");
        return {};
    }

    Result<std::shared_ptr<DeviceTargets>> upload(std::span<const TileView> tiles,
                                                  std::shared_ptr<DeviceTargets> reuse) override {
        return uploader_.upload(tiles, std::move(reuse), stream_);
    }

    Result<std::span<const std::uint32_t>> score_ssv(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                                     const DeviceTargets& targets) override;
    float kernel_milliseconds() const override { return kernel_milliseconds_; }

   private:
    Status copy_batch(const std::shared_ptr<const ProfileFilterBatch>& batch);
    Status launch_ssv(const TargetsOnDevice& targets, bool linear);

    int ordinal_, multiprocessors_ = 0;
    TargetUploader uploader_;
    cudaStream_t stream_ = nullptr;
    cudaEvent_t begun_ = nullptr, ended_ = nullptr;
    DeviceArray<unsigned> tickets_;
    std::shared_ptr<const ProfileFilterBatch> batch_;  // whose profiles are on the device
    DeviceArray<std::uint32_t> ssv_profiles_, ssv_results_;
    DeviceArray<uint2> borders_;
    PinnedArray<std::uint32_t> host_results_;
    float kernel_milliseconds_ = 0;
};

Status Gpu::copy_batch(const std::shared_ptr<const ProfileFilterBatch>& batch) {
    if (batch_ == batch) return {};
    batch_ = nullptr;
    const auto profiles = batch->ssv_profiles();
    WARPSEQ_CUDA_TRY(ssv_profiles_.reserve(std::max<std::size_t>(profiles.size(), 1)), ordinal_, "no memory for profiles");
    WARPSEQ_CUDA_TRY(cudaMemcpyAsync(ssv_profiles_.data(), profiles.data(), profiles.size_bytes(), cudaMemcpyHostToDevice, stream_),
                     ordinal_, "cannot copy profiles");
    batch_ = batch;
    return {};
}

Status Gpu::launch_ssv(const TargetsOnDevice& targets, bool linear) {
    const SsvPlan& plan = batch_->ssv_plan();
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
    arguments.ticket = tickets_.data();
    arguments.lane_count = targets.lane_count;
    arguments.results = ssv_results_.data();
    const int threads = plan.shape.group_threads;
    for (std::size_t pass = 0; pass < plan.passes.size(); ++pass) {
        const SsvSegment* const segments = plan.passes[pass].segments;
        arguments.profile = reinterpret_cast<const uint4*>(ssv_profiles_.data() + pass * words);
        arguments.reads_borders = segments[0].continues;
        arguments.writes_borders = pass + 1 < plan.passes.size() && plan.passes[pass + 1].segments[0].continues;
        for (int thread = 0; thread < threads; ++thread) {
            arguments.keep[thread] = (segments[thread].continues ? 0xffffu : 0u) | (segments[threads + thread].continues ? 0xffff0000u : 0u);
            arguments.profiles[thread] = segments[thread].profile;
            arguments.profiles[threads + thread] = segments[threads + thread].profile;
        }
        WARPSEQ_CUDA_TRY(cudaMemsetAsync(arguments.ticket, 0, sizeof(unsigned), stream_), ordinal_, "cannot start the SSV kernel");
        instance->kernel<<<grid, static_cast<unsigned>(instance->block_threads), shared_bytes, stream_>>>(arguments);
        WARPSEQ_CUDA_TRY(cudaGetLastError(), ordinal_, "cannot start the SSV kernel");
    }
    return {};
}

Result<std::span<const std::uint32_t>> Gpu::score_ssv(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                                      const DeviceTargets& targets_base) {
    const auto& targets = static_cast<const TargetsOnDevice&>(targets_base);
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    WARPSEQ_TRY(copy_batch(batch));
    const std::size_t count = batch->profile_count() * targets.lane_count;
    WARPSEQ_CUDA_TRY(ssv_results_.reserve(std::max<std::size_t>(count, 1)), ordinal_, "no memory for scores");
    WARPSEQ_CUDA_TRY(host_results_.reserve(std::max<std::size_t>(count, 1)), ordinal_, "no pinned memory for scores");
    WARPSEQ_CUDA_TRY(borders_.reserve(targets.word_count + kTileLanes), ordinal_, "no memory for border rows");
    WARPSEQ_CUDA_TRY(cudaEventRecord(begun_, stream_), ordinal_, "cannot start the SSV kernel");
    WARPSEQ_CUDA_TRY(cudaMemsetAsync(ssv_results_.data(), 0, count * sizeof(std::uint32_t), stream_), ordinal_, "cannot clear scores");
    for (const bool linear : {true, false}) {
        if (targets.tile_count(linear) > 0) WARPSEQ_TRY(launch_ssv(targets, linear));
    }
    WARPSEQ_CUDA_TRY(cudaEventRecord(ended_, stream_), ordinal_, "cannot wait for the SSV kernel");
    WARPSEQ_CUDA_TRY(cudaMemcpyAsync(host_results_.data(), ssv_results_.data(), count * sizeof(std::uint32_t), cudaMemcpyDeviceToHost, stream_),
                     ordinal_, "cannot copy scores");
    WARPSEQ_CUDA_TRY(cudaStreamSynchronize(stream_), ordinal_, "the SSV kernel failed");
    WARPSEQ_CUDA_TRY(cudaEventElapsedTime(&kernel_milliseconds_, begun_, ended_), ordinal_, "cannot tell the kernel's time");
    return std::span<const std::uint32_t>(host_results_.data(), count);
}

}  // namespace

ProfileFilterBatch::ProfileFilterBatch(std::span<const MsvProfile* const> profiles, const SsvShape* shape)
    : profile_count_(profiles.size()) {
    std::vector<int> lengths;
    for (const MsvProfile* profile : profiles) lengths.push_back(profile->length);
    ssv_plan_ = shape != nullptr ? plan_ssv_with_shape(lengths, *shape) : plan_ssv(lengths);
    const std::size_t words = ssv_profile_words(ssv_plan_.shape);
    ssv_profiles_.resize(words * ssv_plan_.passes.size());
    for (std::size_t pass = 0; pass < ssv_plan_.passes.size(); ++pass)
        fill_ssv_profile(ssv_plan_, pass, profiles, std::span(ssv_profiles_).subspan(pass * words, words));
}

Result<std::unique_ptr<ProfileFilterGpu>> ProfileFilterGpu::create(int ordinal) {
    auto gpu = std::make_unique<Gpu>(ordinal);
    WARPSEQ_TRY(gpu->open());
    return std::unique_ptr<ProfileFilterGpu>(std::move(gpu));
}

}  // namespace warpseq::cuda
