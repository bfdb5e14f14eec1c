// The MSV and bias filters on the CPU's threads. They take a batch of profiles and chunks of
// targets that are in memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "engines/hmm/hmm_finish.h"
#include "engines/hmm/hmm_scan.h"
#include "engines/targets/chunk.h"
#include "kernels/profile/msv_filter.h"
#include "libcore/base/status.h"
#include "libcore/sequence/tile.h"

namespace warpseq {

class HmmCpuFilter {
   public:
    /// Makes a filter for the scan's batch. The scan and the databases have to outlive the filter.
    static Result<HmmCpuFilter> create(HmmScan& scan, const DatabaseSet& databases,
                                       const HmmPipelineSettings& settings);

    /// Replaces the content of `candidates` by the targets that pass, and counts these. `tiles` are
    /// the tiles of the chunks.
    Status filter(const ChunkGroup& chunks, std::span<const TileView> tiles, HmmCandidates& candidates);

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

    /// Consecutive profiles that share a filter.
    struct Part {
        std::size_t first, count;
        std::unique_ptr<MsvFilter> msv;
    };
    HmmCpuFilter(HmmScan& scan, const DatabaseSet& databases, const HmmPipelineSettings& settings)
        : scan_(scan), databases_(databases), filters_(!settings.max), threads_(scan.pool.threads()) {}

    HmmScan& scan_;
    const DatabaseSet& databases_;
    bool filters_;
    std::vector<Part> parts_;
    std::vector<Thread> threads_;
};

/// The targets of tiles that are in memory. The tiles are of one database and in its order.
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
