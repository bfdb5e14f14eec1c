// Streaming of databases through GPUs for Smith-Waterman. It hands chunks to the next free GPU and
// turns scores into hits. The host's exact kernel computes scores again that saturate the GPU's 16
// bits. This file uses no CUDA: the caller passes in the GPUs, this machine's or a test's.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engines/devices/gpu_chunks.h"
#include "engines/devices/gpu_jobs.h"
#include "engines/devices/gpu_scan.h"
#include "engines/hit_list.h"
#include "engines/query_set.h"
#include "engines/search_control.h"
#include "engines/targets/database_set.h"
#include "engines/targets/share.h"
#include "kernels/smith_waterman/smith_waterman.h"
#include "kernels/smith_waterman/smith_waterman_gpu.h"
#include "libcore/base/status.h"
#include "libcore/statistics/karlin_altschul.h"

namespace warpseq {

/// The GPU functions that the scan uses.
struct SwGpus {
    std::function<Result<std::unique_ptr<cuda::SmithWatermanGpu>>(int ordinal)> create;
    std::function<Result<std::uint64_t>(int ordinal)> free_memory_bytes;
    DatabasePages::Pin pin = {};  // optional
    std::function<std::shared_ptr<const cuda::SmithWatermanBatch>(std::span<const std::span<const ResidueCode>> queries,
                                                                  const ScoringScheme& scheme)>
        make_batch;
    std::function<std::uint64_t(std::uint64_t chunk_bytes)> workspace_bytes;  // of any queries

    /// Returns the functions for the GPUs of this machine. Exists only in builds with CUDA.
    static SwGpus of_this_machine();
};

struct SwGpuSettings : GpuScanSettings {
    std::size_t most_queries = 64;               // of a batch that memory is planned for
    CpuBackend backend = CpuBackend::kPortable;  // of the host's exact kernel, for scores that saturate
    double evalue = 10;
    std::uint64_t max_hits = 500;
    SearchSpace space = {};  // for E-values
};

/// Counts and times of the GPUs, for --stats.
struct SwGpuCounts {
    std::uint64_t cells = 0;  // including the host's
    HostCounts host;
    std::uint64_t saturated = 0;  // scores computed again on the host
    std::uint64_t chunks = 0;     // scored, each once per batch
    GpuCopies copies;             // seconds summed over workers
    double scoring_seconds = 0;   // from the first batch's start to the last one's end
    double kernel_seconds = 0;    // of GPU time, summed over workers (which overlap)
    double host_seconds = 0;      // host time from scores to hits, summed over workers
};

class SwGpuScan {
   public:
    /// Opens the GPUs and creates a scan. References have to outlive the scan.
    static Result<std::unique_ptr<SwGpuScan>> create(const DatabaseSet& databases, const ScoringScheme& scheme,
                                                     const std::optional<AlignmentStatistics>& statistics,
                                                     const SwGpuSettings& settings, const SwGpus& gpus);
    virtual ~SwGpuScan() = default;

    /// Starts on a batch and returns. The future holds the hits of each query in the share, in the
    /// order of a report. `queries` have to live until then. Batches are worked on in order, and
    /// workers go on to the next without waiting for each other. What `help` finds is not among the
    /// hits. Thread-safe.
    virtual std::future<Result<std::vector<std::vector<Hit>>>> submit(std::span<const Query> queries,
                                                                      const TargetShare& share,
                                                                      const SearchControl& control,
                                                                      HostHelp help = {}) = 0;

    /// Returns the counts of all batches that are done.
    virtual SwGpuCounts counts() const = 0;
};

}  // namespace warpseq
