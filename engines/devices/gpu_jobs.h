// Jobs of GPUs: batches of queries on their way through the chunks of databases. This file decides
// which thread takes which chunk, and reports progress.
//
// Workers of the GPUs take chunks from the first on. If the host helps (--device cuda+cpu), a
// thread that waits for a job takes chunks from its end meanwhile. It takes as many as the host
// does while the GPUs do the others. It scans them as if there were no GPUs, and its results are
// merged like those of another process. The host does not help while its threads bring chunks to
// the GPUs. They are busy then, and the GPUs' speed is no measure of them. This file uses no CUDA.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engines/devices/device_costs.h"
#include "engines/search_control.h"
#include "engines/targets/chunk.h"
#include "engines/targets/share.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"

namespace warpseq {

/// How the host helps with a job.
struct HostHelp {
    /// Scans a part of the job's share and keeps what it finds. It is called by the thread that
    /// waits for the job, perhaps several times. An exception counts as an error. Empty: the host
    /// does not help.
    std::function<Status(const TargetShare& share, Progress& progress)> scan = {};
    std::uint64_t units_per_cell = 1;  // units of its progress for a cell
    /// Whether the host has nothing else to do. It is asked before each part, from any thread.
    /// Empty: the host is always idle.
    std::function<bool()> is_idle = {};
};

/// The host's work for one job or for many.
struct HostCounts {
    std::uint64_t cells = 0;
    double seconds = 0;

    HostCounts& operator+=(const HostCounts& other) {
        cells += other.cells;
        seconds += other.seconds;
        return *this;
    }
};

/// A batch on its way through the chunks of a share.
class GpuJob {
   public:
    /// `cells_per_residue` are the cells for each residue of the chunks; progress counts cells.
    GpuJob(const std::string& label, std::vector<Chunk> chunks, std::uint64_t cells_per_residue,
           const SearchControl& control)
        : chunks_(std::move(chunks)),
          cells_per_residue_(cells_per_residue),
          stop_(control.stop),
          end_chunk_(chunks_.size()),
          chunks_left_(chunks_.size()),
          residues_left_(residues_of(chunks_)),
          progress_(control.observer.begin(label, cells())) {}
    virtual ~GpuJob() = default;

    /// Returns the cells of all chunks.
    std::uint64_t cells() const { return cells_per_residue_ * residues_of(chunks_); }

    // The next two functions are for a job that is done.

    /// Returns all chunks except those that the host took.
    std::span<const Chunk> gpu_chunks() const { return std::span(chunks_).first(end_chunk_); }
    const HostCounts& host_counts() const { return host_counts_; }

    /// Works on a chunk. It is called by one thread at a time for each value of `worker`.
    virtual Status work(const Chunk& chunk, std::size_t worker) = 0;
    /// Ends the job after its last chunk, with the error of the first chunk that had one. It is
    /// called again, with an error, if it throws.
    virtual void finish(const Status& status) = 0;
    /// Whether threads of the host brought the chunk that the worker was busy with last. It is
    /// called by the same thread as work().
    virtual bool host_brought(std::size_t /*worker*/) const { return false; }

   private:
    friend class GpuWorkers;
    const std::vector<Chunk> chunks_;
    const std::uint64_t cells_per_residue_;
    const std::stop_token stop_;
    std::size_t next_chunk_ = 0;         // guarded by the workers' mutex, like all that follow
    std::size_t end_chunk_;              // chunks from here on are the host's
    std::size_t chunks_left_;            // chunks that are not done
    std::uint64_t residues_left_;        // of chunks that no thread has taken
    std::uint64_t cells_done_ = 0;       // of chunks that are done
    std::uint64_t host_cells_done_ = 0;  // of chunks that the host is busy with
    HostCounts host_counts_;
    std::unique_ptr<Progress> progress_;
    std::size_t failed_chunk_ = 0;  // if failure_ is an error
    Status failure_;
    bool is_submitted_ = false;
    bool is_given_up_ = false;  // the result is no longer wanted
};

/// Threads that take the chunks of jobs. Jobs are worked on in order. Workers go on to the next job
/// without waiting for each other.
class GpuWorkers {
   public:
    /// `speeds` are those of the host and of all workers together; they are used until speeds are
    /// measured. Without them the host does not help.
    explicit GpuWorkers(std::optional<CellSpeeds> speeds = {}) : speeds_(speeds) {}
    /// Ends the threads after the chunks that they work on. Drops jobs that are not done.
    ~GpuWorkers();
    GpuWorkers(const GpuWorkers&) = delete;
    GpuWorkers& operator=(const GpuWorkers&) = delete;

    /// Starts the threads. It is called once, before jobs come. Returns an error if the system
    /// refuses a thread.
    Status start(std::size_t workers);

    /// Queues a job. A job without chunks is finished at once.
    void submit(std::shared_ptr<GpuJob> job);

    /// Wraps the job's future, before the job is submitted. A thread that waits on the result,
    /// once, helps with the job meanwhile. If the result is destroyed before any thread waits on
    /// it, the job is given up. Once the result is gone, no worker uses what the job reads.
    template <typename T>
    std::future<T> with_help(const std::shared_ptr<GpuJob>& job, std::future<T> promised, HostHelp help) {
        return std::async(std::launch::deferred, [asked = Asked<T>(*this, job, std::move(promised)),
                                                  help = std::move(help)]() mutable { return asked.get(help); });
    }

   private:
    /// The right to wait for a job's result. It does not keep the job alive.
    template <typename T>
    class Asked {
       public:
        Asked(GpuWorkers& workers, const std::shared_ptr<GpuJob>& job, std::future<T> promised)
            : workers_(&workers), job_(job), promised_(std::move(promised)) {}
        Asked(Asked&&) = default;
        Asked& operator=(Asked&&) = delete;
        ~Asked() {
            if (promised_.valid() && give_up(*workers_, job_)) promised_.wait();
        }
        T get(const HostHelp& help) {
            if (workers_->speeds_ && help.scan) workers_->help(job_, help);
            return promised_.get();
        }

       private:
        GpuWorkers* workers_;  // valid as long as there is a job
        std::weak_ptr<GpuJob> job_;
        std::future<T> promised_;
    };

    class HostProgress;
    /// Speed in cells a second, by the work that was done last.
    class Speed {
       public:
        void add(std::uint64_t cells, double seconds);
        double cells_per_second(double before_measured) const;

       private:
        double cells_ = 0, seconds_ = 0;
    };

    void work(std::size_t worker);
    void help(const std::weak_ptr<GpuJob>& job, const HostHelp& help);
    static bool is_stopped(const GpuJob& job);
    /// Marks the job's result as no longer wanted. Returns whether the promise will be kept or
    /// broken soon; for a job that was never submitted it will not. If the job is gone, the workers
    /// may be gone, too.
    static bool give_up(GpuWorkers& workers, const std::weak_ptr<GpuJob>& job);
    static bool is_handed_out(const GpuJob& job);
    std::size_t chunks_for_host(const GpuJob& job, const HostHelp& help) const;
    void take_from_queue(const GpuJob& job);
    void end_chunks(GpuJob& job, std::size_t first, std::size_t count, bool by_host, Status status);

    std::optional<CellSpeeds> speeds_;
    std::mutex mutex_;
    std::condition_variable more_;              // signals a new job, or the end
    std::condition_variable changed_;           // signals chunks that were taken or done, for threads that help
    std::deque<std::shared_ptr<GpuJob>> jobs_;  // with chunks that no thread has taken, oldest first
    bool host_is_busy_ = false;                 // one thread helps with chunks
    bool host_brings_ = true;                   // its threads bring chunks to the GPUs
    Speed worker_speed_, host_speed_;           // of an average worker, for chunks on its GPU; of the host
    bool stop_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace warpseq
