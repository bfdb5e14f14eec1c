// The filters of profile searches on a GPU: the contracts of kernels/msv_filter.h and viterbi_filter.h. No CUDA header here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cuda/device_targets.h"
#include "kernels/cuda/ssv_plan.h"
#include "libcore/plan7_profile.h"
#include "libcore/status.h"
#include "libcore/tile.h"

namespace warpseq::cuda {

/// The greatest value of an SSV result, counted from begin: what is higher is reported as this.
inline constexpr std::uint32_t kHighestSsv = 255;

/// A batch of profiles, ready for any GPU, in host memory. Immutable, shared by threads.
class ProfileFilterBatch {
   public:
    /// `shape`, one of ssv_shapes(), forces the SSV plan: for tests and tuning.
    ProfileFilterBatch(std::span<const MsvProfile* const> profiles, const SsvShape* shape = nullptr);

    std::size_t profile_count() const { return profile_count_; }
    const SsvPlan& ssv_plan() const { return ssv_plan_; }
    std::span<const std::uint32_t> ssv_profiles() const { return ssv_profiles_; }  // of all passes

   private:
    std::size_t profile_count_;
    SsvPlan ssv_plan_;
    std::vector<std::uint32_t> ssv_profiles_;
};

/// One line of work on one GPU: a stream and buffers of its own. Used by one thread.
class ProfileFilterGpu {
   public:
    static Result<std::unique_ptr<ProfileFilterGpu>> create(int ordinal);
    virtual ~ProfileFilterGpu() = default;

    /// As SmithWatermanGpu::upload().
    virtual Result<std::shared_ptr<DeviceTargets>> upload(std::span<const TileView> tiles,
                                                          std::shared_ptr<DeviceTargets> reuse) = 0;

    /// SSV of every profile against every lane, counted from begin (s - 128 of the contract, at most kHighestSsv):
    /// results[profile * targets.lanes() + lane], in pinned memory that is valid until the next call.
    virtual Result<std::span<const std::uint32_t>> score_ssv(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                                             const DeviceTargets& targets) = 0;

    /// Milliseconds of GPU time of the last call, from events around its kernels.
    virtual float kernel_milliseconds() const = 0;
};

}  // namespace warpseq::cuda
