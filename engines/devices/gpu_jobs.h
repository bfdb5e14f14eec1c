// Batches of queries on their way through the chunks of databases on GPUs: who takes which chunk,
// and what is told of it.
//
// Workers of the GPUs take chunks from the first on. Where the host helps (--device cuda+cpu),
// whoever waits for a job takes chunks from its end meanwhile, as many as the host does while the
// GPUs do the others, and scans them as if there were no GPUs: what it finds is merged as what
// another process finds. While its threads bring chunks to the GPUs it does not help: they have
// something to do, and what GPUs do meanwhile is no measure of them. No CUDA here.
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
    /// Scans a part of the job's share and keeps what it finds. Called by the thread that waits for
    /// the job, several times perhaps. An exception counts as an error. Empty: the host does not
    /// help.
    std::function<Status(const TargetShare& share, Progress& progress)> scan = {};
    std::uint64_t units_per_cell = 1;  // of that progress
    /// Whether the host has nothing else to do; asked before each part, from any thread. Empty: it
    /// has not.
    std::function<bool()> is_idle = {};
};

/// What the host did of a job, or of many.
struct HostCounts {
    std::uint64_t cells = 0;
    double seconds = 0;

    HostCounts& operator+=(const HostCounts& other) {
        cells += other.cells;
        seconds += other.seconds;
        return *this;
    }
};

/// A batch's way through the chunks of a share.
class GpuJob {
   public:
    /// `cells_per_residue` of the chunks: what the observer is told counts cells.
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

    /// Of all chunks.
    std::uint64_t cells() const { return cells_per_residue_ * residues_of(chunks_); }

    // Of a job that is done.

    /// All but those that the host took.
    std::span<const Chunk> gpu_chunks() const { return std::span(chunks_).first(end_chunk_); }
    const HostCounts& host_counts() const { return host_counts_; }

    /// Of one worker at a time for each value of `worker`.
    virtual Status work(const Chunk& chunk, std::size_t worker) = 0;
    /// After the last chunk, with the error of the first chunk that had one; again, with an error,
    /// if an exception left it.
    virtual void finish(const Status& status) = 0;
    /// Whether threads of the host brought the chunk that the worker was busy with last; by the
    /// same thread as work().
    virtual bool host_brought(std::size_t /*worker*/) const { return false; }

   private:
    friend class GpuWorkers;
    const std::vector<Chunk> chunks_;
    const std::uint64_t cells_per_residue_;
    const std::stop_token stop_;
    std::size_t next_chunk_ = 0;         // guarded by the workers' mutex, as what follows
    std::size_t end_chunk_;              // those behind are the host's
    std::size_t chunks_left_;            // that are not done
    std::uint64_t residues_left_;        // of chunks that nobody has taken
    std::uint64_t cells_done_ = 0;       // of chunks that are done
    std::uint64_t host_cells_done_ = 0;  // of those that the host is busy with
    HostCounts host_counts_;
    std::unique_ptr<Progress> progress_;
    std::size_t failed_chunk_ = 0;  // where there is a failure
    Status failure_;
    bool is_submitted_ = false;
    bool is_given_up_ = false;  // nobody asks for the result any more
};

/// Threads that take the chunks of jobs in order. Jobs are worked on in order, and workers go on to
/// the next without waiting for each other.
class GpuWorkers {
   public:
    /// `speeds`: of the host and of all workers together, until they are measured; nothing: the
    /// host does not help.
    explicit GpuWorkers(std::optional<CellSpeeds> speeds = {}) : speeds_(speeds) {}
    /// Ends after the chunks being worked on; jobs that are not done are dropped.
    ~GpuWorkers();
    GpuWorkers(const GpuWorkers&) = delete;
    GpuWorkers& operator=(const GpuWorkers&) = delete;

    /// Once, before jobs come. An error where the system refuses a thread.
    Status start(std::size_t workers);

    void submit(std::shared_ptr<GpuJob> job);

    /// Wraps what a job promises, before the job is submitted. A thread that asks for it, once,
    /// helps with the job until it is there. Where the future goes and nobody has asked, the job is
    /// given up: when the future is gone no worker uses what the job reads.
    template <typename T>
    std::future<T> with_help(const std::shared_ptr<GpuJob>& job, std::future<T> promised, HostHelp help) {
        return std::async(std::launch::deferred, [asked = Asked<T>(*this, job, std::move(promised)),
                                                  help = std::move(help)]() mutable { return asked.get(help); });
    }

   private:
    /// The right to ask for what a job promises. It keeps no job alive.
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
        GpuWorkers* workers_;  // as long as there is a job
        std::weak_ptr<GpuJob> job_;
        std::future<T> promised_;
    };

    class HostProgress;
    /// Cells a second, by what was done last.
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
    /// Nobody asks for the job's result any more. Returns whether the promise will be kept or
    /// broken soon, which it is not of a job that was never submitted. Without a job the workers
    /// may be gone, too.
    static bool give_up(GpuWorkers& workers, const std::weak_ptr<GpuJob>& job);
    static bool is_handed_out(const GpuJob& job);
    std::size_t chunks_for_host(const GpuJob& job, const HostHelp& help) const;
    void take_from_queue(const GpuJob& job);
    void end_chunks(GpuJob& job, std::size_t first, std::size_t count, bool by_host, Status status);

    std::optional<CellSpeeds> speeds_;
    std::mutex mutex_;
    std::condition_variable more_;              // a job has come, or the end
    std::condition_variable changed_;           // chunks have been taken or done: for the host's helpers
    std::deque<std::shared_ptr<GpuJob>> jobs_;  // with chunks that nobody has taken, oldest first
    bool host_is_busy_ = false;                 // with chunks; one thread at a time
    bool host_brings_ = true;                   // chunks to the GPUs
    Speed worker_speed_, host_speed_;           // of one worker on average, with chunks that are there; of the host
    bool stop_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace warpseq
