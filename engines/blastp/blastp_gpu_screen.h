// The blastp screen on GPUs: finds the pairs of a query, or a part of one, and a sequence that
// blastp has to look at. It applies the bounds of BlastpScreen by other means.
//
// Most batches go through the GPU's word hits (kernels/seeds/word_hits_gpu.h). These are pairs with
// an ungapped alignment that gapped extension would begin at, a few in a hundred. The pairs are
// gathered in tiles, query by query, and scored by the GPU's Smith-Waterman. The significant ones
// are candidates. A batch is scored pair by pair instead (engines/sw/sw_gpu_scan.h) if the word
// hits do not take it, or if it is so small that they do not pay. The candidates of the two ways
// may differ, but what blastp finds in them does not. This file uses no CUDA: the caller passes in
// the GPUs, this machine's or a test's.
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

/// Residues of a batch from which word hits pay. Smaller batches are quicker scored pair by pair
/// (docs/lab-notes.md).
inline constexpr std::uint64_t kLeastSeedResidues = 2000;

/// The GPU functions that the screen uses.
struct SeedGpus {
    std::function<Result<std::unique_ptr<cuda::WordHitGpu>>(int ordinal)> create;
    std::function<std::uint64_t(std::uint64_t chunk_bytes, std::uint64_t table_bytes)> workspace_bytes;
    std::uint64_t bytes_per_lane = 0;
    SwGpus scores;  // on the same GPUs

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
    /// Returns limits of batches that keep the GPUs busy while the host finishes the batch before.
    static QueryBatchLimits batch_limits(const BlastpParameters& parameters);

    /// Creates a screen; opens no GPUs yet. References have to outlive the screen. Ignores the
    /// fields space, evalue, max_hits and most_queries of `settings`.
    static std::unique_ptr<BlastpGpuScreen> create(const DatabaseSet& databases, const BlastpParameters& parameters,
                                                   const SearchSpace& space, const SwGpuSettings& settings,
                                                   const SeedGpus& gpus);
    virtual ~BlastpGpuScreen() = default;

    /// Starts on a batch and returns. The future holds the candidates of each part in the share, in
    /// any order. `parts` and `scanned`, which is scanned_parts(parts), have to live until then.
    /// `help` is used if pairs are scored without word hits; what it finds is not in the result.
    /// Thread-safe.
    virtual std::future<Result<std::vector<std::vector<Hit>>>> submit(std::span<const BlastpQuery* const> parts,
                                                                      std::span<const Query> scanned,
                                                                      const TargetShare& share,
                                                                      const SearchControl& control,
                                                                      HostHelp help = {}) = 0;

    /// Returns the counts of all batches that are done.
    virtual BlastpGpuCounts counts() const = 0;
};

}  // namespace warpseq
