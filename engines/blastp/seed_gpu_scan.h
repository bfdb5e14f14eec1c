// Streaming of databases through GPUs for blastp: from word hits to the pairs whose Smith-Waterman
// score is significant.
//
// A worker brings a chunk to its GPU and finds the pairs with word hits. It gathers their sequences
// in tiles, query by query, and has the GPU score those. While one worker gathers, the kernels of
// another run.
#pragma once

#include <future>
#include <memory>
#include <span>
#include <vector>

#include "engines/blastp/blastp_gpu_screen.h"

namespace warpseq {

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
