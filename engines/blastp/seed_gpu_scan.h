// Streaming databases through GPUs: from word hits to pairs whose Smith-Waterman score is
// significant.
//
// A worker brings a chunk to its GPU, finds the pairs with seeds, gathers their sequences, query by
// query, in tiles, and has the GPU score those. While one worker gathers the other's kernels run.
#pragma once

#include <future>
#include <memory>
#include <span>
#include <vector>

#include "engines/blastp/blastp_gpu_screen.h"

namespace warpseq {

class SeedGpuScan {
   public:
    /// Opens the GPUs. References outlive the scan; settings.max_hits is not looked at.
    static Result<std::unique_ptr<SeedGpuScan>> create(const DatabaseSet& databases, const BlastpParameters& parameters,
                                                       const SwGpuSettings& settings, const SeedGpus& gpus);
    virtual ~SeedGpuScan() = default;

    /// As BlastpGpuScreen::submit(). The word hits take every part.
    virtual std::future<Result<std::vector<std::vector<Hit>>>> submit(std::span<const BlastpQuery* const> parts,
                                                                      std::span<const Query> scanned,
                                                                      const TargetShare& share,
                                                                      const SearchControl& control) = 0;
    virtual BlastpGpuCounts counts() const = 0;
};

}  // namespace warpseq
