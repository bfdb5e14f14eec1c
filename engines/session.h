// What searches share: databases, devices, threads. Opened once, used by any number of searches,
// also at the same time.
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
    /// Databases or FASTA, "-" for FASTA on standard input: searched as one. None where sequences
    /// are aligned with each other.
    std::vector<std::filesystem::path> database_files;
    TargetSettings targets = {};  // what becomes of FASTA
    DeviceRequest device = {};
    Sharers sharers = {};
    /// About how many residues, or nodes of profiles, are to be compared with the databases; 0: not
    /// known, a query of usual length. With the engine's speed it decides whether a GPU is quicker,
    /// and alone how large batches are that are the same for all.
    std::uint64_t query_residues = 0;
    SearchSpeed speed = kSwSpeed;
    /// Which sequences of the databases searches are restricted to, a value for each database;
    /// called once, when these are open and before a device is chosen. Empty: to none.
    std::function<Result<std::vector<TargetMembers>>(const DatabaseSet& databases, const ThreadPool& pool)>
        choose_targets = {};
    std::uint64_t device_memory_bytes = 0;  // most of each GPU that the engines take together; 0: what is free
    std::uint64_t chunk_bytes = 0;          // of a database in flight at once; 0: each engine's choice
    /// Queries come in the same batches whatever devices there are: those who search parts of one
    /// search have to agree about them.
    bool same_batches = false;
    unsigned threads = ThreadPool::hardware_threads();
    CpuBackend backend = runnable_cpu_backends().back();
};

class Session {
   public:
    /// Opens the databases, converting what is FASTA, and looks which devices there are; where none
    /// is asked for, whether they are quicker than the host's threads
    /// (engines/devices/device_costs.h), before it wakes the driver. What a person should know of
    /// the databases goes to `observer`.
    static Result<std::unique_ptr<Session>> open(const SessionSettings& settings, Observer& observer);
    static Result<std::unique_ptr<Session>> open(const SessionSettings& settings);

    /// One with the same settings, threads and devices over this database, which goes with it;
    /// nothing is resident on GPUs yet. It may outlive this one.
    std::unique_ptr<Session> with_database(const std::filesystem::path& file, Target target) const;

    /// But for choose_targets, which has done its work.
    const SessionSettings& settings() const { return settings_; }
    /// Of an engine whose batches have up to `most` residues of queries, or nodes of profiles: how
    /// many they have. Fewer where batches are the same for all, who finish them by turns, and
    /// there is not so much to search with: the last batches are finished while nobody has anything
    /// else to do.
    std::uint64_t batch_residues(std::uint64_t most) const;
    const DatabaseSet& databases() const { return databases_; }
    /// Loops of several searches run in it side by side.
    const ThreadPool& pool() const { return pool_; }
    const std::vector<int>& gpus() const { return devices_.gpus; }  // none: the CPU computes
    /// Limits of what all engines together take of them. Processes that share a GPU share what
    /// there is of it.
    GpuMemoryLimits gpu_memory_limits() const { return {settings_.device_memory_bytes, devices_.processes_per_gpu}; }
    /// Where the host's threads help the GPUs: how fast both are, about.
    std::optional<CellSpeeds> speeds_with_help() const;
    /// The reason why the CPU computes although this build and this machine know GPUs; empty
    /// otherwise.
    const std::string& device_note() const { return devices_.note; }

    /// The state of the GPUs that all searches share: their memory budget, and the parts of the
    /// databases that stay there.
    struct Residents {
        std::shared_ptr<ResidentChunks> chunks = std::make_shared<ResidentChunks>();
        std::shared_ptr<DatabasePages> pages = std::make_shared<DatabasePages>();  // what they are copied from
    };
    const Residents& residents() const { return residents_; }

    /// Returns an error that names the first database changed since it was opened. Called before
    /// results count.
    Status verify_unchanged() const;
    /// A search's error, unless it is one that a changed database may have caused and a database
    /// has changed; then that.
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
