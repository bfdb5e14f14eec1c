// Streaming of databases through GPUs, for any kind of kernel: memory budgets, chunks that stay on
// a GPU, and workers.
//
// Each GPU has at least two workers: threads with a CUDA stream and buffers of their own. One
// worker's copies overlap another's kernels. Chunks are handed out in order to the next free worker
// (gpu_jobs.h). A chunk that fits stays in the GPU's memory for later batches. This file uses no
// CUDA: the caller passes in the functions that touch a GPU.
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

/// Limits of the GPU memory that searches take.
struct GpuMemoryLimits {
    std::uint64_t bytes = 0;  // of each GPU; 0: what is free
    unsigned processes = 1;   // that share each GPU and its memory evenly
};

/// Opens the GPUs side by side (a context takes a fifth of a second). Returns how many bytes this
/// process may use on each of them: the memory that is free on all, less a reserve, within the
/// limits.
Result<std::uint64_t> gpu_budget_bytes(std::span<const int> ordinals, const GpuMemoryLimits& limits,
                                       const std::function<Result<std::uint64_t>(int ordinal)>& free_memory_bytes);

/// Returns the preferred size of a chunk in bytes. Chunks are then large enough that a launch's
/// last warps are few among many, and numerous enough that the GPUs end together.
std::uint64_t preferred_gpu_chunk_bytes(const DatabaseSet& databases, std::size_t gpus);

/// Residues that queries are compared with, by the host's threads and by GPUs. Threads compare all
/// tiles with a searched sequence, GPUs all chunks with one.
struct ComparedResidues {
    std::uint64_t by_cpu = 0, by_gpus = 0;
};
ComparedResidues compared_residues(const DatabaseSet& databases);

/// Returns the chunks as a host that helps needs them. Their end is cut so fine that the host can
/// take as much of it as it computes while the GPUs do the rest. Without `speeds` the host does not
/// help, and the chunks stay as they are.
std::vector<Chunk> cut_for_host(std::vector<Chunk> chunks, const DatabaseSet& databases,
                                const std::optional<CellSpeeds>& speeds);

struct GpuCopies {
    std::uint64_t bytes = 0;
    double seconds = 0;  // host time
};

/// The memory budget of a session's GPUs, which all its searches share. Each search sets aside the
/// memory that it works in. The rest holds chunks of the databases for later batches and searches,
/// until a search needs that room to work in. Thread-safe.
class ResidentChunks {
   public:
    /// The form in which kernels read targets. Searches of one form share chunks.
    enum class Form : unsigned char { kScores, kSeeds, kProfiles };

    /// Opens the GPUs. Returns how many bytes of each GPU a new search may plan with. That is the
    /// part of the budget that other searches have not set aside. It is no more than what is free
    /// or taken by chunks. The first call decides the budget (gpu_budget_bytes()).
    Result<std::uint64_t> plannable_bytes(std::span<const int> ordinals, const GpuMemoryLimits& limits,
                                          const std::function<Result<std::uint64_t>(int ordinal)>& free_memory_bytes);

    /// Memory of each GPU that a search sets aside as long as this object lives.
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
        /// Held while a chunk is looked up and, if it is not there, brought. So two workers never
        /// bring the same chunk.
        std::mutex mutex;
        std::shared_ptr<const cuda::DeviceTargets> targets;
        std::uint64_t bytes = 0;   // of targets
        bool was_brought = false;  // and checked, even if it did not stay
    };
    /// Form, database, first tile and number of tiles of a chunk.
    using Key = std::tuple<Form, std::size_t, std::uint64_t, std::uint64_t>;
    struct Gpu {
        std::mutex mutex;  // of the map, not of its elements; its holder does not wait for an element's
        std::map<Key, Resident> resident;
        std::uint64_t resident_bytes = 0;  // guarded by budget_mutex_, and so is is_full
        bool is_full = false;              // the GPU had less memory than the budget
    };
    static Resident& find(Gpu& gpu, Form form, const Chunk& chunk);
    bool claim(Gpu& gpu, std::uint64_t bytes);
    /// Takes back a claim that was not used and marks the GPU as full. From then on no further
    /// chunk stays.
    void unclaim(Gpu& gpu, std::uint64_t bytes);
    void give_up(Gpu& gpu, const Resident& own);
    void make_room(Gpu& gpu);
    bool is_over_budget(const Gpu& gpu);
    void drop(Gpu& gpu, Resident& resident);

    std::mutex budget_mutex_;  // locked after all others
    std::optional<std::uint64_t> budget_bytes_;
    std::uint64_t working_bytes_ = 0;
    std::deque<Gpu> gpus_;
};

/// The chunks of databases on their way to GPUs.
class GpuChunks {
   public:
    /// Copies tiles to a worker's GPU, as SmithWatermanGpu::upload() does.
    using Upload = std::function<Result<std::shared_ptr<cuda::DeviceTargets>>(
        std::span<const TileView> tiles, std::shared_ptr<cuda::DeviceTargets> reuse, const cuda::UploadSource& source)>;
    /// The state that a worker keeps from chunk to chunk.
    struct Worker {
        std::shared_ptr<cuda::DeviceTargets> passing;  // memory for chunks that do not stay
        ChunkReader reader;
        /// Whether threads of the host copied or checked the last chunk, as they do when a chunk is
        /// brought for the first time.
        bool host_brought = false;
    };

    /// `resident` and `pages` are open: plannable_bytes() has been called. The search sets
    /// `working_bytes` of each GPU aside. A chunk takes `bytes_per_lane` for each lane besides its
    /// words. `threads` of the host decode. `databases` have to outlive this object.
    GpuChunks(const DatabaseSet& databases, std::vector<Chunk> chunks, ResidentChunks::Form form,
              const std::shared_ptr<ResidentChunks>& resident, std::uint64_t working_bytes,
              std::shared_ptr<const DatabasePages> pages, std::uint64_t bytes_per_lane, unsigned threads);

    /// Returns the chunks of a share.
    std::vector<Chunk> chunks(const TargetShare& share) const { return chunks_within(share, chunks_, databases_); }

    /// Returns a chunk, one of chunks(), in the GPU's memory. Copies it there if it is not there
    /// yet. When it is brought for the first time, the host checks it meanwhile. Thread-safe for
    /// distinct workers.
    Result<std::shared_ptr<const cuda::DeviceTargets>> bring(const Chunk& chunk, std::size_t gpu, Worker& worker,
                                                             const Upload& upload, GpuCopies& copies);

    /// Calls `work` with the pool. Workers take turns at it.
    template <typename Work>
    auto with_pool(const Work& work) {
        const std::lock_guard lock(pool_mutex_);
        return work(pool_);
    }

   private:
    /// Returns the bytes that a chunk takes on a GPU.
    std::uint64_t bytes_of(const Chunk& chunk) const;
    /// Copies bytes with all threads of the pool.
    Status copy(std::uint8_t* to, std::span<const std::uint8_t> from);

    const DatabaseSet& databases_;
    std::vector<Chunk> chunks_;
    ResidentChunks::Form form_;
    std::shared_ptr<ResidentChunks> resident_;
    ResidentChunks::Working working_;
    std::shared_ptr<const DatabasePages> pages_;
    std::uint64_t bytes_per_lane_;
    std::uint64_t most_bytes_ = 0;  // of the largest chunk
    ThreadPool pool_;
    std::mutex pool_mutex_;
};

}  // namespace warpseq
