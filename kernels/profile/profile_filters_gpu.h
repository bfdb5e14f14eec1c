// The filters of profile searches on a GPU: the contracts of kernels/profile/msv_filter.h,
// viterbi_filter.h and forward_backward.h over a chunk of targets and a batch of profiles at a
// time. No CUDA header here.
//
// A pair (profile, target) goes through SSV, MSV, bias filter, Viterbi and Forward on the device,
// and only what passes the last comes to the host. MSV and Viterbi results are integers, the same
// as every other back end's, so decisions by them are final. The bias filter and Forward are
// computed in floats of another order of operations than the host's; where that difference could
// decide, the pair goes to the host, which decides by its own numbers. So the host sees every pair
// that it would pass itself, and few others; without filters (Mode::kMax) every pair that could
// become a hit.
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

/// The greatest value of an SSV result, counted from begin: what is higher is reported as this.
inline constexpr std::uint32_t kHighestSsv = 255;

/// What the filters of one profile decide by. Scores in bits (a filter's nats less the null
/// model's, over ln 2, as a float): the least float that passes, minus infinity where everything
/// does, plus infinity where only a filter's overflow does, NaN where nothing does.
struct FilterThresholds {
    float msv_bits = 0;           // against null1, then against the bias filter: P <= F1
    float skip_viterbi_bits = 0;  // MSV against the bias filter: Viterbi is not asked, P <= F2
    float viterbi_bits = 0;       // P <= F2
    float forward_bits = 0;       // P <= F3
    /// Without filters (ProfileFilterBatch::kMax): what a target's Forward score needs so that a
    /// hit could be kept, where z is how many targets an E-value counts: report_bits +
    /// report_bits_per_log_target * ln z.
    float report_bits = 0, report_bits_per_log_target = 0;
};

/// Pairs that a call can number.
inline constexpr std::uint64_t kMostFilterPairs = INT32_MAX;
/// Scratch memory with which no kernel on a GPU of today runs with fewer blocks than it could, for
/// models of up to 5,000 nodes.
inline constexpr std::uint64_t kAmpleScratchBytes = std::uint64_t{3} << 30;

/// One profile in the forms that the filters compute with. They have to live as long as a
/// ProfileFilterBatch is being made.
struct FilterProfile {
    const MsvProfile* msv;
    const ViterbiProfile* viterbi;
    const ForwardProfile* forward;
    const BiasFilter* bias;
    FilterThresholds thresholds;
};

/// A batch of profiles, ready for any GPU, in host memory. Immutable, shared by threads.
class ProfileFilterBatch {
   public:
    enum class Mode {
        kFilters,      // all of them
        kWithoutBias,  // all but the bias filter: null1 in its place
        kMax,          // Forward of everything, by FilterThresholds::report_bits
    };
    /// `shape`, one of ssv_shapes(), forces the SSV plan: for tests and tuning.
    ProfileFilterBatch(std::span<const FilterProfile> profiles, Mode mode, const SsvShape* shape = nullptr);
    ~ProfileFilterBatch();

    std::size_t profile_count() const;
    struct Tables;
    const Tables& tables() const { return *tables_; }

   private:
    std::unique_ptr<const Tables> tables_;
};

/// A pair that the device has not settled, or has passed through all filters.
struct FilterCandidate {
    std::uint32_t profile;
    std::uint32_t lane;  // of the chunk
    std::int16_t msv;    // the MSV filter's result; 0 without filters
    /// The device's decisions up to Viterbi are sure, and counted; Forward has still to be decided.
    /// Otherwise the host decides and counts everything after MSV.
    bool settled;
    std::uint8_t unused = 0;  // instead of padding, which a copy to the host would read though nobody has written it
};

/// How many targets of one profile, or profiles of one target, passed, as far as the device has
/// settled it (MSV: all).
struct FilterCounts {
    std::uint32_t passed_msv = 0, passed_bias = 0, passed_viterbi = 0;
};

struct FilterOutcome {
    std::span<const FilterCandidate> candidates;     // by profile, then lane
    std::span<const FilterCounts> counts;            // of each profile
    std::span<const FilterCounts> lane_counts = {};  // of each lane, where they are asked for
};

/// GPU milliseconds between events around the stages of the last call.
struct FilterMilliseconds {
    float ssv = 0, msv = 0, bias = 0, viterbi = 0, forward = 0;
    /// Begin and end of the GPU's work on the call, counted from when this process made the GPU's
    /// first worker.
    double begun = 0, ended = 0;
};

/// A worker on one GPU: a stream and buffers of its own. Used by one thread. Results are in pinned
/// memory that is valid until the next call.
class ProfileFilterGpu {
   public:
    /// Kernels whose models do not fit their registers keep rows in scratch memory: about
    /// `scratch_bytes`, more only where even one block needs more. With less, long models take
    /// longer.
    static Result<std::unique_ptr<ProfileFilterGpu>> create(int ordinal, std::uint64_t scratch_bytes);
    virtual ~ProfileFilterGpu() = default;

    /// Chunks will have up to so many lanes: memory is taken for them at once, since taking more of
    /// it later waits for all that the GPU is busy with. Of pairs that SSV leaves to the other
    /// filters there is room for one in `list_share` of all; where it leaves more they go through
    /// in parts. 1: room for all, and the host need not know how many they are.
    virtual void expect(std::uint64_t lanes, std::uint64_t list_share) = 0;

    /// As SmithWatermanGpu::upload().
    virtual Result<std::shared_ptr<DeviceTargets>> upload(std::span<const TileView> tiles,
                                                          std::shared_ptr<DeviceTargets> reuse,
                                                          const UploadSource& source = {}) = 0;

    /// The job: every profile of the batch against every lane of `targets`. `log_targets`, for
    /// Mode::kMax only: per lane, ln z. `counts_lanes`: whether what passes is counted by lane,
    /// too; not in Mode::kMax.
    virtual Result<FilterOutcome> filter(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                         const DeviceTargets& targets, std::span<const float> log_targets,
                                         bool counts_lanes) = 0;

    // Single stages over every pair, results[profile * targets.lanes() + lane], 0 for targets
    // without residues: for tests and measurements.
    /// SSV counted from begin (s - 128 of the contract, at most kHighestSsv).
    virtual Result<std::span<const std::uint32_t>> score_ssv(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                                             const DeviceTargets& targets) = 0;
    /// The filters' integers, and Forward in nats within forward_margin_nats() of the host's.
    virtual Result<std::span<const std::int16_t>> score_msv(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                                            const DeviceTargets& targets) = 0;
    virtual Result<std::span<const std::int16_t>> score_viterbi(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                                                const DeviceTargets& targets) = 0;
    virtual Result<std::span<const float>> score_forward(const std::shared_ptr<const ProfileFilterBatch>& batch,
                                                         const DeviceTargets& targets) = 0;

    virtual const FilterMilliseconds& milliseconds() const = 0;

    /// Device memory besides the targets and scratch memory for filtering so many lanes by so many
    /// profiles.
    static std::uint64_t workspace_bytes(std::uint64_t chunk_bytes, std::uint64_t lanes, std::uint64_t profiles,
                                         std::uint64_t list_share);
    /// Device memory that each target of a chunk takes besides its words.
    static std::uint64_t bytes_per_lane();
};

}  // namespace warpseq::cuda
