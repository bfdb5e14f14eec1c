// A session: the databases, devices and threads that searches share. It is opened once and used by
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
#include "engines/targets/database_set.h"
#include "engines/targets/target_members.h"
#include "kernels/backend.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

struct SessionSettings {
    /// Databases or FASTA files that are searched as one; "-" is FASTA on standard input. Empty if
    /// sequences are aligned with each other.
    std::vector<std::filesystem::path> database_files;
    TargetSettings targets = {};  // how FASTA is converted
    DeviceRequest device = {};
    Sharers sharers = {};
    /// About how many residues, or nodes of profiles, are compared with the databases; 0: not
    /// known. With `speed` it decides whether a GPU is quicker. With `same_batches` it also decides
    /// how large batches are.
    std::uint64_t query_residues = 0;
    SearchSpeed speed = kSwSpeed;
    /// Chooses the sequences that searches are restricted to, with a value for each database.
    /// Called once, after the databases are opened and before a device is chosen. Empty: searches
    /// are not restricted.
    std::function<Result<std::vector<TargetMembers>>(const DatabaseSet& databases, const ThreadPool& pool)>
        choose_targets = {};
    std::uint64_t device_memory_bytes = 0;  // most of each GPU that the engines take together; 0: what is free
    std::uint64_t chunk_bytes = 0;          // of a database in flight at once; 0: each engine's choice
    /// Whether queries come in the same batches whatever devices there are. Processes that search
    /// parts of one search have to agree about the batches.
    bool same_batches = false;
    unsigned threads = ThreadPool::hardware_threads();
    CpuBackend backend = runnable_cpu_backends().back();
};

class Session {
   public:
    /// Opens the databases, converting FASTA, and finds out which devices there are. If the caller
    /// names no device, it decides whether GPUs are quicker than the host's threads
    /// (engines/devices/device_costs.h) before it wakes the driver. Notes about the databases go to
    /// `observer`.
    static Result<std::unique_ptr<Session>> open(const SessionSettings& settings, Observer& observer);
    static Result<std::unique_ptr<Session>> open(const SessionSettings& settings);

    /// Returns a session with the same settings, threads and devices over this database, which it
    /// owns. Nothing is resident on GPUs yet. The new session may outlive this one.
    std::unique_ptr<Session> with_database(const std::filesystem::path& file, Target target) const;

    /// The settings given to open(), without choose_targets.
    const SessionSettings& settings() const { return settings_; }
    /// Returns how many residues of queries, or nodes of profiles, an engine's batch has: at most
    /// `most`. It has fewer if several processes share the search (same_batches) and there is
    /// little to search with. Otherwise some processes would be idle while the last batches are
    /// finished.
    std::uint64_t batch_residues(std::uint64_t most) const;
    const DatabaseSet& databases() const { return databases_; }
    /// Returns the thread pool. Loops of several searches run in it side by side.
    const ThreadPool& pool() const { return pool_; }
    const std::vector<int>& gpus() const { return devices_.gpus; }  // none: the CPU computes
    /// Returns the limits of the GPU memory that all engines take together. Processes that share a
    /// GPU share its memory.
    GpuMemoryLimits gpu_memory_limits() const { return {settings_.device_memory_bytes, devices_.processes_per_gpu}; }
    /// Returns how fast the host and the GPUs are, about, if the host's threads help the GPUs.
    /// Returns nothing otherwise.
    std::optional<CellSpeeds> speeds_with_help() const;
    /// Returns the reason why the CPU computes although this build and this machine know GPUs;
    /// empty otherwise.
    const std::string& device_note() const { return devices_.note; }

    /// The state of the GPUs that all searches share: their memory budget, and the parts of the
    /// databases that stay there.
    struct Residents {
        std::shared_ptr<ResidentChunks> chunks = std::make_shared<ResidentChunks>();
        std::shared_ptr<DatabasePages> pages = std::make_shared<DatabasePages>();  // that chunks are copied from
    };
    const Residents& residents() const { return residents_; }

    /// Returns an error that names the first database changed since it was opened. Called before
    /// results count.
    Status verify_unchanged() const;
    /// Returns the error to report for a search's error. If a changed database may have caused it
    /// and a database has changed, that change is the error. Otherwise `status` is.
    Status explain(Status status) const;

   private:
    Session(const SessionSettings& settings, const ThreadPool& pool, DatabaseSet databases, DeviceChoice devices)
        : settings_(settings),
          databases_(std::move(databases)),
          devices_(std::move(devices)),
          pool_(pool.with_stop({})) {
        settings_.choose_targets = {};
    }

    SessionSettings settings_;
    DatabaseSet databases_;
    DeviceChoice devices_;
    Residents residents_;
    ThreadPool pool_;
};

}  // namespace warpseq
