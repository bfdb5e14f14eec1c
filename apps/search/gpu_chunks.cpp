#include "apps/search/gpu_chunks.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

namespace warpseq {

namespace {

constexpr std::uint64_t kMostChunkBytes = std::uint64_t{32} << 20;
constexpr std::uint64_t kUsefulChunkBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kChunksPerGpu = 6;
/// Stays free for what the driver loads when kernels first run, and for tables of queries.
constexpr std::uint64_t kSpareBytes = std::uint64_t{96} << 20;

/// Memory that runs out on the host is the result, not the end.
template <typename Work>
Status guarded(const Work& work) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return Status::unavailable("out of memory for what GPUs have found; search with stricter thresholds");
    }
}

}  // namespace

Result<std::uint64_t> gpu_budget_bytes(std::span<const int> ordinals, std::uint64_t limit_bytes,
                                       const std::function<Result<std::uint64_t>(int ordinal)>& free_memory_bytes) {
    std::vector<std::uint64_t> free(ordinals.size());
    std::vector<std::thread> openers;
    FirstError error;
    for (std::size_t g = 0; g < ordinals.size(); ++g) {
        openers.emplace_back([&, g] {
            const auto bytes = free_memory_bytes(ordinals[g]);
            if (bytes.ok())
                free[g] = *bytes;
            else
                error.set(g, bytes.status());
        });
    }
    for (std::thread& opener : openers) opener.join();
    WARPSEQ_TRY(error.status());
    std::uint64_t budget = *std::ranges::min_element(free) / 10 * 9;
    budget -= std::min(budget, kSpareBytes);
    return limit_bytes == 0 ? budget : std::min(budget, limit_bytes);
}

std::uint64_t preferred_gpu_chunk_bytes(const DatabaseSet& databases, std::size_t gpus) {
    std::uint64_t bytes = 0;
    for (std::size_t d = 0; d < databases.size(); ++d) {
        for (std::uint64_t tile = 0; tile < databases.reader(d).tile_count(); ++tile) bytes += databases.reader(d).tile_bytes(tile);
    }
    return std::clamp(bytes / (kChunksPerGpu * gpus), kUsefulChunkBytes, kMostChunkBytes);
}

GpuChunks::GpuChunks(const DatabaseSet& databases, std::vector<Chunk> chunks, std::size_t gpus, std::uint64_t resident_bytes,
                     std::uint64_t bytes_per_lane, unsigned threads)
    : databases_(databases), chunks_(std::move(chunks)), bytes_per_lane_(bytes_per_lane), pool_(threads) {
    for (std::size_t g = 0; g < gpus; ++g) {
        Gpu& gpu = gpus_.emplace_back();
        gpu.resident.resize(chunks_.size());
        gpu.left_bytes = resident_bytes;
    }
}

bool GpuChunks::claim(Gpu& gpu, std::uint64_t bytes) {
    std::uint64_t left = gpu.left_bytes.load();
    while (left >= bytes) {
        if (gpu.left_bytes.compare_exchange_weak(left, left - bytes)) return true;
    }
    return false;
}

Result<std::shared_ptr<const cuda::DeviceTargets>> GpuChunks::bring(std::size_t chunk, std::size_t gpu, Line& line,
                                                                    const Upload& upload, GpuCopies& copies) {
    Resident& resident = gpus_[gpu].resident[chunk];
    const std::lock_guard lock(resident.mutex);
    if (resident.targets) return resident.targets;

    const auto start = std::chrono::steady_clock::now();
    WARPSEQ_TRY(with_pool([&](ThreadPool& pool) {
        return line.reader.read(databases_.reader(chunks_[chunk].database), chunks_[chunk], pool);
    }));
    std::uint64_t bytes = 0;
    for (const TileView& tile : line.reader.tiles())
        bytes += tile.words.size_bytes() + sizeof(TileView) + tile.lanes() * bytes_per_lane_;
    copies.bytes += bytes;
    bool stays = claim(gpus_[gpu], bytes);
    auto targets = upload(line.reader.tiles(), stays ? nullptr : line.passing);
    if (stays && !targets.ok()) {
        // There is less memory than there was: from here on chunks pass.
        gpus_[gpu].left_bytes = 0;
        stays = false;
        targets = upload(line.reader.tiles(), line.passing);
    }
    if (!targets.ok()) return targets.status();
    if (stays) {
        resident.targets = *targets;
    } else {
        line.passing = *targets;
    }
    copies.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::shared_ptr<const cuda::DeviceTargets>(*std::move(targets));
}

GpuLines::GpuLines(const std::vector<Chunk>& chunks, std::size_t lines) : chunks_(chunks) {
    for (std::size_t line = 0; line < lines; ++line) threads_.emplace_back([this, line] { work(line); });
}

GpuLines::~GpuLines() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    more_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void GpuLines::submit(std::shared_ptr<GpuJob> job) {
    if (chunks_.empty()) {
        job->progress_.finish();
        job->finish({});
        return;
    }
    job->chunks_left_ = chunks_.size();
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
    }
    more_.notify_all();
}

void GpuLines::work(std::size_t line) {
    for (;;) {
        std::shared_ptr<GpuJob> job;
        std::size_t chunk = 0;
        {
            std::unique_lock lock(mutex_);
            more_.wait(lock, [&] { return stop_ || !jobs_.empty(); });
            if (stop_) return;
            job = jobs_.front();
            chunk = job->next_chunk_++;
            if (job->next_chunk_ == chunks_.size()) jobs_.pop_front();
        }
        // After an error the rest of a batch is passed over: it will not be reported.
        const Status status = job->error_.status().ok() ? guarded([&] { return job->work(chunk, line); }) : Status();
        if (!status.ok()) job->error_.set(chunk, status);
        bool last = false;
        {
            const std::lock_guard lock(mutex_);
            job->cells_done_ += chunks_[chunk].residues * job->cells_per_residue_;
            job->progress_.update(job->cells_done_);
            last = --job->chunks_left_ == 0;
        }
        if (!last) continue;
        job->progress_.finish();
        const Status finished = guarded([&]() -> Status {
            job->finish(job->error_.status());
            return {};
        });
        if (!finished.ok()) job->finish(finished);
    }
}

}  // namespace warpseq
