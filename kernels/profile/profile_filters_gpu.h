// The filters of profile searches on a GPU. They follow the contracts of
// kernels/profile/msv_filter.h, viterbi_filter.h and forward_backward.h, for a chunk of targets and
// a batch of profiles at a time. This file includes no CUDA header.
//
// A pair (profile, target) goes through SSV, MSV, bias filter, Viterbi and Forward on the device.
// Only pairs that pass the last filter come to the host. MSV and Viterbi results are integers, the
// same as in every other back end, so decisions by them are final. The bias filter and Forward are
// computed in floats in another order of operations than on the host. If that difference could
// decide, the pair goes to the host, which decides by its own numbers. So the host gets every pair
// that it would pass itself, and few others. Without filters (Mode::kMax) it gets every pair that
// could become a hit.
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

/// The greatest value of an SSV result, counted from begin. Higher scores are reported as this.
inline constexpr std::uint32_t kHighestSsv = 255;

/// The thresholds of one profile's filters. Scores are in bits: a filter's nats less the null
/// model's, over ln 2, as a float. A threshold is the least float that passes. It is minus infinity
/// if everything passes, plus infinity if only a filter's overflow passes, and NaN if nothing
/// passes.
struct FilterThresholds {
    float msv_bits = 0;           // against null1, then against the bias filter: P <= F1
    float skip_viterbi_bits = 0;  // MSV against the bias filter: such pairs skip Viterbi, P <= F2
    float viterbi_bits = 0;       // P <= F2
    float forward_bits = 0;       // P <= F3
    /// The Forward score that a target needs without filters (Mode::kMax) so that a hit could be
    /// kept. It is report_bits + report_bits_per_log_target * ln z, where z is the number of
    /// targets that an E-value counts.
    float report_bits = 0, report_bits_per_log_target = 0;
};

/// The greatest number of pairs in a call.
inline constexpr std::uint64_t kMostFilterPairs = INT32_MAX;
/// The bytes of scratch memory with which no kernel on a GPU of today runs with fewer blocks than
/// it could, for models of up to 5,000 nodes.
inline constexpr std::uint64_t kAmpleScratchBytes = std::uint64_t{3} << 30;

/// One profile in the forms that the filters compute with. They must live while a
/// ProfileFilterBatch is being made.
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
    /// Whether the device's decisions up to Viterbi are final and counted. Only Forward is then
    /// left to decide. Otherwise the host decides and counts everything after MSV.
    bool settled;
    std::uint8_t unused = 0;  // explicit, since a copy to the host would read implicit padding that is not initialised
};

/// The number of targets of one profile, or of profiles of one target, that passed. MSV counts are
/// complete. The others count the pairs that the device has settled.
struct FilterCounts {
    std::uint32_t passed_msv = 0, passed_bias = 0, passed_viterbi = 0;
};

struct FilterOutcome {
    std::span<const FilterCandidate> candidates;     // by profile, then lane
    std::span<const FilterCounts> counts;            // of each profile
    std::span<const FilterCounts> lane_counts = {};  // of each lane, if requested
};

/// GPU milliseconds between events around the stages of the last call.
struct FilterMilliseconds {
    float ssv = 0, msv = 0, bias = 0, viterbi = 0, forward = 0;
    /// Begin and end of the GPU's work on the call. They count from the time when this process made
    /// the GPU's first worker.
    double begun = 0, ended = 0;
};

/// A worker on one GPU, with a stream and buffers of its own. Used by one thread. Results are in
/// pinned memory that is valid until the next call.
class ProfileFilterGpu {
   public:
    /// Makes a worker. Kernels whose models do not fit their registers keep rows in scratch memory.
    /// It has about `scratch_bytes`, and more only if even one block needs more. With less, long
    /// models take longer.
    static Result<std::unique_ptr<ProfileFilterGpu>> create(int ordinal, std::uint64_t scratch_bytes);
    virtual ~ProfileFilterGpu() = default;

    /// Announces the size of the calls to come. Chunks will have up to `lanes` lanes, and memory is
    /// taken for them at once. Taking more later waits for all of the GPU's work. There is room for
    /// one in `list_share` of the pairs that SSV leaves to the other filters. If there are more,
    /// they go through in parts. 1 means room for all, and the host then need not know their
    /// number.
    virtual void expect(std::uint64_t lanes, std::uint64_t list_share) = 0;

    /// Uploads tiles like SmithWatermanGpu::upload().
    virtual Result<std::shared_ptr<DeviceTargets>> upload(std::span<const TileView> tiles,
                                                          std::shared_ptr<DeviceTargets> reuse,
                                                          const UploadSource& source = {}) = 0;

    /// Filters every profile of the batch against every lane of `targets`. `log_targets` is for
    /// Mode::kMax only, and has ln z per lane. `counts_lanes` says whether passes are counted by
    /// lane, too. It must not be set in Mode::kMax.
    virtual Result<FilterOutcome> filter(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                         const DeviceTargets& targets, std::span<const float> log_targets,
                                         bool counts_lanes) = 0;

    // The calls below run single stages over every pair, for tests and measurements. The result is
    // at results[profile * targets.lanes() + lane]. It is 0 for targets without residues.
    /// Returns SSV counted from begin (s - 128 of the contract, at most kHighestSsv).
    virtual Result<std::span<const std::uint32_t>> score_ssv(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                                             const DeviceTargets& targets) = 0;
    /// Return the filters' integers, and Forward in nats within forward_margin_nats() of the
    /// host's.
    virtual Result<std::span<const std::int16_t>> score_msv(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                                            const DeviceTargets& targets) = 0;
    virtual Result<std::span<const std::int16_t>> score_viterbi(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                                                const DeviceTargets& targets) = 0;
    virtual Result<std::span<const float>> score_forward(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                                         const DeviceTargets& targets) = 0;

    virtual const FilterMilliseconds& milliseconds() const = 0;

    /// Returns the device memory for filtering `lanes` lanes by `profiles` profiles, besides the
    /// targets and scratch memory.
    static std::uint64_t workspace_bytes(std::uint64_t chunk_bytes, std::uint64_t lanes, std::uint64_t profiles,
                                         std::uint64_t list_share);
    /// Returns the device memory that each target of a chunk takes besides its words.
    static std::uint64_t bytes_per_lane();
};

}  // namespace warpseq::cuda
