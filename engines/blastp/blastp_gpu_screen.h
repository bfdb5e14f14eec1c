// The blastp screen on GPUs. It finds the pairs of a query (or a part of a query) and a sequence
// that blastp has to search. It uses the bounds of BlastpScreen in another way.
//
// Most batches go through the GPU's word hits (kernels/seeds/word_hits_gpu.h). These leave the
// pairs that have an ungapped alignment from which gapped extension would begin, a few of a
// hundred. Their sequences are gathered in tiles, query by query, and the GPU's Smith-Waterman
// scores them. The pairs with significant scores are candidates. A batch is scored without word
// hits (engines/sw/sw_gpu_scan.h) if the word hits do not accept it, or if it is so small that they
// do not pay off. The candidates of the two ways may differ, but blastp finds the same hits in
// both. This file uses no CUDA: the caller passes in the GPUs, this machine's or a test's.
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

/// Least number of residues of a batch for which word hits pay off. It is quicker to score all
/// pairs of smaller batches (docs/lab-notes.md).
inline constexpr std::uint64_t kLeastSeedResidues = 2000;

/// The GPU functions that the screen uses.
struct SeedGpus {
    std::function<Result<std::unique_ptr<cuda::WordHitGpu>>(int ordinal)> create;
    std::function<std::uint64_t(std::uint64_t chunk_bytes, std::uint64_t table_bytes)> workspace_bytes;
    std::uint64_t bytes_per_lane = 0;
    SwGpus scores;  // Smith-Waterman on the same GPUs

    /// Returns the functions for the GPUs of this machine. Exists only in builds with CUDA.
    static SeedGpus of_this_machine();
};

struct BlastpGpuCounts {
    std::uint64_t cells = 0;  // of all batches so far, including the host's
    HostCounts host;
    std::uint64_t seeded_pairs = 0;  // pairs that the word hits left, of all batches so far
    double kernel_seconds = 0;       // GPU time of the word hits, summed over workers
    double scoring_seconds = 0;      // from word hits to candidates, summed over workers; host and GPU time
};

class BlastpGpuScreen {
   public:
    /// Returns limits with which batches are so large that the GPUs are busy while the host
    /// finishes the batch before.
    static QueryBatchLimits batch_limits(const BlastpParameters& parameters);

    /// Creates a screen without opening the GPUs yet. References have to outlive the screen.
    /// Ignores the fields space, evalue, max_hits and most_queries of `settings`.
    static std::unique_ptr<BlastpGpuScreen> create(const DatabaseSet& databases, const BlastpParameters& parameters,
                                                   const SearchSpace& space, const SwGpuSettings& settings,
                                                   const SeedGpus& gpus);
    virtual ~BlastpGpuScreen() = default;

    /// Starts work on a batch and returns at once. The future gets the candidates of each part in
    /// the share, in any order. `parts` and `scanned`, which is scanned_parts(parts), have to live
    /// until then. `help` is used if pairs are scored without word hits. The result lacks the hits
    /// that `help` finds. Thread-safe.
    virtual std::future<Result<std::vector<std::vector<Hit>>>> submit(std::span<const BlastpQuery* const> parts,
                                                                      std::span<const Query> scanned,
                                                                      const TargetShare& share,
                                                                      const SearchControl& control,
                                                                      HostHelp help = {}) = 0;

    /// Returns the counts of all finished batches.
    virtual BlastpGpuCounts counts() const = 0;
};

}  // namespace warpseq
