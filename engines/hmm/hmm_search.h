// The profile HMM engine: batches of profiles against databases, chunk by chunk, on the CPU's threads; or finishing what GPUs
// have filtered (hmm_gpu_filter.h).
//
// On the CPU chunks of the database are outermost and the batch of profiles is inside, so the database is read once per batch.
// Within a chunk each filter runs over everything before the next begins: MSV and bias over groups of tiles and all profiles; then
// Viterbi, then Forward and all after it. Results do not depend on device, threads, chunk size or back end.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engines/hmm/hmm_batch.h"
#include "engines/hmm/hmm_finish.h"
#include "engines/targets/chunk_reader.h"
#include "engines/targets/database_set.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

struct HmmSearchSettings {
    HmmPipelineSettings pipeline;
    std::uint64_t chunk_bytes = std::uint64_t{64} << 20;
    std::optional<double> targets_z;  // Z where it is given
};

class HmmSearch {
   public:
    /// References have to outlive the engine.
    HmmSearch(const DatabaseSet& databases, const HmmSearchSettings& settings, const ThreadPool& pool);
    HmmSearch(const HmmSearch&) = delete;
    HmmSearch& operator=(const HmmSearch&) = delete;

    Result<HmmBatch> prepare(std::vector<ProfileHmm> profiles, std::vector<HmmThresholds> thresholds);
    /// Fills the batch's reports, on the CPU. `progress` counts cells.
    Status search(HmmBatch& batch, Progress& progress);
    /// The same for a batch that has been filtered elsewhere. Thread-safe for distinct batches.
    Status finish(HmmBatch& batch, HmmFiltered filtered);

   private:
    const DatabaseSet& databases_;
    HmmSearchSettings settings_;
    const ThreadPool& pool_;
    ChunkReader chunk_reader_;
    HmmFinisher finisher_;
};

}  // namespace warpseq
