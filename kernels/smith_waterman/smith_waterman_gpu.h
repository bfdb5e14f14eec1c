// Smith-Waterman scores on a GPU, in raw units, by the recurrence of
// kernels/smith_waterman/smith_waterman.h. A call scores a whole chunk. Scores of kSaturatedScore
// and more are not exact, and the caller computes these again on the host. This header includes no
// CUDA header.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/gpu/device_targets.h"
#include "kernels/gpu/pinned_pages.h"
#include "kernels/smith_waterman/smith_waterman_plan_gpu.h"
#include "libcore/base/status.h"
#include "libcore/scoring/scoring.h"
#include "libcore/sequence/alphabet.h"
#include "libcore/sequence/tile.h"

namespace warpseq::cuda {

/// The lowest score that may be saturated. Scores below it are exact. If a returned score is at
/// least this high, so is the exact score.
inline constexpr std::uint16_t kSaturatedScore = 2048;

/// A batch of queries, ready for any GPU: its plans and profiles, in host memory. Immutable, so
/// threads share it.
class SmithWatermanBatch {
   public:
    /// Makes the plans and profiles. The profiles hold all that is needed of the queries, so the
    /// queries need not outlive the call. Interleaved tiles get the quickest plan. Linear tiles are
    /// few and very long, so they get a plan that spreads each over more threads. `shape`, one of
    /// kernel_shapes(), forces the plan for interleaved tiles, for tests and tuning.
    SmithWatermanBatch(std::span<const std::span<const ResidueCode>> queries, const ScoringScheme& scheme,
                       const KernelShape* shape = nullptr);

    struct Part {
        SmithWatermanPlan plan;
        std::vector<std::uint32_t> profiles;  // of all passes
    };
    const Part& interleaved() const { return interleaved_; }
    const Part& linear() const { return linear_; }
    std::size_t query_count() const { return query_count_; }
    GapCosts gaps() const { return gaps_; }
    bool has_borders() const { return interleaved_.plan.has_borders() || linear_.plan.has_borders(); }

   private:
    Part interleaved_, linear_;
    std::size_t query_count_;
    GapCosts gaps_;
};

/// A worker on one GPU, with a stream and buffers of its own. One thread uses it. With several
/// workers on one GPU, the copies of one overlap with the kernels of another.
class SmithWatermanGpu {
   public:
    static Result<std::unique_ptr<SmithWatermanGpu>> create(int ordinal);
    virtual ~SmithWatermanGpu() = default;

    /// Allocates the device memory that score() needs besides the targets, for chunks of this many
    /// packed bytes. Frees first what an earlier call allocated. Fails with kUnavailable if there
    /// is not enough memory. The caller may then try with smaller chunks.
    virtual Status reserve(std::uint64_t chunk_bytes) = 0;

    /// Copies tiles to the GPU. Tiles that are not in pinned memory go through pinned buffers.
    /// Returns when the tiles have arrived and source.meanwhile() has returned. Fails with
    /// kUnavailable if device memory is exhausted. `reuse`, if given, is the result of an earlier
    /// call. Its memory is used again, and its content is lost.
    virtual Result<std::shared_ptr<DeviceTargets>> upload(std::span<const TileView> tiles,
                                                          std::shared_ptr<DeviceTargets> reuse,
                                                          const UploadSource& source = {}) = 0;

    /// Makes tiles of some lanes of targets that WordHitGpu::upload() has copied to the same GPU.
    /// The longest lane comes first. Lane i of the result is lanes[i]. `reuse` is as in upload().
    virtual Result<std::shared_ptr<DeviceTargets>> gather(const DeviceTargets& from, std::span<const TargetLane> lanes,
                                                          std::shared_ptr<DeviceTargets> reuse) = 0;

    /// Scores every query of the batch against every lane of the targets. Element query *
    /// targets.lanes() + lane of the result is the score of a pair, in raw units. The result is in
    /// pinned memory and valid until the next call. `targets` have to be on the same GPU.
    virtual Result<std::span<const std::uint16_t>> score(const std::shared_ptr<const SmithWatermanBatch>& batch,
                                                         const DeviceTargets& targets) = 0;

    /// Returns the bytes of device memory that score() needs besides the targets for a chunk of
    /// this many packed bytes.
    static std::uint64_t workspace_bytes(std::uint64_t chunk_bytes, bool borders);

    /// Returns the milliseconds of GPU time of the last score(), from events around its kernels.
    virtual float kernel_milliseconds() const = 0;
};

}  // namespace warpseq::cuda
