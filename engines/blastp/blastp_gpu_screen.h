// Which pairs of a query, or a part of one, and a sequence blastp has to look at, found on GPUs:
// BlastpScreen's bounds by other means.
//
// Most batches go through the GPU's word hits (kernels/seeds/word_hits_gpu.h): pairs with an
// ungapped alignment that gapped extension would begin at, a few in a hundred. Those are gathered
// in tiles, query by query, and scored by the GPU's Smith-Waterman; what is significant is a
// candidate. Batches that the seeds do not take, or that are so small that they do not pay, are
// scored pair by pair instead (engines/sw/sw_gpu_scan.h). The candidates may differ; what blastp
// finds in them does not. No CUDA here: the GPUs are passed in, this machine's or a test's.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <span>
#include <vector>

#include "engines/blastp/blastp_query.h"
#include "engines/hit_list.h"
#include "engines/query_set.h"
#include "engines/sw/sw_gpu_scan.h"
#include "engines/targets/database_set.h"
#include "kernels/seeds/word_hits_gpu.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Batches of fewer residues are quicker scored pair by pair (docs/lab-notes.md).
inline constexpr std::uint64_t kLeastSeedResidues = 2000;

/// What the screen needs of GPUs.
struct SeedGpus {
    std::function<Result<std::unique_ptr<cuda::WordHitGpu>>(int ordinal)> create;
    std::function<std::uint64_t(std::uint64_t chunk_bytes, std::uint64_t table_bytes)> workspace_bytes;
    std::uint64_t bytes_per_lane = 0;
    SwGpus scores;  // on the same GPUs

    /// Those of this machine. Only in builds with CUDA.
    static SeedGpus of_this_machine();
};

struct BlastpGpuCounts {
    std::uint64_t cells = 0;  // of all batches so far, with the host's
    HostCounts host;
    std::uint64_t seeded_pairs = 0;  // that the word hits have left, of all batches so far
    double kernel_seconds = 0;       // GPU time of the word hits, summed over workers
    double scoring_seconds = 0;      // from there to candidates, likewise, host and GPU
};

class BlastpGpuScreen {
   public:
    /// Limits of batches that keep the GPUs busy while the host finishes the batch before.
    static QueryBatchLimits batch_limits(const BlastpParameters& parameters);

    /// Opens nothing yet. References outlive the screen; of `settings` space, evalue, max_hits and
    /// most_queries are not looked at.
    static std::unique_ptr<BlastpGpuScreen> create(const DatabaseSet& databases, const BlastpParameters& parameters,
                                                   const SearchSpace& space, const SwGpuSettings& settings,
                                                   const SeedGpus& gpus);
    virtual ~BlastpGpuScreen() = default;

    /// Starts on a batch and returns; the future holds the candidates of each part in the share, in
    /// any order. `parts`, and `scanned`, scanned_parts() of them, have to live until then. What
    /// `help` finds, where pairs are scored without word hits, is not among them. Thread-safe.
    virtual std::future<Result<std::vector<std::vector<Hit>>>> submit(std::span<const BlastpQuery* const> parts,
                                                                      std::span<const Query> scanned,
                                                                      const TargetShare& share,
                                                                      const SearchControl& control,
                                                                      HostHelp help = {}) = 0;

    /// Of all batches that are done.
    virtual BlastpGpuCounts counts() const = 0;
};

}  // namespace warpseq
