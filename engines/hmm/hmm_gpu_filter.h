// The filters of profile searches on GPUs: they take batches of profiles through all chunks of the
// databases and give survivors to the host.
//
// kernels/profile/profile_filters_gpu.h states what a GPU computes. Workers, resident chunks and
// budgets are those of engines/devices/gpu_scan.h. This file uses no CUDA: the caller passes in the
// GPUs, this machine's or a test's.
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
#include "engines/hmm/hmm_batch.h"
#include "engines/hmm/hmm_scan.h"
#include "engines/targets/database_set.h"
#include "kernels/profile/profile_filters_gpu.h"
#include "libcore/base/status.h"

namespace warpseq {

/// Residues of targets below which a search has many profiles, rather than many targets
/// (docs/lab-notes.md, hmmscan).
inline constexpr std::uint64_t kFewTargetResidues = 4'000'000;

/// The GPU functions that the filters use.
struct HmmGpus {
    /// Starts the clock that all workers of a GPU share.
    std::function<Result<std::shared_ptr<const cuda::FilterClock>>(int ordinal)> start_clock;
    std::function<Result<std::unique_ptr<cuda::ProfileFilterGpu>>(int ordinal, std::uint64_t scratch_bytes,
                                                                  std::shared_ptr<const cuda::FilterClock> clock)>
        create;
    std::function<Result<std::uint64_t>(int ordinal)> free_memory_bytes;
    DatabasePages::Pin pin = {};  // optional
    std::function<std::shared_ptr<const cuda::ProfileFilterBatch>(std::span<const cuda::FilterProfile>,
                                                                  cuda::ProfileFilterBatch::Mode)>
        make_batch;
    std::function<std::uint64_t(std::uint64_t chunk_bytes, std::uint64_t lanes, std::uint64_t profiles,
                                std::uint64_t list_share)>
        workspace_bytes;
    std::uint64_t bytes_per_lane = 0;

    /// Returns the functions for the GPUs of this machine. Exists only in builds with CUDA.
    static HmmGpus of_this_machine();
};

struct HmmGpuSettings : GpuScanSettings {
    std::size_t most_profiles = 32;  // of a batch that memory is planned for
    HmmPipelineSettings pipeline = {};
    std::optional<double> targets_z = {};  // Z if it is given
};

/// Counts and times of the GPUs, for --stats.
struct HmmGpuCounts {
    std::uint64_t cells = 0;  // model length times residues, including the host's
    HostCounts host;
    std::uint64_t chunks = 0;     // filtered, each once per batch
    std::uint64_t survivors = 0;  // pairs that came to the host
    std::uint64_t open = 0;       // survivors whose filters the host had to decide
    GpuCopies copies;             // seconds summed over workers
    double elapsed_seconds = 0;   // from the first batch's start to the last one's end
    double busy_seconds = 0;      // in which a GPU had kernels to run, summed over GPUs
    /// GPU time of stages from begin to end, summed over workers, which overlap.
    double ssv_seconds = 0, msv_seconds = 0, bias_seconds = 0, viterbi_seconds = 0, forward_seconds = 0;
};

class HmmGpuFilter {
   public:
    /// Opens the GPUs and creates a filter. `databases` have to outlive the filter.
    static Result<std::unique_ptr<HmmGpuFilter>> create(const DatabaseSet& databases, const HmmGpuSettings& settings,
                                                        const HmmGpus& gpus);
    virtual ~HmmGpuFilter() = default;

    /// Starts on a batch and returns. The batch has to live as long as the result. Batches are
    /// worked on in order, and workers go on to the next without waiting for each other. What
    /// `help` finds is not in the result. Thread-safe.
    virtual std::future<Result<HmmFiltered>> submit(const HmmBatch& batch, const TargetShare& share,
                                                    const SearchControl& control, HostHelp help = {}) = 0;

    /// Returns the counts of all batches that are done.
    virtual HmmGpuCounts counts() const = 0;
};

/// Returns the thresholds that a device decides by for one profile. Without filters (`max`) they
/// include the Forward score that a target needs so that a hit could be kept. `targets_z` is the
/// number of targets that an E-value counts, if that depends on the profile and not on the target.
cuda::FilterThresholds filter_thresholds(const HmmPipeline& pipeline, const HmmThresholds& thresholds, bool max,
                                         std::optional<double> targets_z = {});

}  // namespace warpseq
