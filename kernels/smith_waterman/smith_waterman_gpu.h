// Smith-Waterman scores on a GPU, by the contract of kernels/smith_waterman/smith_waterman.h. The
// scores of a whole chunk are computed at a time. Scores of kSaturatedScore and more are not exact;
// the caller computes them again on the host. This header includes no CUDA header.
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

/// Scores below this are exact. A returned score of at least this only says that the exact score is
/// at least this, too.
inline constexpr std::uint16_t kSaturatedScore = 2048;

/// A batch of queries, ready for any GPU: its plans and profiles, in host memory. Immutable, so
/// threads share it.
class SmithWatermanBatch {
   public:
    /// Makes the plans and profiles. Queries are copied into the profiles. For interleaved tiles
    /// the quickest plan is chosen. Linear tiles are few and very long, so they get a plan that
    /// spreads each over more threads. `shape`, one of kernel_shapes(), forces the plan for
    /// interleaved tiles, for tests and tuning.
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

/// A worker on one GPU with a stream and buffers of its own. Used by one thread. With several
/// workers on one GPU, copies of one overlap with kernels of another.
class SmithWatermanGpu {
   public:
    static Result<std::unique_ptr<SmithWatermanGpu>> create(int ordinal);
    virtual ~SmithWatermanGpu() = default;

    /// Takes the device memory that score() needs besides the targets, for chunks of this many
    /// packed bytes. Gives back what an earlier call took. Fails with kUnavailable when there is
    /// not enough; try with smaller chunks then.
    virtual Status reserve(std::uint64_t chunk_bytes) = 0;

    /// Copies tiles, through pinned memory where they do not stand in it. Returns when they have
    /// arrived and what the host does meanwhile is done. Fails with kUnavailable when device memory
    /// is exhausted. `reuse`, if given, is what an earlier call returned. Its memory is used again
    /// and its content is lost.
    virtual Result<std::shared_ptr<DeviceTargets>> upload(std::span<const TileView> tiles,
                                                          std::shared_ptr<DeviceTargets> reuse,
                                                          const UploadSource& source = {}) = 0;

    /// Scores every query of the batch against every lane. The score of a pair is scores[query *
    /// targets.lanes() + lane], in pinned memory that is valid until the next call. `targets` have
    /// to be on the same GPU.
    virtual Result<std::span<const std::uint16_t>> score(const std::shared_ptr<const SmithWatermanBatch>& batch,
                                                         const DeviceTargets& targets) = 0;

    /// Returns the bytes of device memory that score() needs besides the targets for a chunk of
    /// this many packed bytes.
    static std::uint64_t workspace_bytes(std::uint64_t chunk_bytes, bool borders);

    /// Returns the milliseconds of GPU time of the last score(), from events around its kernels.
    virtual float kernel_milliseconds() const = 0;
};

}  // namespace warpseq::cuda
