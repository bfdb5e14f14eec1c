// The host's part of the profile HMM engine: batches of profiles against databases, chunk by chunk,
// on the CPU's threads; finishing what GPUs have filtered (hmm_gpu_filter.h); and what is done when
// everything has been scanned.
//
// On the CPU chunks of the database are outermost and the batch of profiles is inside, so the
// database is read once per batch. Within a chunk each filter runs over everything before the next
// begins: MSV and bias over groups of tiles and all profiles; then Viterbi, then Forward and all
// after it. Results do not depend on device, threads, chunk size or back end.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "engines/hmm/hmm_batch.h"
#include "engines/hmm/hmm_finish.h"
#include "engines/hmm/hmm_partial.h"
#include "engines/hmm/hmm_scan.h"
#include "engines/targets/database_set.h"
#include "engines/targets/share.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

struct HmmSearchSettings {
    HmmPipelineSettings pipeline;
    std::uint64_t chunk_bytes = std::uint64_t{64} << 20;
    std::optional<double> targets_z, domains_z;  // Z and domZ where they are given
    bool names_as_hmmer = false;                 // of targets: a Ctrl-A does not end them (formats/fasta/hmmer_fasta.h)
};

/// Thread-safe.
class HmmSearch {
   public:
    /// References have to outlive the search.
    HmmSearch(const DatabaseSet& databases, const HmmSearchSettings& settings, const ThreadPool& pool);
    HmmSearch(const HmmSearch&) = delete;
    HmmSearch& operator=(const HmmSearch&) = delete;

    Result<HmmBatch> prepare(std::vector<ProfileHmm> profiles, std::vector<HmmThresholds> thresholds,
                             const std::stop_token& stop = {});
    Result<HmmBatch> prepare_sources(std::vector<HmmSource> sources, std::vector<HmmThresholds> thresholds,
                                     const std::stop_token& stop = {});

    // Status::interrupted() soon after a stop is requested: within a tenth of a second, but for
    // profiles and targets of tens of millions.

    /// Filters a share, and all after it, on the CPU. `progress` counts HmmScan::kUnits for a cell.
    Result<HmmPartial> scan(const HmmBatch& batch, const TargetShare& share, Progress& progress,
                            const std::stop_token& stop = {});
    /// Of what a device has filtered.
    Result<HmmPartial> scan(const HmmBatch& batch, HmmFiltered filtered, const std::stop_token& stop = {});
    /// The reports of a batch whose partial is that of the whole databases; finished
    /// (finish_report).
    Result<std::vector<HmmReport>> finish(const HmmBatch& batch, HmmPartial partial, const std::stop_token& stop = {});

    /// Of all that has been done.
    HmmTimes times() const;
    void add(const HmmTimes& times);

   private:
    const DatabaseSet& databases_;
    HmmSearchSettings settings_;
    const ThreadPool& pool_;
    HmmFinisher finisher_;
    mutable std::mutex mutex_;
    HmmTimes times_;
};

}  // namespace warpseq
