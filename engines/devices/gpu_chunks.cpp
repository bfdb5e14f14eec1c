#include "engines/devices/gpu_chunks.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <utility>

namespace warpseq {

namespace {

constexpr std::uint64_t kMostChunkBytes = std::uint64_t{32} << 20;
constexpr std::uint64_t kLeastPreferredChunkBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kChunksPerGpu = 6;
/// Bytes that one of the host's threads copies at a time.
constexpr std::size_t kCopiedAtOnceBytes = std::size_t{256} << 10;
/// Bytes that stay free for what the driver loads when kernels first run, and for tables of
/// queries.
constexpr std::uint64_t kSpareBytes = std::uint64_t{96} << 20;

/// Number of pieces that the host's part is cut into, and the fewest residues of a piece that pay.
constexpr std::uint64_t kPiecesOfHost = 8;
constexpr std::uint64_t kLeastPieceResidues = 256 << 10;

}  // namespace

Result<std::uint64_t> gpu_budget_bytes(std::span<const int> ordinals, const GpuMemoryLimits& limits,
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
    if (limits.bytes != 0) budget = std::min(budget, limits.bytes);
    return budget / std::max(limits.processes, 1U);
}

std::uint64_t preferred_gpu_chunk_bytes(const DatabaseSet& databases, std::size_t gpus) {
    std::uint64_t bytes = 0;
    for (std::size_t d = 0; d < databases.size(); ++d)
        bytes += databases.reader(d).packed_bytes(0, databases.reader(d).tile_count());
    return std::clamp(bytes / (kChunksPerGpu * gpus), kLeastPreferredChunkBytes, kMostChunkBytes);
}

ComparedResidues compared_residues(const DatabaseSet& databases) {
    if (!databases.is_restricted()) return {databases.residue_count(), databases.residue_count()};
    ComparedResidues residues;
    for (std::size_t d = 0; d < databases.size(); ++d) {
        const WsdbReader& reader = databases.reader(d);
        std::uint64_t end = 0;  // of the tile of the member before
        databases.searched(d)->for_each([&](std::uint64_t rank) {
            if (rank < end) return;
            const std::uint64_t tile = reader.tile_of_sequence(rank);
            end = first_sequence_of(reader, tile + 1);
            residues.by_cpu += reader.tile_residues(tile);
        });
    }
    residues.by_gpus = residues_of(cut_chunks(databases, preferred_gpu_chunk_bytes(databases, 1)));
    return residues;
}

std::vector<Chunk> cut_for_host(std::vector<Chunk> chunks, const DatabaseSet& databases,
                                const std::optional<CellSpeeds>& speeds) {
    if (!speeds) return chunks;
    const double even = static_cast<double>(residues_of(chunks)) * speeds->cpu_cells_per_second /
                        (speeds->cpu_cells_per_second + speeds->gpus_cells_per_second);
    if (even < static_cast<double>(kLeastPieceResidues)) return chunks;
    const auto piece_residues = std::max(static_cast<std::uint64_t>(even) / kPiecesOfHost, kLeastPieceResidues);
    // The limit is doubled, since the host may be quicker than expected.
    return with_fine_end(std::move(chunks), databases, 2 * static_cast<std::uint64_t>(even), piece_residues);
}

GpuChunks::GpuChunks(const DatabaseSet& databases, std::vector<Chunk> chunks, ResidentChunks::Form form,
                     const std::shared_ptr<ResidentChunks>& resident, std::uint64_t working_bytes,
                     std::shared_ptr<const DatabasePages> pages, std::uint64_t bytes_per_lane, unsigned threads)
    : databases_(databases),
      chunks_(std::move(chunks)),
      form_(form),
      resident_(resident),
      working_(resident, working_bytes),
      pages_(std::move(pages)),
      bytes_per_lane_(bytes_per_lane),
      pool_(threads) {
    for (const Chunk& chunk : chunks_) most_bytes_ = std::max(most_bytes_, bytes_of(chunk));
}

std::uint64_t GpuChunks::bytes_of(const Chunk& chunk) const {
    return databases_.reader(chunk.database).packed_bytes(chunk.first_tile, chunk.tile_count) +
           chunk.tile_count * sizeof(TileView) + chunk.sequence_count * bytes_per_lane_;
}

Result<std::uint64_t> ResidentChunks::plannable_bytes(
    std::span<const int> ordinals, const GpuMemoryLimits& limits,
    const std::function<Result<std::uint64_t>(int ordinal)>& free_memory_bytes) {
    const auto now = gpu_budget_bytes(ordinals, limits, free_memory_bytes);
    if (!now.ok()) return now.status();
    const std::lock_guard lock(budget_mutex_);
    while (gpus_.size() < ordinals.size()) gpus_.emplace_back();
    if (!budget_bytes_) budget_bytes_ = *now;
    std::uint64_t chunk_bytes = std::numeric_limits<std::uint64_t>::max();  // on the GPU that has the least
    for (const Gpu& gpu : gpus_) chunk_bytes = std::min(chunk_bytes, gpu.resident_bytes);
    return std::min(*budget_bytes_ - std::min(*budget_bytes_, working_bytes_), *now + chunk_bytes);
}

ResidentChunks::Working::Working(std::shared_ptr<ResidentChunks> memory, std::uint64_t bytes)
    : memory_(std::move(memory)), bytes_(bytes) {
    {
        const std::lock_guard lock(memory_->budget_mutex_);
        memory_->working_bytes_ += bytes_;
    }
    for (Gpu& gpu : memory_->gpus_) memory_->make_room(gpu);
}

ResidentChunks::Working::~Working() {
    const std::lock_guard lock(memory_->budget_mutex_);
    memory_->working_bytes_ -= bytes_;
}

ResidentChunks::Resident& ResidentChunks::find(Gpu& gpu, Form form, const Chunk& chunk) {
    const std::lock_guard lock(gpu.mutex);
    return gpu.resident[{form, chunk.database, chunk.first_tile, chunk.tile_count}];
}

bool ResidentChunks::claim(Gpu& gpu, std::uint64_t bytes) {
    const std::lock_guard lock(budget_mutex_);
    const std::uint64_t taken = working_bytes_ + gpu.resident_bytes;
    if (gpu.is_full || taken > *budget_bytes_ || *budget_bytes_ - taken < bytes) return false;
    gpu.resident_bytes += bytes;
    return true;
}

void ResidentChunks::unclaim(Gpu& gpu, std::uint64_t bytes) {
    const std::lock_guard lock(budget_mutex_);
    gpu.resident_bytes -= bytes;
    gpu.is_full = true;
}

bool ResidentChunks::is_over_budget(const Gpu& gpu) {
    const std::lock_guard lock(budget_mutex_);
    return working_bytes_ + gpu.resident_bytes > *budget_bytes_;
}

/// Frees a chunk whose mutex the caller holds. A worker that computes with the chunk keeps it until
/// it is done.
void ResidentChunks::drop(Gpu& gpu, Resident& resident) {
    if (!resident.targets) return;
    resident.targets = nullptr;
    const std::lock_guard lock(budget_mutex_);
    gpu.resident_bytes -= std::exchange(resident.bytes, 0);
}

/// Frees chunks until all fits the budget. Skips chunks that a worker is looking up.
void ResidentChunks::make_room(Gpu& gpu) {
    const std::lock_guard map_lock(gpu.mutex);
    for (auto& [key, resident] : gpu.resident) {
        if (!is_over_budget(gpu)) return;
        const std::unique_lock lock(resident.mutex, std::try_to_lock);
        if (lock) drop(gpu, resident);
    }
}

/// Frees the chunks that stay, except those that another worker is looking up. The caller brings
/// `own` and holds its mutex.
void ResidentChunks::give_up(Gpu& gpu, const Resident& own) {
    unclaim(gpu, 0);
    const std::lock_guard map_lock(gpu.mutex);
    for (auto& [key, resident] : gpu.resident) {
        if (&resident == &own) continue;
        const std::unique_lock lock(resident.mutex, std::try_to_lock);
        if (lock) drop(gpu, resident);
    }
}

Result<std::shared_ptr<const cuda::DeviceTargets>> GpuChunks::bring(const Chunk& chunk, std::size_t gpu, Worker& worker,
                                                                    const Upload& upload, GpuCopies& copies) {
    ResidentChunks::Gpu& chunks_of_gpu = resident_->gpus_[gpu];
    ResidentChunks::Resident& resident = ResidentChunks::find(chunks_of_gpu, form_, chunk);
    const std::lock_guard lock(resident.mutex);
    worker.host_brought = false;
    if (resident.targets) return resident.targets;

    const auto start = std::chrono::steady_clock::now();
    const WsdbReader& reader = databases_.reader(chunk.database);
    WARPSEQ_TRY(
        with_pool([&](const ThreadPool& pool) { return worker.reader.locate(reader, std::span(&chunk, 1), pool); }));
    bool checked = resident.was_brought;
    worker.host_brought = !checked;
    Status damage;
    // Pinning pages takes longer than copying them with many threads, and the driver does nothing
    // else meanwhile. It pays only if chunks come again (docs/lab-notes.md).
    cuda::UploadSource source{
        .pages = resident.was_brought ? pages_->of(chunk.database) : nullptr,
        .copy =
            [&](std::uint8_t* to, std::span<const std::uint8_t> from) {
                worker.host_brought = true;
                return copy(to, from);
            },
        .meanwhile =
            [&] {
                if (!std::exchange(checked, true)) {
                    damage = with_pool([&](const ThreadPool& pool) { return worker.reader.check(reader, pool); });
                }
                return damage;
            }};
    const std::uint64_t bytes = bytes_of(chunk);
    copies.bytes += bytes;
    bool stays = resident_->claim(chunks_of_gpu, bytes);
    const auto pass = [&] {
        source.most_bytes = most_bytes_;
        return upload(worker.reader.tiles(), worker.passing, source);
    };
    auto targets = stays ? upload(worker.reader.tiles(), nullptr, source) : pass();
    if (stays && !targets.ok()) {
        // There is less memory than before, so chunks do not stay from here on.
        resident_->unclaim(chunks_of_gpu, bytes);
        stays = false;
        WARPSEQ_TRY(damage);  // another attempt would not mend it
        targets = pass();
    }
    WARPSEQ_TRY(damage);
    if (!targets.ok()) {
        // Chunks that stay may have taken the memory that passing ones need.
        resident_->give_up(chunks_of_gpu, resident);
        targets = pass();
    }
    WARPSEQ_TRY(damage);
    if (!targets.ok()) return targets.status();
    resident.was_brought = true;
    if (stays) {
        resident.targets = *targets;
        resident.bytes = bytes;
    } else {
        worker.passing = *targets;
    }
    copies.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::shared_ptr<const cuda::DeviceTargets>(*std::move(targets));
}

Status GpuChunks::copy(std::uint8_t* to, std::span<const std::uint8_t> from) {
    const std::uint64_t pieces = (from.size() + kCopiedAtOnceBytes - 1) / kCopiedAtOnceBytes;
    return with_pool([&](const ThreadPool& pool) {
        return pool.parallel_for(pieces, [&](std::uint64_t p, unsigned) {
            const std::size_t begin = p * kCopiedAtOnceBytes;
            std::memcpy(to + begin, from.data() + begin, std::min(kCopiedAtOnceBytes, from.size() - begin));
        });
    });
}

}  // namespace warpseq
