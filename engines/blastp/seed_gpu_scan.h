// Streaming of databases through GPUs for blastp: from word hits to the pairs whose Smith-Waterman
// score is significant.
//
// A worker brings a chunk to its GPU and finds the pairs with word hits. The GPU gathers their
// sequences in tiles, query by query, and scores those. While one worker lists the pairs of each
// query, the kernels of another run. Pairs of very long sequences, and those whose scores do not
// fit into the GPU's numbers, are candidates without a score.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <span>
#include <vector>

#include "engines/blastp/blastp_gpu_screen.h"

namespace warpseq {

/// Length of the longest sequences whose pairs are scored. A pair of a longer one would keep a warp
/// of the GPU busy for longer than the host takes to search it.
inline constexpr std::uint64_t kMostScoredResidues = 8192;

class SeedGpuScan {
   public:
    /// Opens the GPUs and creates a scan. References have to outlive the scan. Ignores
    /// settings.max_hits.
    static Result<std::unique_ptr<SeedGpuScan>> create(const DatabaseSet& databases, const BlastpParameters& parameters,
                                                       const SwGpuSettings& settings, const SeedGpus& gpus);
    virtual ~SeedGpuScan() = default;

    /// Starts on a batch, as BlastpGpuScreen::submit() does. The word hits have to take every part.
    virtual std::future<Result<std::vector<std::vector<Hit>>>> submit(std::span<const BlastpQuery* const> parts,
                                                                      std::span<const Query> scanned,
                                                                      const TargetShare& share,
                                                                      const SearchControl& control) = 0;
    virtual BlastpGpuCounts counts() const = 0;
};

}  // namespace warpseq
