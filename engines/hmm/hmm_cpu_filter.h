// MSV and bias filters of a batch of profiles over chunks of targets in memory, on the CPU's threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "engines/hmm/hmm_batch.h"
#include "engines/hmm/hmm_finish.h"
#include "engines/targets/chunk.h"
#include "kernels/profile/msv_filter.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "libcore/sequence/tile.h"

namespace warpseq {

class HmmCpuFilter {
   public:
    /// References have to outlive the filter.
    HmmCpuFilter(HmmBatch& batch, const HmmPipelineSettings& settings, const ThreadPool& pool);

    /// The targets that pass, in place of what `candidates` holds; counts in the batch's reports. `tiles` are the chunk's.
    Status filter(const Chunk& chunk, std::span<const TileView> tiles, HmmCandidates& candidates);

    std::uint64_t cells() const;
    std::uint64_t undecided_cells() const;

   private:
    struct Thread {
        std::unique_ptr<MsvFilter::Workspace> msv;
        std::vector<std::int16_t> results;
        HmmCandidates candidates;
        std::vector<HmmStageCounts> counts;                     // by profile
        std::vector<std::pair<std::uint64_t, int>> lowest_msv;  // by profile: target length, least result that passes
        std::vector<ResidueCode> residues;
    };

    HmmBatch& batch_;
    bool filters_;
    CpuBackend backend_;
    const ThreadPool& pool_;
    std::unique_ptr<MsvFilter> msv_;
    std::vector<Thread> threads_;
};

/// Targets that lie in tiles in memory: consecutive ones of one database.
class TargetsInTiles final : public HmmTargets {
   public:
    explicit TargetsInTiles(std::span<const TileView> tiles) : tiles_(tiles) {}
    std::span<const ResidueCode> residues(const HmmCandidate& candidate,
                                          std::vector<ResidueCode>& buffer) const override;

   private:
    std::span<const TileView> tiles_;
    mutable std::mutex mutex_;
    mutable std::map<std::uint64_t, std::vector<ResidueCode>> long_targets_;  // by rank
};

}  // namespace warpseq
