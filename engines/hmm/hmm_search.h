// The host's part of the profile HMM engine. On the CPU's threads it searches databases with
// batches of profiles, chunk by chunk, or does the stages that follow the filters of GPUs
// (hmm_gpu_filter.h). It makes the reports when everything has been scanned.
//
// On the CPU the loop over chunks of the database is outermost and the batch of profiles is inside,
// so the database is read once per batch. Within a chunk, each stage runs over all profiles and
// targets before the next stage begins. First come MSV and the bias filter, over groups of tiles,
// then Viterbi, then Forward and everything after it. Results do not depend on device, threads,
// chunk size or back end.
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
    std::optional<double> targets_z, domains_z;  // Z and domZ if they are given
    bool names_as_hmmer = false;                 // target names do not end at a Ctrl-A (formats/fasta/hmmer_fasta.h)
};

/// The profile search on the host. Thread-safe.
class HmmSearch {
   public:
    /// Makes a search. References have to outlive it.
    HmmSearch(const DatabaseSet& databases, const HmmSearchSettings& settings, const ThreadPool& pool);
    HmmSearch(const HmmSearch&) = delete;
    HmmSearch& operator=(const HmmSearch&) = delete;

    Result<HmmBatch> prepare(std::vector<ProfileHmm> profiles, std::vector<HmmThresholds> thresholds,
                             const std::stop_token& stop = {});
    Result<HmmBatch> prepare_sources(std::vector<HmmSource> sources, std::vector<HmmThresholds> thresholds,
                                     const std::stop_token& stop = {});

    // The functions below return Status::interrupted() soon after a stop is requested. This takes
    // at most a tenth of a second, except for profiles or targets with tens of millions of nodes or
    // residues.

    /// Scans a share on the CPU: runs the filters and everything after them. `progress` counts
    /// HmmScan::kUnits per cell.
    Result<HmmPartial> scan(const HmmBatch& batch, const TargetShare& share, Progress& progress,
                            const std::stop_token& stop = {});
    /// Runs everything after the filters for the survivors of a device.
    Result<HmmPartial> scan(const HmmBatch& batch, HmmFiltered filtered, const std::stop_token& stop = {});
    /// Returns the finished reports (finish_report()) of a batch. `partial` has to cover the whole
    /// databases.
    Result<std::vector<HmmReport>> finish(const HmmBatch& batch, HmmPartial partial, const std::stop_token& stop = {});

    /// Returns the times of all finished work.
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
