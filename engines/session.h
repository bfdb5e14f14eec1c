// A session: the databases, devices and threads that searches share. It is opened once and serves
// any number of searches, also at the same time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engines/devices/database_pages.h"
#include "engines/devices/device_costs.h"
#include "engines/devices/devices.h"
#include "engines/devices/gpu_chunks.h"
#include "engines/devices/gpu_scan.h"
#include "engines/targets/database_set.h"
#include "engines/targets/target_members.h"
#include "kernels/backend.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

struct SessionSettings {
    /// Databases or FASTA files, which are searched as one database. "-" is FASTA on standard
    /// input. Empty for searches without a database, which align sequences with each other.
    std::vector<std::filesystem::path> database_files;
    /// The names of these files in reports. Empty: the files' own names.
    std::vector<std::filesystem::path> database_names = {};
    TargetOpener open_converted = {};  // files that were converted before
    TargetSettings targets = {};       // how FASTA is converted
    DeviceRequest device = {};
    Sharers sharers = {};
    /// How threads wait for GPUs. Searches wait long, and their other threads need the cores.
    cuda::GpuWait gpu_wait = cuda::GpuWait::kAsleep;
    /// Approximate number of query residues, or of nodes of query profiles; 0: not known. Together
    /// with `speed` it decides whether a GPU is quicker. With `same_batches` it also decides the
    /// size of batches.
    std::uint64_t query_residues = 0;
    SearchSpeed speed = kSwSpeed;
    /// Returns the sequences to which searches are restricted, one set for each database. Called
    /// once, after the databases are opened and before a device is chosen. If it is empty, searches
    /// are not restricted.
    std::function<Result<std::vector<TargetMembers>>(const DatabaseSet& databases, const ThreadPool& pool)>
        choose_targets = {};
    std::uint64_t device_memory_bytes = 0;  // most memory of each GPU for all engines together; 0: what is free
    std::uint64_t chunk_bytes = 0;          // bytes of a database that are processed at a time; 0: each engine's choice
    /// Whether batches of queries are the same for all devices. Processes that do parts of one
    /// search need this, because they have to agree about the batches.
    bool same_batches = false;
    unsigned threads = ThreadPool::hardware_threads();
    CpuBackend backend = runnable_cpu_backends().back();
};

class Session {
   public:
    /// Opens the databases, converts FASTA, and finds the devices. If the settings name no device,
    /// it decides whether GPUs are quicker than the host's threads (engines/devices/device_costs.h)
    /// before it starts the GPU driver. Notes about the databases go to `observer`.
    static Result<std::unique_ptr<Session>> open(const SessionSettings& settings, Observer& observer);
    static Result<std::unique_ptr<Session>> open(const SessionSettings& settings);

    /// Returns a session with the same settings, threads and devices for one database, which it
    /// owns. The new session may outlive this one. No part of its database is on a GPU yet.
    std::unique_ptr<Session> with_database(const std::filesystem::path& file, Target target) const;

    /// The settings given to open(), without choose_targets and open_converted.
    const SessionSettings& settings() const { return settings_; }
    /// Returns the number of query residues, or of nodes of profiles, in an engine's batch: at most
    /// `most`. It is smaller if several processes share the search (same_batches) and there are few
    /// queries. With large batches some processes would then be idle while the last batches are
    /// finished.
    std::uint64_t batch_residues(std::uint64_t most) const;
    const DatabaseSet& databases() const { return databases_; }
    /// Returns the thread pool. Parallel loops of several searches may run in it at the same time.
    const ThreadPool& pool() const { return pool_; }
    const std::vector<int>& gpus() const { return devices_.gpus; }  // empty: the CPU computes
    /// Returns the limits of the GPU memory that all engines take together. Processes that share a
    /// GPU share its memory.
    GpuMemoryLimits gpu_memory_limits() const { return {settings_.device_memory_bytes, devices_.processes_per_gpu}; }
    /// Returns the approximate speeds of the host and the GPUs if the host's threads help the GPUs,
    /// and nothing otherwise.
    std::optional<CellSpeeds> speeds_with_help() const;
    /// Returns the reason why the CPU computes although this build supports GPUs and the machine
    /// has a GPU driver. Empty in all other cases.
    const std::string& device_note() const { return devices_.note; }

    /// Returns the settings of an engine's scans on the session's GPUs. All searches share the
    /// GPUs' memory budget, and the parts of the databases that stay there.
    GpuScanSettings gpu_scan_settings() const;

    /// Returns an error that names the first database whose file was changed after it was opened.
    /// Has to be called before results are reported.
    Status verify_unchanged() const;
    /// Returns the error to report for a search that failed with `status`. If a database was
    /// changed and this may have caused the failure, it returns the error of verify_unchanged().
    /// Otherwise it returns `status`.
    Status explain(Status status) const;

   private:
    Session(const SessionSettings& settings, const ThreadPool& pool, DatabaseSet databases, DeviceChoice devices)
        : settings_(settings),
          databases_(std::move(databases)),
          devices_(std::move(devices)),
          pool_(pool.with_stop({})) {
        settings_.choose_targets = {};
        settings_.open_converted = {};
    }

    SessionSettings settings_;
    DatabaseSet databases_;
    DeviceChoice devices_;
    std::shared_ptr<ResidentChunks> resident_chunks_ = std::make_shared<ResidentChunks>();
    std::shared_ptr<DatabasePages> database_pages_ = std::make_shared<DatabasePages>();  // that chunks are copied from
    ThreadPool pool_;
};

}  // namespace warpseq
