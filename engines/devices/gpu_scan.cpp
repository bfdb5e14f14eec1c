#include "engines/devices/gpu_scan.h"

#include <algorithm>

namespace warpseq {

GpuScan::GpuScan(const DatabaseSet& databases, GpuScanSettings settings)
    : databases_(databases), settings_(std::move(settings)) {
    if (!settings_.resident) settings_.resident = std::make_shared<ResidentChunks>();
    if (!settings_.pages) settings_.pages = std::make_shared<DatabasePages>();
}

Result<std::uint64_t> GpuScan::open(const std::function<Result<std::uint64_t>(int ordinal)>& free_memory_bytes) {
    auto bytes = settings_.resident->plannable_bytes(settings_.ordinals, settings_.memory, free_memory_bytes);
    if (bytes.ok() && settings_.most_memory_bytes != 0) *bytes = std::min(*bytes, settings_.most_memory_bytes);
    return bytes;
}

std::uint64_t GpuScan::preferred_chunk_bytes() const {
    if (settings_.chunk_bytes != 0) return settings_.chunk_bytes;
    return preferred_gpu_chunk_bytes(databases_, settings_.ordinals.size());
}

Status GpuScan::create_workers(std::size_t workers_per_gpu,
                               const std::function<Status(std::size_t worker, int ordinal)>& create) {
    workers_.resize(workers_per_gpu * settings_.ordinals.size());
    for (std::size_t worker = 0; worker < workers_.size(); ++worker)
        WARPSEQ_TRY(create(worker, settings_.ordinals[gpu_of(worker)]));
    return {};
}

Status GpuScan::start(Plan plan, const DatabasePages::Pin& pin) {
    settings_.pages->open(databases_, pin);
    chunks_.emplace(databases_, cut_for_host(std::move(plan.chunks), databases_, settings_.speeds_with_help), plan.form,
                    settings_.resident, plan.working_bytes, settings_.pages, plan.bytes_per_lane,
                    settings_.host_threads);
    threads_.emplace(settings_.speeds_with_help);
    return threads_->start(workers_.size());
}

void GpuScan::note_first_job() {
    const std::lock_guard lock(mutex_);
    if (!first_job_) first_job_ = Clock::now();
}

double GpuScan::seconds_since_first_job() const {
    const std::lock_guard lock(mutex_);
    return seconds_since(*first_job_);
}

}  // namespace warpseq
