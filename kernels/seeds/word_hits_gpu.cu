#include "kernels/seeds/word_hits_gpu.h"

#include <algorithm>
#include <utility>

#include "kernels/gpu/cuda_status.cuh"
#include "kernels/gpu/device_targets.cuh"
#include "kernels/gpu/launch.cuh"
#include "kernels/gpu/memory.cuh"
#include "kernels/gpu/streams.cuh"
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

class WordHitWorker final : public WordHitGpu {
   public:
    WordHitWorker(int ordinal, const WordHitLaunch& launch)
        : ordinal_(ordinal), launch_(launch), uploader_(ordinal, TargetTables::kSequences) {}

    ~WordHitWorker() override { cudaSetDevice(ordinal_); }  // the GPU of the memory that is freed next

    Status open() {
        WARPSEQ_TRY(stream_.open(ordinal_));
        for (Event* event : {&begun_, &ended_}) WARPSEQ_TRY(event->open(ordinal_, Event::Kind::kTime));
        const Result<int> shared_bytes = find_shared_bytes(ordinal_);
        if (!shared_bytes.ok()) return shared_bytes.status();
        shared_bytes_ = static_cast<std::uint32_t>(*shared_bytes);
        WARPSEQ_CUDA_TRY(host_count_.reserve(1), ordinal_, "no pinned memory");
        return {};
    }

    Result<std::shared_ptr<DeviceTargets>> upload(std::span<const TileView> tiles, std::shared_ptr<DeviceTargets> reuse,
                                                  const UploadSource& source) override {
        return uploader_.upload(tiles, std::move(reuse), stream_.get(), source);
    }
    Result<std::span<const WordHitPair>> find(const std::shared_ptr<const WordHitTables>& batch,
                                              const DeviceTargets& targets) override;
    float kernel_milliseconds() const override { return kernel_milliseconds_; }

   private:
    Status copy_batch(const std::shared_ptr<const WordHitTables>& batch);
    Status launch(const TargetsOnDevice& targets);

    int ordinal_;
    std::uint32_t shared_bytes_ = 0;  // the most that a block may have
    WordHitLaunch launch_;
    TargetUploader uploader_;
    Stream stream_;
    Event begun_, ended_;
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

Status WordHitWorker::copy_batch(const std::shared_ptr<const WordHitTables>& batch) {
    if (batch_ == batch) return {};
    batch_ = nullptr;
    const auto copy = [&](auto& to, const auto& from) {
        return copy_to_device(to, from, ordinal_, stream_.get(), "tables of words");
    };
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

Status WordHitWorker::launch(const TargetsOnDevice& targets) {
    const Kernel kernel = kernel_for(batch_->word_residues(), batch_->window_residues() == 0);
    const std::uint32_t diagonals = batch_->diagonals();
    const WordHitLayout layout(diagonals);
    if (shared_bytes_ < layout.bytes(1)) {
        return Status::unavailable("GPU " + std::to_string(ordinal_) + ": too little shared memory for the kernel");
    }
    const std::uint32_t room = (shared_bytes_ - layout.warps) / layout.warp_bytes;
    const std::uint32_t warps =
        std::min({room, kMostWordHitWarps, launch_.warps_per_block == 0 ? kMostWordHitWarps : launch_.warps_per_block});
    const std::uint32_t bytes = layout.bytes(warps);
    // The size depends on the batch, and other workers may launch the kernel for other batches.
    const Result<unsigned> resident = resident_blocks(
        ordinal_, kernel,
        {.threads = static_cast<int>(warps * 32), .shared_bytes = bytes, .most_shared_bytes = shared_bytes_});
    if (!resident.ok()) return resident.status();
    const auto count = static_cast<std::uint32_t>(targets.lane_count);
    const unsigned thread_blocks = blocks_for(count, warps, *resident);

    WARPSEQ_CUDA_TRY(
        cudaMemsetAsync(counters_.data(), 0, (1 + batch_->blocks().size()) * sizeof(unsigned), stream_.get()), ordinal_,
        "cannot start the kernel");
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
    const auto query_blocks = static_cast<unsigned>(batch_->blocks().size());
    kernel<<<thread_blocks * query_blocks, warps * 32, bytes, stream_.get()>>>(arguments);
    return cuda_status(cudaGetLastError(), ordinal_, "cannot start the kernel");
}

Result<std::span<const WordHitPair>> WordHitWorker::find(const std::shared_ptr<const WordHitTables>& batch,
                                                         const DeviceTargets& targets_base) {
    const auto there = targets_on(ordinal_, targets_base, TargetTables::kSequences);
    if (!there.ok()) return there.status();
    const TargetsOnDevice& targets = **there;
    kernel_milliseconds_ = 0;
    if (batch->blocks().empty() || targets.lane_count == 0) return std::span<const WordHitPair>();
    WARPSEQ_CUDA_TRY(cudaSetDevice(ordinal_), ordinal_, "cannot be used");
    EnqueuedWork work(ordinal_);
    WARPSEQ_TRY(copy_batch(batch));
    // Extensions read whole words of four residues, a word beyond the separator that ends them.
    WARPSEQ_CUDA_TRY(bytes_.reserve_ahead(targets.sequence_bytes), ordinal_, "no memory for a chunk's residues");
    WARPSEQ_CUDA_TRY(pairs_.reserve(launch_.pairs_expected), ordinal_, "no memory for pairs");
    for (;;) {
        WARPSEQ_TRY(begun_.record(stream_.get()));
        constexpr unsigned kThreads = 256;
        const unsigned unpacking_blocks = blocks_for(targets.lane_count, kThreads / 32, UINT32_MAX);
        unpack_sequences_kernel<<<unpacking_blocks, kThreads, 0, stream_.get()>>>(
            targets.words.data(), targets.sequences.data(), static_cast<std::uint32_t>(targets.lane_count),
            bytes_.data());
        WARPSEQ_TRY(launch(targets));
        WARPSEQ_TRY(ended_.record(stream_.get()));
        WARPSEQ_CUDA_TRY(cudaMemcpyAsync(host_count_.data(), counters_.data(), sizeof(unsigned), cudaMemcpyDeviceToHost,
                                         stream_.get()),
                         ordinal_, "cannot copy pairs");
        WARPSEQ_TRY(stream_.wait("the kernel of word hits failed"));
        const Result<float> milliseconds = milliseconds_between(begun_, ended_);
        if (!milliseconds.ok()) return milliseconds.status();
        kernel_milliseconds_ += *milliseconds;
        const std::size_t count = *host_count_.data();
        if (count <= pairs_.size()) {
            // Copies exactly what the kernel has written.
            WARPSEQ_CUDA_TRY(host_pairs_.reserve_ahead(std::max<std::size_t>(count, 1)), ordinal_,
                             "no pinned memory for pairs");
            if (count > 0) {
                WARPSEQ_CUDA_TRY(cudaMemcpyAsync(host_pairs_.data(), pairs_.data(), count * sizeof(WordHitPair),
                                                 cudaMemcpyDeviceToHost, stream_.get()),
                                 ordinal_, "cannot copy pairs");
                WARPSEQ_TRY(stream_.wait("cannot copy pairs"));
            }
            work.done();
            return std::span<const WordHitPair>(host_pairs_.data(), count);
        }
        // The number of pairs does not depend on the room there was, so the next time all fit.
        WARPSEQ_CUDA_TRY(pairs_.reserve(count), ordinal_, "no memory for pairs");
    }
}

}  // namespace

Result<std::unique_ptr<WordHitGpu>> WordHitGpu::create(int ordinal, const WordHitLaunch& launch) {
    auto worker = std::make_unique<WordHitWorker>(ordinal, launch);
    WARPSEQ_TRY(worker->open());
    return std::unique_ptr<WordHitGpu>(std::move(worker));
}

std::uint64_t WordHitGpu::workspace_bytes(std::uint64_t chunk_bytes, std::uint64_t table_bytes) {
    constexpr std::uint64_t kPairs = WordHitLaunch{}.pairs_expected * sizeof(WordHitPair);
    return chunk_bytes / sizeof(std::uint32_t) * kResiduesPerWord + chunk_bytes / 8 + table_bytes + kPairs;
}

std::uint64_t WordHitGpu::bytes_per_lane() { return sizeof(DeviceSequence); }

}  // namespace warpseq::cuda
