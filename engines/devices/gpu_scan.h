// Scans of databases on GPUs, for any kind of kernel: the part of a scan that all engines share.
//
// A scan opens its GPUs, plans their memory, cuts the databases into chunks and starts worker
// threads. Then it takes batches through the chunks, and merges what the workers have found. An
// engine's scan owns a GpuScan and adds its devices, the work on a chunk and the merge. This file
// uses no CUDA: the engine passes in the functions that touch a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "engines/devices/database_pages.h"
#include "engines/devices/device_costs.h"
#include "engines/devices/gpu_chunks.h"
#include "engines/devices/gpu_jobs.h"
#include "engines/search_control.h"
#include "engines/targets/chunk.h"
#include "engines/targets/database_set.h"
#include "engines/targets/share.h"
#include "kernels/gpu/device_targets.h"
#include "libcore/base/clock.h"
#include "libcore/base/status.h"

namespace warpseq {

/// The settings that the scans of all engines share.
struct GpuScanSettings {
    std::vector<int> ordinals;            // GPUs to use, at least one
    GpuMemoryLimits memory = {};          // of all searches that share `resident`
    std::uint64_t most_memory_bytes = 0;  // of each GPU, for this scan's working memory; 0: all
    std::uint64_t chunk_bytes = 0;        // 0: chosen
    unsigned host_threads = 1;            // for decoding, and for the engine's work on the host
    /// About how fast the host and the GPUs are, if the host helps.
    std::optional<CellSpeeds> speeds_with_help = {};
    /// GPU memory and resident chunks, which other searches on the same GPUs share. nullptr: the
    /// scan has its own.
    std::shared_ptr<ResidentChunks> resident = nullptr;
    /// Pages of the databases that GPUs copy from, shared likewise.
    std::shared_ptr<DatabasePages> pages = nullptr;
};

template <typename Found>
class GpuScanJob;

/// The GPUs, chunks and worker threads of a scan.
///
/// The functions open(), create_workers() and start() are called once each, in this order. The
/// owner declares it after everything that its jobs use: its threads end when it is destroyed.
class GpuScan {
   public:
    /// `databases` have to outlive the scan.
    GpuScan(const DatabaseSet& databases, GpuScanSettings settings);

    /// Opens the GPUs. Returns how many bytes of each GPU the scan's workers may take together.
    Result<std::uint64_t> open(const std::function<Result<std::uint64_t>(int ordinal)>& free_memory_bytes);

    /// Returns the size in bytes that chunks have if memory is no limit.
    std::uint64_t preferred_chunk_bytes() const;

    /// Calls `create` for each worker. Neighbouring workers are on different GPUs. Returns the
    /// first error.
    Status create_workers(std::size_t workers_per_gpu,
                          const std::function<Status(std::size_t worker, int ordinal)>& create);

    /// The plan of a scan's memory.
    struct Plan {
        ResidentChunks::Form form;
        std::vector<Chunk> chunks;
        std::uint64_t working_bytes;       // of all workers on a GPU
        std::uint64_t bytes_per_lane = 0;  // that a chunk takes for each lane besides its words
    };
    /// Sets the memory aside, pins the pages of the databases, and starts the workers' threads. If
    /// the host helps, the chunks are cut for it (cut_for_host()).
    Status start(Plan plan, const DatabasePages::Pin& pin);

    std::size_t workers() const { return workers_.size(); }
    std::size_t gpu_of(std::size_t worker) const { return worker % settings_.ordinals.size(); }
    /// Returns the chunks of a share.
    std::vector<Chunk> chunks(const TargetShare& share) const { return chunks_->chunks(share); }

    /// Brings a chunk to a worker's GPU with GpuChunks::bring(). `device` is the object whose
    /// upload() copies tiles there.
    template <typename Device>
    Result<std::shared_ptr<const cuda::DeviceTargets>> bring(const Chunk& chunk, std::size_t worker, Device& device,
                                                             GpuCopies& copies) {
        return chunks_->bring(
            chunk, gpu_of(worker), workers_[worker],
            [&device](auto tiles, auto reuse, const cuda::UploadSource& source) {
                return device.upload(tiles, std::move(reuse), source);
            },
            copies);
    }
    /// Whether threads of the host brought the chunk that the worker was busy with last.
    bool host_brought(std::size_t worker) const { return workers_[worker].host_brought; }

    /// Calls `work` with the host's pool for decoding. Workers take turns at it.
    template <typename Work>
    auto with_pool(const Work& work) {
        return chunks_->with_pool(work);
    }

    /// Queues a job and returns its result's future. Batches are worked on in order. The thread
    /// that waits for the future helps the GPUs meanwhile, if `help` says how. Thread-safe.
    template <typename Found>
    std::future<Result<Found>> submit(std::shared_ptr<GpuScanJob<Found>> job, HostHelp help);

    /// Returns the seconds since the first job was created. At least one job was.
    double seconds_since_first_job() const;

   private:
    template <typename Found>
    friend class GpuScanJob;
    void note_first_job();

    const DatabaseSet& databases_;
    GpuScanSettings settings_;
    std::optional<GpuChunks> chunks_;
    std::deque<GpuChunks::Worker> workers_;
    mutable std::mutex mutex_;  // guards first_job_
    std::optional<Clock::time_point> first_job_;
    std::optional<GpuWorkers> threads_;  // ends before what its threads use
};

/// A batch on its way through a scan's chunks, whose result is a `Found`.
template <typename Found>
class GpuScanJob : public GpuJob {
   public:
    GpuScanJob(GpuScan& scan, const TargetShare& share, std::uint64_t cells_per_residue, const SearchControl& control)
        : GpuJob("Searching", scan.chunks(share), cells_per_residue, control), scan_(scan) {
        scan.note_first_job();
    }
    void finish(const Status& status) final { found_.set_value(status.ok() ? Result<Found>(merge()) : status); }
    bool host_brought(std::size_t worker) const final { return scan_.host_brought(worker); }

   private:
    friend class GpuScan;
    /// Returns what all workers have found. It is called once, when all chunks are done.
    virtual Found merge() = 0;

    GpuScan& scan_;
    std::promise<Result<Found>> found_;
};

/// Returns the result of a batch that failed before it was submitted.
template <typename Found>
std::future<Result<Found>> failed_scan(const Status& status) {
    std::promise<Result<Found>> failed;
    failed.set_value(status);
    return failed.get_future();
}

template <typename Found>
std::future<Result<Found>> GpuScan::submit(std::shared_ptr<GpuScanJob<Found>> job, HostHelp help) {
    auto found = threads_->with_help(std::shared_ptr<GpuJob>(job), job->found_.get_future(), std::move(help));
    threads_->submit(std::move(job));
    return found;
}

}  // namespace warpseq
