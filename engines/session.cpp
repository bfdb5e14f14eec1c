#include "engines/session.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "libcore/base/stop_scope.h"

namespace warpseq {

Result<std::unique_ptr<Session>> Session::open(const SessionSettings& settings) {
    Observer silent;
    return open(settings, silent);
}

Result<std::unique_ptr<Session>> Session::open(const SessionSettings& settings, Observer& observer) {
    const ThreadPool pool = ThreadPool(settings.threads).with_stop(StopScope::current());
    DeviceRequest request = settings.device;
    // If GPUs will be used, the driver starts while the other work is done.
    std::future<void> starting;
    const auto start = [&] {
        starting = std::async(std::launch::async | std::launch::deferred, [&settings, request] {
            const auto devices = choose_devices(request, settings.sharers);
            if (devices.ok()) open_devices(*devices, settings.gpu_wait);
        });
    };
    if (request.kind == DeviceRequest::Kind::kCuda) start();
    auto databases = DatabaseSet::open(settings.database_files, settings.targets, pool, observer,
                                       settings.database_names, settings.open_converted);
    if (!databases.ok()) return databases.status();
    if (settings.choose_targets) {
        auto members = settings.choose_targets(*databases, pool);
        if (!members.ok()) {
            if (members.status().code() == StatusCode::kInvalidInput) WARPSEQ_TRY(databases->verify_unchanged(pool));
            return members.status();
        }
        databases->restrict_search(*std::move(members));
    }
    // Files without any sequence may be allowed. Nothing is computed then.
    if (!settings.database_files.empty() && databases->size() == 0) request.kind = DeviceRequest::Kind::kCpu;
    if (request.kind == DeviceRequest::Kind::kAuto && databases->size() > 0) {
        const ComparedResidues targets = compared_residues(*databases);
        const double cpu =
            cpu_seconds(settings.speed, {settings.query_residues, targets.by_cpu}, settings.threads, settings.backend);
        if (cpu <= gpu_seconds(settings.speed, {settings.query_residues, targets.by_gpus}, 1))
            request.kind = DeviceRequest::Kind::kCpu;
    }
    if (request.kind == DeviceRequest::Kind::kAuto) start();
    if (starting.valid()) {
        const auto is_starting = [&] {
            return starting.wait_for(std::chrono::seconds(0)) == std::future_status::timeout;
        };
        // Tiles that this process does not search are left alone, because the disk may have failed
        // there. With same_batches, other processes search some of the tiles.
        for (std::size_t d = 0; d < databases->size() && is_starting() && !settings.same_batches; ++d)
            if (databases->searched(d) == nullptr) databases->reader(d).check_ahead(pool, is_starting);
        starting.wait();
    }
    auto devices = choose_devices(request, settings.sharers);
    if (!devices.ok()) return devices.status();
    return std::unique_ptr<Session>(new Session(settings, pool, *std::move(databases), *std::move(devices)));
}

std::unique_ptr<Session> Session::with_database(const std::filesystem::path& file, Target target) const {
    return std::unique_ptr<Session>(new Session(settings_, pool_, DatabaseSet(file, std::move(target)), devices_));
}

std::optional<CellSpeeds> Session::speeds_with_help() const {
    if (!devices_.cpu_helps || devices_.gpus.empty()) return {};
    return cell_speeds(settings_.speed, settings_.threads, settings_.backend, devices_.gpus.size());
}

GpuScanSettings Session::gpu_scan_settings() const {
    return {.ordinals = gpus(),
            .memory = gpu_memory_limits(),
            .chunk_bytes = settings_.chunk_bytes,
            .host_threads = settings_.threads,
            .speeds_with_help = speeds_with_help(),
            .resident = resident_chunks_,
            .pages = database_pages_};
}

std::uint64_t Session::batch_residues(std::uint64_t most) const {
    constexpr std::uint64_t kBatches = 16, kLeast = 4096;
    if (!settings_.same_batches || settings_.query_residues == 0) return most;
    return std::min(most, std::max(settings_.query_residues / kBatches, kLeast));
}

Status Session::verify_unchanged() const {
    ThreadPool pool = pool_.with_stop({});
    return databases_.verify_unchanged(pool);
}

Status Session::explain(Status status) const {
    if (status.code() == StatusCode::kInvalidInput) WARPSEQ_TRY(verify_unchanged());
    return status;
}

}  // namespace warpseq
