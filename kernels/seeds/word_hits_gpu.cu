#include "kernels/seeds/word_hits_gpu.h"

#include <algorithm>
#include <utility>

#include "kernels/gpu/cuda_status.cuh"
#include "kernels/gpu/device_targets.cuh"
#include "kernels/seeds/word_hits_kernel_gpu.cuh"

namespace warpseq::cuda {
namespace {

using Kernel = void (*)(WordHitArguments);

Kernel kernel_for(int word_residues, bool one_hit) {
    switch (word_residues) {
        case 2: return one_hit ? word_hits_kernel<2, true> : word_hits_kernel<2, false>;
        case 3: return one_hit ? word_hits_kernel<3, true> : word_hits_kernel<3, false>;
        default: return one_hit ? word_hits_kernel<4, true> : word_hits_kernel<4, false>;
    }
}

class Gpu final : public WordHitGpu {
   public:
    Gpu(int ordinal, const WordHitLaunch& launch)
        : ordinal_(ordinal), launch_(launch), uploader_(ordinal, TargetTables::kSequences) {}
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
        WARPSEQ_CUDA_TRY(cudaDeviceGetAttribute(&shared_bytes_, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal_),
                         ordinal_, "cannot tell its shared memory");
        WARPSEQ_CUDA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), ordinal_, "cannot make a stream");
        for (cudaEvent_t* event : {&begun_, &ended_}) {
            WARPSEQ_CUDA_TRY(cudaEventCreate(event), ordinal_, "cannot make an event");
        }
        WARPSEQ_CUDA_TRY(host_count_.reserve(1), ordinal_, "no pinned memory");
        return {};
    }

    Result<std::shared_ptr<DeviceTargets>> upload(std::span<const TileView> tiles, std::shared_ptr<DeviceTargets> reuse,
                                                  const UploadSource& source) override {
        return uploader_.upload(tiles, std::move(reuse), stream_, source);
    }
    Result<std::span<const WordHitPair>> find(const std::shared_ptr<const WordHitTables>& batch,
                                              const DeviceTargets& targets) override;
    float kernel_milliseconds() const override { return kernel_milliseconds_; }

   private:
    template <class T>
    Status copy(DeviceArray<T>& to, std::span<const T> from) {
        WARPSEQ_CUDA_TRY(to.reserve(std::max<std::size_t>(from.size(), 1)), ordinal_, "no memory for tables of words");
        return cuda_status(cudaMemcpyAsync(to.data(), from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream_),
                           ordinal_, "cannot copy tables of words");
    }
    Status copy_batch(const std::shared_ptr<const WordHitTables>& batch);
    Status launch(const TargetsOnDevice& targets);

    int ordinal_, multiprocessors_ = 0, shared_bytes_ = 0;
    WordHitLaunch launch_;
    TargetUploader uploader_;
    cudaStream_t stream_ = nullptr;
    cudaEvent_t begun_ = nullptr, ended_ = nullptr;
    std::shared_ptr<const WordHitTables> batch_;
    DeviceArray<WordHitBlock> blocks_;
    DeviceArray<std::uint8_t> residues_, query_of_residue_;
    DeviceArray<WordHitLimits> limits_;
    DeviceArray<WordHitEntry> entries_;
    DeviceArray<std::uint16_t> hits_;
    DeviceArray<std::int16_t> scores_;
    DeviceArray<std::uint8_t> bytes_;
    DeviceArray<unsigned> counters_;  // pairs, then a ticket for each block of queries
    DeviceArray<WordHitPair> pairs_;
    PinnedArray<unsigned> host_count_;
    PinnedArray<WordHitPair> host_pairs_;
    float kernel_milliseconds_ = 0;
};

Status Gpu::copy_batch(const std::shared_ptr<const WordHitTables>& batch) {
    if (batch_ == batch) return {};
    batch_ = nullptr;
    WARPSEQ_TRY(copy(blocks_, batch->blocks()));
    WARPSEQ_TRY(copy(residues_, batch->residues()));
    WARPSEQ_TRY(copy(query_of_residue_, batch->query_of_residue()));
    WARPSEQ_TRY(copy(limits_, batch->limits()));
    WARPSEQ_TRY(copy(entries_, batch->entries()));
    WARPSEQ_TRY(copy(hits_, batch->hits()));
    WARPSEQ_TRY(copy(scores_, batch->scores()));
    WARPSEQ_CUDA_TRY(counters_.reserve(1 + batch->blocks().size()), ordinal_, "no memory for tables of words");
    batch_ = batch;
    return {};
}

Status Gpu::launch(const TargetsOnDevice& targets) {
    const Kernel kernel = kernel_for(batch_->word_residues(), batch_->window_residues() == 0);
    const std::uint32_t diagonals = batch_->diagonals(), shared = word_hit_shared_bytes(diagonals),
                        per_warp = word_hit_warp_bytes(diagonals);
    const std::uint32_t room = (static_cast<std::uint32_t>(shared_bytes_) - shared) / per_warp;
    if (static_cast<std::uint32_t>(shared_bytes_) < shared + per_warp) {
        return Status::unavailable("GPU " + std::to_string(ordinal_) + ": too little shared memory for the kernel");
    }
    const std::uint32_t warps =
        std::min({room, kMostWordHitWarps, launch_.warps_per_block == 0 ? kMostWordHitWarps : launch_.warps_per_block});
    const std::uint32_t bytes = shared + warps * per_warp;
    WARPSEQ_CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
                     ordinal_, "cannot prepare the kernel");
    int resident = 0;
    WARPSEQ_CUDA_TRY(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, static_cast<int>(warps * 32), bytes), ordinal_,
        "cannot prepare the kernel");
    const auto count = static_cast<std::uint32_t>(targets.lane_count);
    const std::uint32_t thread_blocks =
        std::min((count + warps - 1) / warps, static_cast<std::uint32_t>(std::max(resident, 1) * multiprocessors_));

    WARPSEQ_CUDA_TRY(cudaMemsetAsync(counters_.data(), 0, (1 + batch_->blocks().size()) * sizeof(unsigned), stream_),
                     ordinal_, "cannot start the kernel");
    const WordHitArguments arguments{
        .blocks = blocks_.data(),
        .block_residues = residues_.data(),
        .query_of_residue = query_of_residue_.data(),
        .limits = limits_.data(),
        .entries = entries_.data(),
        .hits = hits_.data(),
        .scores = scores_.data(),
        .sequences = targets.sequences.data(),
        .bytes = bytes_.data(),
        .tickets = counters_.data() + 1,
        .pairs = pairs_.data(),
        .pair_count = counters_.data(),
        .most_pairs = static_cast<std::uint32_t>(std::min<std::size_t>(pairs_.size(), UINT32_MAX)),
        .sequence_count = count,
        .thread_blocks_per_query_block = thread_blocks,
        .diagonals = diagonals,
        .window = batch_->window_residues(),
        .extensions_at_once = launch_.extensions_at_once};
    kernel<<<thread_blocks* static_cast<unsigned>(batch_->blocks().size()), warps * 32, bytes, stream_>>>(arguments);
    return cuda_status(cudaGetLastError(), ordinal_, "cannot start the kernel");
}

Result<std::span<const WordHitPair>> Gpu::find(const std::shared_ptr<const WordHitTables>& batch,
                                               const DeviceTargets& targets_base) {
    const auto there = targets_on(ordinal_, targets_base);
    if (!there.ok()) return there.status();
    const TargetsOnDevice& targets = **there;
    kernel_milliseconds_ = 0;
    if (batch->blocks().empty() || targets.lane_count == 0) return std::span<const WordHitPair>();
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    WARPSEQ_TRY(copy_batch(batch));
    // Extensions read whole words of four residues, a word beyond the separator that ends them.
    WARPSEQ_CUDA_TRY(bytes_.reserve_ahead(targets.sequence_bytes), ordinal_, "no memory for a chunk's residues");
    WARPSEQ_CUDA_TRY(pairs_.reserve(launch_.pairs_expected), ordinal_, "no memory for pairs");
    for (;;) {
        WARPSEQ_CUDA_TRY(cudaEventRecord(begun_, stream_), ordinal_, "cannot start the kernel");
        constexpr unsigned kThreads = 256;
        const auto unpacking_blocks = static_cast<unsigned>((targets.lane_count + kThreads / 32 - 1) / (kThreads / 32));
        unpack_sequences_kernel<<<unpacking_blocks, kThreads, 0, stream_>>>(
            targets.words.data(), targets.sequences.data(), static_cast<std::uint32_t>(targets.lane_count),
            bytes_.data());
        WARPSEQ_TRY(launch(targets));
        WARPSEQ_CUDA_TRY(cudaEventRecord(ended_, stream_), ordinal_, "cannot wait for the kernel");
        WARPSEQ_CUDA_TRY(
            cudaMemcpyAsync(host_count_.data(), counters_.data(), sizeof(unsigned), cudaMemcpyDeviceToHost, stream_),
            ordinal_, "cannot copy pairs");
        WARPSEQ_CUDA_TRY(cudaStreamSynchronize(stream_), ordinal_, "the kernel of word hits failed");
        float milliseconds = 0;
        WARPSEQ_CUDA_TRY(cudaEventElapsedTime(&milliseconds, begun_, ended_), ordinal_,
                         "cannot tell the kernel's time");
        kernel_milliseconds_ += milliseconds;
        const std::size_t count = *host_count_.data();
        if (count <= pairs_.size()) {
            // Copies exactly what the kernel has written.
            WARPSEQ_CUDA_TRY(host_pairs_.reserve_ahead(std::max<std::size_t>(count, 1)), ordinal_,
                             "no pinned memory for pairs");
            if (count > 0) {
                WARPSEQ_CUDA_TRY(cudaMemcpyAsync(host_pairs_.data(), pairs_.data(), count * sizeof(WordHitPair),
                                                 cudaMemcpyDeviceToHost, stream_),
                                 ordinal_, "cannot copy pairs");
                WARPSEQ_CUDA_TRY(cudaStreamSynchronize(stream_), ordinal_, "cannot copy pairs");
            }
            return std::span<const WordHitPair>(host_pairs_.data(), count);
        }
        // The number of pairs does not depend on the room there was, so the next time all fit.
        WARPSEQ_CUDA_TRY(pairs_.reserve(count), ordinal_, "no memory for pairs");
    }
}

}  // namespace

Result<std::unique_ptr<WordHitGpu>> WordHitGpu::create(int ordinal, const WordHitLaunch& launch) {
    auto gpu = std::make_unique<Gpu>(ordinal, launch);
    WARPSEQ_TRY(gpu->open());
    return std::unique_ptr<WordHitGpu>(std::move(gpu));
}

std::uint64_t WordHitGpu::workspace_bytes(std::uint64_t chunk_bytes, std::uint64_t table_bytes) {
    constexpr std::uint64_t kPairs = WordHitLaunch{}.pairs_expected * sizeof(WordHitPair);
    return chunk_bytes / sizeof(std::uint32_t) * kResiduesPerWord + chunk_bytes / 8 + table_bytes + kPairs;
}

std::uint64_t WordHitGpu::bytes_per_lane() { return sizeof(DeviceSequence); }

}  // namespace warpseq::cuda
