#include "engines/devices/gpu_jobs.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "libcore/base/clock.h"

namespace warpseq {
namespace {

/// Replaces an error for lack of memory by one that says what takes the host's memory.
Status with_hint(Status status) {
    if (status.code() != StatusCode::kOutOfMemory) return status;
    return Status::out_of_memory("out of memory for the hits of the GPUs; search with stricter thresholds");
}

TargetShare share_of(std::span<const Chunk> chunks) {
    TargetShare share;
    for (const Chunk& chunk : chunks) {
        const bool goes_on = !share.empty() && share.back().database == chunk.database &&
                             share.back().first_tile + share.back().tile_count == chunk.first_tile;
        if (goes_on) {
            share.back().tile_count += chunk.tile_count;
        } else {
            share.push_back({static_cast<std::uint32_t>(chunk.database), chunk.first_tile, chunk.tile_count});
        }
    }
    return share;
}

}  // namespace

/// Progress of the host on chunks that it has taken, in cells of the job.
class GpuWorkers::HostProgress final : public Progress {
   public:
    HostProgress(GpuWorkers& workers, GpuJob& job, std::uint64_t units_per_cell, std::uint64_t cells)
        : workers_(workers), job_(job), units_per_cell_(units_per_cell), cells_(cells) {}

    void update(std::uint64_t done) override {
        const std::lock_guard lock(workers_.mutex_);
        job_.host_cells_done_ = std::max(job_.host_cells_done_, std::min(done / units_per_cell_, cells_));
        job_.progress_->update(job_.cells_done_ + job_.host_cells_done_);
    }

   private:
    GpuWorkers& workers_;
    GpuJob& job_;
    const std::uint64_t units_per_cell_, cells_;
};

void GpuWorkers::Speed::add(std::uint64_t cells, double seconds) {
    constexpr double kKept = 0.8;  // of what was measured before
    cells_ = kKept * cells_ + static_cast<double>(cells);
    seconds_ = kKept * seconds_ + seconds;
}

double GpuWorkers::Speed::cells_per_second(double before_measured) const {
    return cells_ > 0 && seconds_ > 0 ? cells_ / seconds_ : before_measured;
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
            return Status::unavailable("cannot start the threads that drive the GPUs: " + std::string(error.what()) +
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
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(job);
        job->is_submitted_ = true;
    }
    more_.notify_all();
}

bool GpuWorkers::is_stopped(const GpuJob& job) { return job.is_given_up_ || job.stop_.stop_requested(); }

bool GpuWorkers::give_up(GpuWorkers& workers, const std::weak_ptr<GpuJob>& given_up) {
    const std::shared_ptr<GpuJob> job = given_up.lock();
    if (!job) return true;  // the job is done, or was dropped with its workers
    const std::lock_guard lock(workers.mutex_);
    job->is_given_up_ = true;
    return job->is_submitted_;
}

/// Removes a job from the queue when no thread will take another chunk of it.
void GpuWorkers::take_from_queue(const GpuJob& job) {
    std::erase_if(jobs_, [&](const auto& each) { return each.get() == &job; });
}

void GpuWorkers::work(std::size_t worker) {
    for (;;) {
        std::shared_ptr<GpuJob> job;
        std::size_t chunk = 0;
        bool passed_over = false;  // after an error, since the batch will not be reported
        bool was_stopped = false;
        {
            std::unique_lock lock(mutex_);
            more_.wait(lock, [&] { return stop_ || !jobs_.empty(); });
            if (stop_) return;
            // A job that is stopped goes before others. No work is done for it, so it is over at
            // once.
            auto next = std::ranges::find_if(jobs_, [](const auto& each) { return is_stopped(*each); });
            if (next == jobs_.end()) next = jobs_.begin();
            job = *next;
            chunk = job->next_chunk_++;
            job->residues_left_ -= job->chunks_[chunk].residues;
            // The host's errors are of later chunks. An error of this chunk would be the first.
            passed_over = !job->failure_.ok() && job->failed_chunk_ < chunk;
            was_stopped = is_stopped(*job);
            if (job->next_chunk_ == job->end_chunk_) jobs_.erase(next);
        }
        Status status;
        const auto start = Clock::now();
        if (was_stopped || job->stop_.stop_requested()) {
            status = Status::interrupted();
        } else if (!passed_over) {
            status = with_hint(guarded([&] { return job->work(job->chunks_[chunk], worker); }));
            const double seconds = seconds_since(start);
            const std::lock_guard lock(mutex_);
            host_brings_ = job->host_brought(worker);
            if (status.ok() && !host_brings_)
                worker_speed_.add(job->chunks_[chunk].residues * job->cells_per_residue_, seconds);
        }
        end_chunks(*job, chunk, 1, false, std::move(status));
    }
}

/// Counts chunks as done. The thread that ends the last chunk finishes the job.
void GpuWorkers::end_chunks(GpuJob& job, std::size_t first, std::size_t count, bool by_host, Status status) {
    bool last = false;
    {
        const std::lock_guard lock(mutex_);
        for (std::size_t chunk = first; chunk < first + count; ++chunk)
            job.cells_done_ += job.chunks_[chunk].residues * job.cells_per_residue_;
        if (by_host) job.host_cells_done_ = 0;  // now in cells_done_
        if (status.ok()) status = guarded([&] { job.progress_->update(job.cells_done_ + job.host_cells_done_); });
        // Workers take chunks from the first on and the host from the last. So the first chunk that
        // fails is always among those that were worked on.
        if (!status.ok() && (job.failure_.ok() || first < job.failed_chunk_)) {
            job.failed_chunk_ = first;
            job.failure_ = std::move(status);
        }
        job.chunks_left_ -= count;
        last = job.chunks_left_ == 0;
    }
    changed_.notify_all();
    if (!last) return;
    // No other thread has the job now.
    const Status finished = with_hint(guarded([&] {
        job.progress_->finish();
        job.finish(job.failure_);
    }));
    if (!finished.ok() && !guarded([&] { job.finish(finished); }).ok()) job.finish(Status::out_of_memory());
}

bool GpuWorkers::is_handed_out(const GpuJob& job) {
    return job.next_chunk_ == job.end_chunk_ || !job.failure_.ok() || is_stopped(job);
}

/// Returns how many of the last chunks the host may take so that the GPUs need as long for the
/// others. It takes half of what would be even, so that a wrong estimate of a speed can be mended.
/// It takes at least one chunk if that is not too large.
std::size_t GpuWorkers::chunks_for_host(const GpuJob& job, const HostHelp& help) const {
    if (host_is_busy_ || jobs_.empty() || jobs_.front().get() != &job) return 0;
    if (host_brings_ || (help.is_idle && !help.is_idle())) return 0;
    // Threads that feed the GPUs compute beside the host's. A part that ends last costs more than a
    // part that was not taken gains.
    constexpr double kSure = 0.5;
    const double model = speeds_->cpu_cells_per_second;
    const double host = kSure * std::min(model, host_speed_.cells_per_second(model));
    const double workers = static_cast<double>(threads_.size());
    const double gpus = workers * worker_speed_.cells_per_second(speeds_->gpus_cells_per_second / workers);
    const double even = static_cast<double>(job.residues_left_) * host / (host + gpus);
    std::uint64_t residues = 0;
    std::size_t count = 0;
    while (job.end_chunk_ - count > job.next_chunk_) {
        residues += job.chunks_[job.end_chunk_ - count - 1].residues;
        if (static_cast<double>(residues) > (count == 0 ? even : even / 2)) break;
        ++count;
    }
    return count;
}

void GpuWorkers::help(const std::weak_ptr<GpuJob>& waited_for, const HostHelp& help) {
    const std::shared_ptr<GpuJob> job = waited_for.lock();
    if (!job) return;  // it is done
    std::unique_lock lock(mutex_);
    for (;;) {
        std::size_t count = 0;
        changed_.wait(lock, [&] {
            count = is_handed_out(*job) ? 0 : chunks_for_host(*job, help);
            return count > 0 || is_handed_out(*job);
        });
        if (count == 0) return;
        job->end_chunk_ -= count;
        const std::size_t first = job->end_chunk_;
        if (job->next_chunk_ == job->end_chunk_) take_from_queue(*job);
        const auto taken = std::span(job->chunks_).subspan(first, count);
        std::uint64_t cells = 0;
        for (const Chunk& chunk : taken) {
            job->residues_left_ -= chunk.residues;
            cells += chunk.residues * job->cells_per_residue_;
        }
        host_is_busy_ = true;
        lock.unlock();

        const auto start = Clock::now();
        HostProgress progress(*this, *job, help.units_per_cell, cells);
        Status status = guarded([&] { return help.scan(share_of(taken), progress); });
        const double seconds = seconds_since(start);

        lock.lock();
        host_is_busy_ = false;
        host_speed_.add(cells, seconds);
        job->host_counts_.cells += cells;
        job->host_counts_.seconds += seconds;
        lock.unlock();
        end_chunks(*job, first, count, true, std::move(status));
        lock.lock();
    }
}

}  // namespace warpseq
