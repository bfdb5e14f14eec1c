// The filters of profile searches on a GPU. They follow the contracts of
// kernels/profile/msv_filter.h, viterbi_filter.h and forward_backward.h, for a chunk of targets and
// a batch of profiles at a time. This file includes no CUDA header.
//
// A pair (profile, target) goes through SSV, MSV, bias filter, Viterbi and Forward on the device.
// Only pairs that pass the last filter come to the host. MSV and Viterbi results are the same
// integers as in every other back end, so decisions by them are final. The bias filter and Forward
// are computed in floats, in another order of operations than on the host. If the difference could
// change a decision, the pair goes to the host, which decides by its own numbers. So the host gets
// every pair that it would pass itself, and few others. Without filters (Mode::kMax) it gets every
// pair that could become a hit.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/gpu/device_targets.h"
#include "kernels/gpu/pinned_pages.h"
#include "kernels/profile/ssv_plan_gpu.h"
#include "libcore/base/status.h"
#include "libcore/profile/plan7_profile.h"
#include "libcore/sequence/tile.h"
#include "libcore/statistics/null_model.h"

namespace warpseq::cuda {

/// The thresholds of one profile's filters, in bits. A score in bits is a float: the filter's score
/// less the null model's, both in nats, over ln 2. A threshold is the least float that passes. It
/// is minus infinity if everything passes, plus infinity if only a filter's overflow passes, and
/// NaN if nothing passes.
struct FilterThresholds {
    float msv_bits = 0;           // P <= F1 by MSV, first against null1, then against the bias filter
    float skip_viterbi_bits = 0;  // P <= F2 by MSV against the bias filter: such pairs skip Viterbi
    float viterbi_bits = 0;       // P <= F2 by Viterbi
    float forward_bits = 0;       // P <= F3 by Forward
    /// The two numbers that make up the least Forward score with which a hit could be kept without
    /// filters (Mode::kMax). The score is report_bits + report_bits_per_log_target * ln z, where z
    /// is the number of targets that an E-value counts.
    float report_bits = 0, report_bits_per_log_target = 0;
};

/// Greatest number of pairs in a call of filter().
inline constexpr std::uint64_t kMostFilterPairs = INT32_MAX;
/// Bytes of scratch memory that suffice for full speed: with them kernels run as many blocks as
/// present GPUs hold, for models of up to 5,000 nodes.
inline constexpr std::uint64_t kAmpleScratchBytes = std::uint64_t{3} << 30;

/// One profile in the forms that the filters use. They have to live while a ProfileFilterBatch is
/// being made.
struct FilterProfile {
    const MsvProfile* msv;
    const ViterbiProfile* viterbi;
    const ForwardProfile* forward;
    const BiasFilter* bias;
    FilterThresholds thresholds;
};

/// A batch of profiles in host memory, ready for any GPU. Immutable, so threads may share it.
class ProfileFilterBatch {
   public:
    enum class Mode {
        kFilters,      // all filters
        kWithoutBias,  // all but the bias filter, with null1 in its place
        kMax,          // Forward of every pair, decided by FilterThresholds::report_bits
    };
    /// Makes a batch. `shape`, one of ssv_shapes(), forces the SSV plan, for tests and tuning.
    ProfileFilterBatch(std::span<const FilterProfile> profiles, Mode mode, const SsvShape* shape = nullptr);
    ~ProfileFilterBatch();

    std::size_t profile_count() const;
    struct Tables;
    const Tables& tables() const { return *tables_; }

   private:
    std::unique_ptr<const Tables> tables_;
};

/// A pair that the device has not settled, or that has passed all filters.
struct FilterCandidate {
    std::uint32_t profile;
    std::uint32_t lane;  // lane of the chunk
    std::int16_t msv;    // the MSV filter's result; 0 without filters
    /// Whether the device's decisions up to Viterbi are final and counted. If so, only Forward is
    /// left to decide. If not, the host decides and counts everything after MSV.
    bool settled;
    std::uint8_t unused = 0;  // explicit padding, because a copy to the host would read uninitialised implicit padding
};

/// Numbers of pairs of one profile, or of one target, that passed each filter. The MSV count has
/// all pairs. The other counts have only the pairs that the device has settled.
struct FilterCounts {
    std::uint32_t passed_msv = 0, passed_bias = 0, passed_viterbi = 0;
};

struct FilterOutcome {
    std::span<const FilterCandidate> candidates;     // by profile, then lane
    std::span<const FilterCounts> counts;            // of each profile
    std::span<const FilterCounts> lane_counts = {};  // of each lane, if requested
};

/// GPU times of the last call in milliseconds, from events around its stages.
struct FilterMilliseconds {
    float ssv = 0, msv = 0, bias = 0, viterbi = 0, forward = 0;
    /// Begin and end of the GPU's work on the call, by the worker's clock.
    double begun = 0, ended = 0;
};

/// A clock of one GPU. Workers that share it report times that can be compared.
struct FilterClock;

/// A worker on one GPU, with a stream and buffers of its own. One thread uses it. Results are in
/// pinned memory that is valid until the next call.
class ProfileFilterGpu {
   public:
    /// Makes a worker. Models that do not fit a kernel's registers have their rows in scratch
    /// memory of about `scratch_bytes`. There is more only if a single block needs more. With
    /// little scratch memory, long models take longer. `clock` is of the same GPU; if it is null,
    /// the worker gets one of its own.
    static Result<std::unique_ptr<ProfileFilterGpu>> create(int ordinal, std::uint64_t scratch_bytes,
                                                            std::shared_ptr<const FilterClock> clock = nullptr);
    /// Starts a clock of a GPU, with which the times of several workers compare. Fails with
    /// kUnavailable if the GPU cannot be used.
    static Result<std::shared_ptr<const FilterClock>> start_clock(int ordinal);
    virtual ~ProfileFilterGpu() = default;

    /// Sets the size of later calls, whose chunks have up to `lanes` lanes. The next call allocates
    /// the memory for such chunks at once, because a later allocation would wait for all of the
    /// GPU's work. Lists of pairs have room for one in `list_share` of all pairs. If SSV leaves
    /// more pairs to the other filters, these go through in parts. With 1 there is room for all
    /// pairs, and the host need not know their number.
    virtual void expect(std::uint64_t lanes, std::uint64_t list_share) = 0;

    /// Copies tiles as SmithWatermanGpu::upload() does.
    virtual Result<std::shared_ptr<DeviceTargets>> upload(std::span<const TileView> tiles,
                                                          std::shared_ptr<DeviceTargets> reuse,
                                                          const UploadSource& source = {}) = 0;

    /// Runs the filters for every profile of the batch and every lane of `targets`. `log_targets`
    /// has ln z for each lane in Mode::kMax, and is empty otherwise. `counts_lanes` tells whether
    /// to count passes by lane, too. It has to be false in Mode::kMax.
    virtual Result<FilterOutcome> filter(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                         const DeviceTargets& targets, std::span<const float> log_targets,
                                         bool counts_lanes) = 0;

    // The functions below run single stages for every pair, for tests and measurements. Element
    // profile * targets.lanes() + lane of the result is for that pair. It is 0 for targets without
    // residues.
    /// Returns SSV counted from begin (s - kSsvBeginScore of the contract, at most kHighestSsv).
    virtual Result<std::span<const std::uint32_t>> score_ssv(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                                             const DeviceTargets& targets) = 0;
    /// Return the results of MSV and Viterbi as in the filters' contracts, and Forward in nats
    /// within forward_margin_nats() of the host's score.
    virtual Result<std::span<const std::int16_t>> score_msv(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                                            const DeviceTargets& targets) = 0;
    virtual Result<std::span<const std::int16_t>> score_viterbi(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                                                const DeviceTargets& targets) = 0;
    virtual Result<std::span<const float>> score_forward(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                                         const DeviceTargets& targets) = 0;

    virtual const FilterMilliseconds& milliseconds() const = 0;

    /// Returns the bytes of device memory for filtering `lanes` lanes by `profiles` profiles,
    /// besides the targets and scratch memory.
    static std::uint64_t workspace_bytes(std::uint64_t chunk_bytes, std::uint64_t lanes, std::uint64_t profiles,
                                         std::uint64_t list_share);
    /// Returns the most bytes of device memory that a target of a chunk takes besides its words.
    static std::uint64_t bytes_per_lane();
};

}  // namespace warpseq::cuda
