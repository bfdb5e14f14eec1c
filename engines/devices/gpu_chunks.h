// Streaming databases through GPUs, whatever they compute: memory budgets, chunks that stay on a
// GPU, and workers.
//
// Each GPU has two workers (threads with a CUDA stream and buffers of their own), so that one's
// copies overlap the other's kernels. Chunks are handed out in order to whichever worker is free
// (gpu_jobs.h). A chunk that fits stays in the GPU's memory for the batches after. No CUDA here:
// what touches a GPU is passed in.
#pragma once

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
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

inline constexpr std::size_t kWorkersPerGpu = 2;
inline constexpr std::uint64_t kLeastGpuChunkBytes = std::uint64_t{128} << 10;

/// Limits of the memory that searches take of GPUs.
struct GpuMemoryLimits {
    std::uint64_t bytes = 0;  // of each GPU; 0: what is free
    unsigned processes = 1;   // that share each GPU, and what there is of it, evenly
};

/// Opens the GPUs side by side (a context takes a fifth of a second) and returns how many bytes
/// this process may use on each of them: what is free on all, less a reserve, within the limits.
Result<std::uint64_t> gpu_budget_bytes(std::span<const int> ordinals, const GpuMemoryLimits& limits,
                                       const std::function<Result<std::uint64_t>(int ordinal)>& free_memory_bytes);

/// Bytes of chunks that are large enough that a launch's last warps are few among many, and so many
/// that the GPUs end together.
std::uint64_t preferred_gpu_chunk_bytes(const DatabaseSet& databases, std::size_t gpus);

/// What queries are compared with by the host's threads, and by GPUs: all of the tiles, and of the
/// chunks, that hold a sequence which is searched.
struct ComparedResidues {
    std::uint64_t by_cpu = 0, by_gpus = 0;
};
ComparedResidues compared_residues(const DatabaseSet& databases);

/// Where the host helps: chunks whose end is cut so fine that the host can take of it what it does
/// while the GPUs do the rest.
std::vector<Chunk> cut_for_host(std::vector<Chunk> chunks, const DatabaseSet& databases,
                                const std::optional<CellSpeeds>& speeds);

struct GpuCopies {
    std::uint64_t bytes = 0;
    double seconds = 0;  // host time
};

/// The memory budget of a session's GPUs, which all its searches share. Each search sets aside the
/// memory that it works in. The rest holds chunks of the databases for later batches and searches,
/// as long as no search needs that room to work in. Thread-safe.
class ResidentChunks {
   public:
    /// The form in which kernels read targets. Searches of one form share chunks.
    enum class Form : unsigned char { kScores, kSeeds, kProfiles };

    /// Opens the GPUs and returns how many bytes of each a search may plan with that comes now: of
    /// the budget, which the first call decides (gpu_budget_bytes()), what other searches have not
    /// set aside, and no more than is free or taken by chunks.
    Result<std::uint64_t> plannable_bytes(std::span<const int> ordinals, const GpuMemoryLimits& limits,
                                          const std::function<Result<std::uint64_t>(int ordinal)>& free_memory_bytes);

    /// Memory of each GPU that a search has set aside, as long as this lives.
    class Working {
       public:
        Working(std::shared_ptr<ResidentChunks> memory, std::uint64_t bytes);
        ~Working();
        Working(const Working&) = delete;
        Working& operator=(const Working&) = delete;

       private:
        std::shared_ptr<ResidentChunks> memory_;
        std::uint64_t bytes_;
    };

   private:
    friend class GpuChunks;
    struct Resident {
        /// Held while a chunk is looked up and, where it is not there, brought: two workers never
        /// bring the same.
        std::mutex mutex;
        std::shared_ptr<const cuda::DeviceTargets> targets;
        std::uint64_t bytes = 0;   // of targets
        bool was_brought = false;  // and checked, to whatever became of it
    };
    /// Form, database, first tile and number of tiles.
    using Key = std::tuple<Form, std::size_t, std::uint64_t, std::uint64_t>;
    struct Gpu {
        std::mutex mutex;  // of the map, not of what is in it; nobody waits for another one while holding it
        std::map<Key, Resident> resident;
        std::uint64_t resident_bytes = 0;  // guarded by budget_mutex_, as what follows
        bool is_full = false;              // there was less memory than the budget
    };
    static Resident& find(Gpu& gpu, Form form, const Chunk& chunk);
    bool claim(Gpu& gpu, std::uint64_t bytes);
    /// Takes back a claim that came to nothing and marks the GPU as full: from here on no further
    /// chunk stays.
    void unclaim(Gpu& gpu, std::uint64_t bytes);
    void give_up(Gpu& gpu, const Resident& own);
    void make_room(Gpu& gpu);
    bool is_over_budget(const Gpu& gpu);
    void drop(Gpu& gpu, Resident& resident);

    std::mutex budget_mutex_;  // the last one that is locked
    std::optional<std::uint64_t> budget_bytes_;
    std::uint64_t working_bytes_ = 0;
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
        /// Whether threads of the host copied or checked the last one, as they do when chunks come
        /// first.
        bool host_brought = false;
    };

    /// `resident`, whose plannable_bytes() was asked for, and `pages` are open. The search sets
    /// `working_bytes` of each GPU aside. A chunk takes `bytes_per_lane` besides its words.
    /// `threads` of the host decode. `databases` have to outlive this.
    GpuChunks(const DatabaseSet& databases, std::vector<Chunk> chunks, ResidentChunks::Form form,
              const std::shared_ptr<ResidentChunks>& resident, std::uint64_t working_bytes,
              std::shared_ptr<const DatabasePages> pages, std::uint64_t bytes_per_lane, unsigned threads);

    /// Those of a share.
    std::vector<Chunk> chunks(const TargetShare& share) const { return chunks_within(share, chunks_, databases_); }

    /// The chunk, one of chunks(), in the GPU's memory, copied there if it is not there yet, and
    /// checked by the host meanwhile when it is brought first. Thread-safe for distinct workers.
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
    ResidentChunks::Form form_;
    std::shared_ptr<ResidentChunks> resident_;
    ResidentChunks::Working working_;
    std::shared_ptr<const DatabasePages> pages_;
    std::uint64_t bytes_per_lane_;
    std::uint64_t most_bytes_ = 0;  // of a chunk
    ThreadPool pool_;
    std::mutex pool_mutex_;
};

}  // namespace warpseq
