#include "engines/devices/gpu_chunks.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <system_error>
#include <utility>

namespace warpseq {

namespace {

constexpr std::uint64_t kMostChunkBytes = std::uint64_t{32} << 20;
constexpr std::uint64_t kUsefulChunkBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kChunksPerGpu = 6;
/// Stays free for what the driver loads when kernels first run, and for tables of queries.
constexpr std::uint64_t kSpareBytes = std::uint64_t{96} << 20;

/// Says what takes the memory of the host that has run out.
Status with_hint(Status status) {
    if (status.code() != StatusCode::kOutOfMemory) return status;
    return Status::out_of_memory("out of memory for what GPUs have found; search with stricter thresholds");
}

}  // namespace

Result<std::uint64_t> gpu_budget_bytes(std::span<const int> ordinals, std::uint64_t limit_bytes,
                                       const std::function<Result<std::uint64_t>(int ordinal)>& free_memory_bytes) {
    std::vector<std::uint64_t> free(ordinals.size());
    ThreadPool openers(static_cast<unsigned>(ordinals.size()));
    WARPSEQ_TRY(openers.parallel_for(ordinals.size(), [&](std::uint64_t g, unsigned) -> Status {
        const auto bytes = free_memory_bytes(ordinals[g]);
        if (!bytes.ok()) return bytes.status();
        free[g] = *bytes;
        return {};
    }));
    std::uint64_t budget = *std::ranges::min_element(free) / 10 * 9;
    budget -= std::min(budget, kSpareBytes);
    return limit_bytes == 0 ? budget : std::min(budget, limit_bytes);
}

std::uint64_t preferred_gpu_chunk_bytes(const DatabaseSet& databases, std::size_t gpus) {
    std::uint64_t bytes = 0;
    for (std::size_t d = 0; d < databases.size(); ++d) {
        for (std::uint64_t tile = 0; tile < databases.reader(d).tile_count(); ++tile)
            bytes += databases.reader(d).tile_bytes(tile);
    }
    return std::clamp(bytes / (kChunksPerGpu * gpus), kUsefulChunkBytes, kMostChunkBytes);
}

GpuChunks::GpuChunks(const DatabaseSet& databases, std::vector<Chunk> chunks, std::shared_ptr<ResidentChunks> resident,
                     std::shared_ptr<const DatabasePages> pages, std::uint64_t bytes_per_lane, unsigned threads)
    : databases_(databases),
      chunks_(std::move(chunks)),
      resident_(std::move(resident)),
      pages_(std::move(pages)),
      bytes_per_lane_(bytes_per_lane),
      pool_(threads) {}

void ResidentChunks::open(std::size_t gpus, std::uint64_t bytes) {
    opened_.call([&] {
        for (std::size_t g = 0; g < gpus; ++g) gpus_.emplace_back().left_bytes = bytes;
    });
}

ResidentChunks::Resident& ResidentChunks::find(Gpu& gpu, const Chunk& chunk) {
    const std::lock_guard lock(gpu.mutex);
    return gpu.resident[{chunk.database, chunk.first_tile, chunk.tile_count}];
}

bool ResidentChunks::claim(Gpu& gpu, std::uint64_t bytes) {
    std::uint64_t left = gpu.left_bytes.load();
    while (left >= bytes) {
        if (gpu.left_bytes.compare_exchange_weak(left, left - bytes)) return true;
    }
    return false;
}

/// Frees the chunks that stay, but for one that another worker is looking up. The caller brings `own`, whose mutex it
/// holds.
void ResidentChunks::give_up(Gpu& gpu, const Resident& own) {
    gpu.left_bytes = 0;
    const std::lock_guard map_lock(gpu.mutex);
    for (auto& [key, resident] : gpu.resident) {
        if (&resident == &own) continue;
        const std::unique_lock lock(resident.mutex, std::try_to_lock);
        if (lock) resident.targets = nullptr;
    }
}

Result<std::shared_ptr<const cuda::DeviceTargets>> GpuChunks::bring(const Chunk& chunk, std::size_t gpu, Worker& worker,
                                                                    const Upload& upload, GpuCopies& copies) {
    ResidentChunks::Gpu& chunks_of_gpu = resident_->gpus_[gpu];
    ResidentChunks::Resident& resident = ResidentChunks::find(chunks_of_gpu, chunk);
    const std::lock_guard lock(resident.mutex);
    if (resident.targets) return resident.targets;

    const auto start = std::chrono::steady_clock::now();
    const WsdbReader& reader = databases_.reader(chunk.database);
    WARPSEQ_TRY(
        with_pool([&](const ThreadPool& pool) { return worker.reader.locate(reader, std::span(&chunk, 1), pool); }));
    bool checked = false;
    Status damage;
    const cuda::UploadSource source{
        pages_->of(chunk.database), [&] {
            if (!std::exchange(checked, true)) {
                damage = with_pool([&](const ThreadPool& pool) { return worker.reader.check(reader, pool); });
            }
            return damage;
        }};
    std::uint64_t bytes = 0;
    for (const TileView& tile : worker.reader.tiles())
        bytes += tile.words.size_bytes() + sizeof(TileView) + tile.lanes() * bytes_per_lane_;
    copies.bytes += bytes;
    bool stays = ResidentChunks::claim(chunks_of_gpu, bytes);
    auto targets = upload(worker.reader.tiles(), stays ? nullptr : worker.passing, source);
    WARPSEQ_TRY(damage);  // which another attempt would not mend
    if (stays && !targets.ok()) {
        // There is less memory than there was: from here on chunks pass.
        chunks_of_gpu.left_bytes = 0;
        stays = false;
        targets = upload(worker.reader.tiles(), worker.passing, source);
    }
    if (!targets.ok()) {
        // Chunks that stay may have taken what passing ones need.
        ResidentChunks::give_up(chunks_of_gpu, resident);
        targets = upload(worker.reader.tiles(), worker.passing, source);
    }
    WARPSEQ_TRY(damage);
    if (!targets.ok()) return targets.status();
    if (stays) {
        resident.targets = *targets;
    } else {
        worker.passing = *targets;
    }
    copies.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::shared_ptr<const cuda::DeviceTargets>(*std::move(targets));
}

GpuWorkers::~GpuWorkers() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    more_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

Status GpuWorkers::start(std::size_t workers) {
    return guarded([&]() -> Status {
        threads_.reserve(workers);
        try {
            while (threads_.size() < workers) threads_.emplace_back([this, worker = threads_.size()] { work(worker); });
        } catch (const std::system_error& error) {
            return Status::unavailable(
                       "cannot start the threads that GPUs are driven by: " + std::string(error.what()) +
                       "; raise the limit on processes (ulimit -u), or compute on the CPU")
                .with(Advice::kCpu);
        }
        return {};
    });
}

void GpuWorkers::submit(std::shared_ptr<GpuJob> job) {
    if (job->chunks_.empty()) {
        job->progress_->finish();
        job->finish({});
        return;
    }
    job->chunks_left_ = job->chunks_.size();
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
    }
    more_.notify_all();
}

void GpuWorkers::work(std::size_t worker) {
    for (;;) {
        std::shared_ptr<GpuJob> job;
        std::size_t chunk = 0;
        bool passed_over = false;  // after an error, as the batch will not be reported
        {
            std::unique_lock lock(mutex_);
            more_.wait(lock, [&] { return stop_ || !jobs_.empty(); });
            if (stop_) return;
            // One that is stopped goes before others: nobody works for it, so it is over at once.
            auto next = std::ranges::find_if(jobs_, [](const auto& each) { return each->stop_.stop_requested(); });
            if (next == jobs_.end()) next = jobs_.begin();
            job = *next;
            chunk = job->next_chunk_++;
            passed_over = !job->failure_.ok();
            if (job->next_chunk_ == job->chunks_.size()) jobs_.erase(next);
        }
        Status status;
        if (job->stop_.stop_requested()) {
            status = Status::interrupted();
        } else if (!passed_over) {
            status = with_hint(guarded([&] { return job->work(job->chunks_[chunk], worker); }));
        }
        bool last = false;
        {
            const std::lock_guard lock(mutex_);
            job->cells_done_ += job->chunks_[chunk].residues * job->cells_per_residue_;
            if (status.ok()) status = guarded([&] { job->progress_->update(job->cells_done_); });
            // Chunks are handed out in order, so the first that fails is always among those that were worked on.
            if (!status.ok() && (job->failure_.ok() || chunk < job->failed_chunk_)) {
                job->failed_chunk_ = chunk;
                job->failure_ = std::move(status);
            }
            last = --job->chunks_left_ == 0;
        }
        if (!last) continue;
        // Nobody else has the job now.
        const Status finished = with_hint(guarded([&] {
            job->progress_->finish();
            job->finish(job->failure_);
        }));
        if (!finished.ok() && !guarded([&] { job->finish(finished); }).ok()) job->finish(Status::out_of_memory());
    }
}

}  // namespace warpseq
