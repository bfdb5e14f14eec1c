// The profile HMM engine: batches of profiles against databases, chunk by chunk, on the CPU's threads.
//
// Chunks of the database are outermost and the batch of profiles is inside, so the database is read once per batch. Within a chunk
// each filter runs over everything before the next begins: MSV and bias over groups of tiles and all profiles; then Viterbi, then
// Forward and all after it, over batches of survivors of one profile that are of like length. Results do not depend on threads,
// chunk size or back end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "apps/common/progress.h"
#include "apps/search/chunk_reader.h"
#include "apps/search/database_set.h"
#include "apps/search/hmm/hmm_hit.h"
#include "apps/search/hmm/hmm_pipeline.h"
#include "libcore/status.h"
#include "libcore/thread_pool.h"

namespace warpseq {

/// Where the time went, for --stats. Seconds are of wall time, summed over chunks; cells are model length times residues.
struct HmmTimes {
    double prepare_seconds = 0, read_seconds = 0;
    double msv_seconds = 0, viterbi_seconds = 0, forward_seconds = 0;
    std::uint64_t msv_cells = 0, msv_undecided_cells = 0, viterbi_cells = 0, forward_cells = 0;
};

struct HmmSearchSettings {
    HmmPipelineSettings pipeline;
    std::uint64_t chunk_bytes = std::uint64_t{64} << 20;
};

class HmmSearch {
   public:
    /// References have to outlive the engine.
    HmmSearch(const DatabaseSet& databases, const HmmSearchSettings& settings, ThreadPool& pool);

    /// One report per profile, in their order: hits unsorted and not judged, except that hits that cannot be reported by
    /// thresholds[p] are left out; names of hits filled in. `targets_z` is Z where it is given. Profiles have statistics. `progress`
    /// counts cells.
    Result<std::vector<HmmReport>> search(std::span<const ProfileHmm> profiles, std::span<const HmmThresholds> thresholds,
                                          std::optional<double> targets_z, Progress& progress);

    const HmmTimes& times() const { return times_; }

   private:
    struct Batch;
    struct Survivor;
    Status search_chunk(const Chunk& chunk, Batch& batch);
    Status filter_tiles(std::span<const TileView> tiles, Batch& batch);
    Status filter_survivors(std::span<const TileView> tiles, Batch& batch);
    Status finish_survivors(const Chunk& chunk, std::span<const TileView> tiles, Batch& batch);
    Status name_hits(Batch& batch);

    const DatabaseSet& databases_;
    HmmSearchSettings settings_;
    ThreadPool& pool_;
    ChunkReader chunk_reader_;
    HmmTimes times_;
};

}  // namespace warpseq
