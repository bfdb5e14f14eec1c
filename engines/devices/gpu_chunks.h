// Streaming databases through GPUs, whatever they compute: memory budgets, chunks that stay on a GPU, and workers.
//
// Each GPU has two workers (threads with a CUDA stream and buffers of their own), so that one's copies overlap the
// other's kernels. Chunks are handed out in order to whichever worker is free (gpu_jobs.h). A chunk that fits stays in the
// GPU's memory for the batches after. No CUDA here: what touches a GPU is passed in.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "engines/devices/database_pages.h"
#include "engines/devices/device_costs.h"
#include "engines/targets/chunk.h"
#include "engines/targets/chunk_reader.h"
#include "engines/targets/database_set.h"
#include "kernels/gpu/device_targets.h"
#include "kernels/gpu/pinned_pages.h"
#include "libcore/base/once.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

inline constexpr std::size_t kWorkersPerGpu = 2;
inline constexpr std::uint64_t kLeastGpuChunkBytes = std::uint64_t{128} << 10;

/// Opens the GPUs side by side (a context takes a fifth of a second) and returns how many bytes a search may use on
/// each of them: what is free on all, less a reserve, and at most `limit_bytes` unless that is 0.
Result<std::uint64_t> gpu_budget_bytes(std::span<const int> ordinals, std::uint64_t limit_bytes,
                                       const std::function<Result<std::uint64_t>(int ordinal)>& free_memory_bytes);

/// Bytes of chunks that are large enough that a launch's last warps are few among many, and so many that the GPUs end
/// together.
std::uint64_t preferred_gpu_chunk_bytes(const DatabaseSet& databases, std::size_t gpus);

/// What queries are compared with by the host's threads, and by GPUs: all of the tiles, and of the chunks, that hold a sequence which is
/// searched.
struct ComparedResidues {
    std::uint64_t by_cpu = 0, by_gpus = 0;
};
ComparedResidues compared_residues(const DatabaseSet& databases);

/// Where the host helps: chunks whose end is cut so fine that the host can take of it what it does while the GPUs do the rest.
std::vector<Chunk> cut_for_host(std::vector<Chunk> chunks, const DatabaseSet& databases,
                                const std::optional<CellSpeeds>& speeds);

struct GpuCopies {
    std::uint64_t bytes = 0;
    double seconds = 0;  // host time
};

/// The chunks of a session's databases that stay on its GPUs, for all searches whose kernels read targets in the same
/// form. Thread-safe.
class ResidentChunks {
   public:
    /// On each GPU chunks of up to `bytes` in all stay. The first call decides.
    void open(std::size_t gpus, std::uint64_t bytes);

   private:
    friend class GpuChunks;
    struct Resident {
        /// Held while a chunk is looked up and, where it is not there, brought: two workers never bring the same.
        std::mutex mutex;
        std::shared_ptr<const cuda::DeviceTargets> targets;
        bool was_brought = false;  // and checked, to whatever became of it
    };
    /// Database, first tile and number of tiles.
    using Key = std::tuple<std::size_t, std::uint64_t, std::uint64_t>;
    struct Gpu {
        std::mutex mutex;  // of the map, not of what is in it; nobody waits for another one while holding it
        std::map<Key, Resident> resident;
        std::atomic<std::uint64_t> left_bytes;
    };
    static Resident& find(Gpu& gpu, const Chunk& chunk);
    static bool claim(Gpu& gpu, std::uint64_t bytes);
    static void give_up(Gpu& gpu, const Resident& own);

    Once opened_;
    std::deque<Gpu> gpus_;
};

/// The chunks of databases on the way to GPUs.
class GpuChunks {
   public:
    /// How a worker copies tiles to its GPU: as SmithWatermanGpu::upload().
    using Upload = std::function<Result<std::shared_ptr<cuda::DeviceTargets>>(
        std::span<const TileView> tiles, std::shared_ptr<cuda::DeviceTargets> reuse, const cuda::UploadSource& source)>;
    /// What a worker keeps from chunk to chunk.
    struct Worker {
        std::shared_ptr<cuda::DeviceTargets> passing;  // memory for chunks that do not stay
        ChunkReader reader;
        /// Whether threads of the host copied or checked the last one, as they do when chunks come first.
        bool host_brought = false;
    };

    /// `resident` and `pages` are open; a chunk takes `bytes_per_lane` besides its words. `threads` of the host decode.
    /// `databases` have to outlive this.
    GpuChunks(const DatabaseSet& databases, std::vector<Chunk> chunks, std::shared_ptr<ResidentChunks> resident,
              std::shared_ptr<const DatabasePages> pages, std::uint64_t bytes_per_lane, unsigned threads);

    /// Those of a share.
    std::vector<Chunk> chunks(const TargetShare& share) const { return chunks_within(share, chunks_, databases_); }

    /// The chunk, one of chunks(), in the GPU's memory, copied there if it is not there yet, and checked by the host
    /// meanwhile when it is brought first. Thread-safe for distinct workers.
    Result<std::shared_ptr<const cuda::DeviceTargets>> bring(const Chunk& chunk, std::size_t gpu, Worker& worker,
                                                             const Upload& upload, GpuCopies& copies);

    /// Workers take turns at the pool.
    template <typename Work>
    auto with_pool(const Work& work) {
        const std::lock_guard lock(pool_mutex_);
        return work(pool_);
    }

   private:
    /// On a GPU.
    std::uint64_t bytes_of(const Chunk& chunk) const;
    /// By all threads of the pool.
    Status copy(std::uint8_t* to, std::span<const std::uint8_t> from);

    const DatabaseSet& databases_;
    std::vector<Chunk> chunks_;
    std::shared_ptr<ResidentChunks> resident_;
    std::shared_ptr<const DatabasePages> pages_;
    std::uint64_t bytes_per_lane_;
    std::uint64_t most_bytes_ = 0;  // of a chunk
    ThreadPool pool_;
    std::mutex pool_mutex_;
};

}  // namespace warpseq
