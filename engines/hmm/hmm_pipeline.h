// The pipeline of one profile, from scores to hits: the decisions of the filters, domain
// definition, and the numbers of a hit. All printed numbers come from this one host code path, for
// every device that runs the filters.
//
// The stages are those of HMMER 3: MSV (P <= F1), bias filter (F1 again), Viterbi (F2), Forward
// (F3), then Backward, domains and null2. Viterbi is skipped if P is at most F2 already. Scores are
// in nats until they are divided by ln 2. They are 32-bit floats where HMMER has them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_score_bound.h"
#include "engines/hmm/hmm_source.h"
#include "kernels/profile/forward_backward.h"
#include "kernels/profile/viterbi_filter.h"
#include "libcore/base/once.h"
#include "libcore/base/status.h"
#include "libcore/profile/plan7_profile.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/statistics/null_model.h"

namespace warpseq {

struct HmmPipelineSettings {
    double f1 = 0.02, f2 = 1e-3, f3 = 1e-5;
    bool max = false;  // whether to use no filters
    bool bias_filter = true;
    bool null2 = true;
    std::uint32_t seed = 42;
    CpuBackend backend = CpuBackend::kPortable;
};

/// A target on its way through the filters.
struct HmmCandidate {
    std::uint32_t database = 0;  // index into the DatabaseSet
    std::uint64_t rank = 0;      // of the sequence in its database
    float null_nats = 0;         // null1
    float filter_nats = 0;       // score of null1 or of the bias filter
    double pvalue = 0;           // P-value of the last filter
};

/// The least scores in bits that pass the filters. A score in bits is a float: the filter's score
/// less the null model's, both in nats, over ln 2. Minus infinity means that everything passes,
/// plus infinity that only a filter's overflow passes, and NaN that nothing passes.
struct HmmLeastBits {
    float msv = 0;           // P <= F1 by MSV
    float skip_viterbi = 0;  // P <= F2 by MSV
    float viterbi = 0;       // P <= F2 by Viterbi
    float forward = 0;       // P <= F3 by Forward
};

/// The values that MSV's decision derives from a target's length. They are the same for all
/// profiles.
struct HmmTargetLength {
    explicit HmmTargetLength(std::uint64_t target_residues)
        : null_nats(null1_score_nats(target_residues)), msv_move(MsvProfile::move(target_residues)) {}
    float null_nats;
    int msv_move;
};

/// The pipeline of one profile that is ready to search. Threads share it.
class HmmPipeline {
   public:
    /// Makes the pipeline of a whole profile, which has to have statistics and to outlive the
    /// pipeline.
    HmmPipeline(const ProfileHmm& hmm, const HmmPipelineSettings& settings);
    /// Makes the pipeline of a pressed profile. `head` is as FirstForm::head describes.
    HmmPipeline(const ProfileHmm& head, MsvProfile msv, HmmPressedPlace rest, const HmmPipelineSettings& settings);

    int nodes() const { return hmm_.length; }
    const HmmStatistics& statistics() const { return statistics_; }
    const MsvProfile& msv_profile() const { return msv_profile_; }
    // The stages after MSV are configured when prepare_later() is first called, because most
    // profiles of a large file never need them. It then also reads the rest of a pressed profile.
    // It has to be called before the functions of these stages. Further calls do nothing.
    Status prepare_later() const;
    /// Returns the whole profile. Reads the rest of a pressed profile.
    Result<const ProfileHmm*> whole_hmm() const;
    const ViterbiProfile& viterbi_profile() const { return later().viterbi_profile; }
    const ForwardProfile& forward_profile() const { return later().forward_profile; }
    const BiasFilter& bias_filter() const { return bias_filter_; }
    const ViterbiFilter& viterbi_filter() const { return *later().viterbi_filter; }
    const ForwardBackward& forward_backward() const { return *later().forward_backward; }

    /// Returns the thresholds of the filters, for a device that makes the decisions.
    HmmLeastBits least_passing_bits() const;

    /// Returns the least MSV result that passes F1 against null1 for a target of this length.
    /// kMsvOverflow always passes. The search starts at `near` and is quick if the result is close
    /// to it, as it is to that for a target of similar length.
    int lowest_passing_msv(const HmmTargetLength& target, int near = 128) const;
    /// Decides MSV against null1 and then against the bias filter, and sets the candidate's
    /// numbers. Sets `passed_msv` to whether the first decision passed. Returns whether both
    /// passed.
    bool passes_msv_and_bias(std::int16_t msv_result, std::span<const ResidueCode> target, HmmCandidate& candidate,
                             bool& passed_msv) const;
    /// Whether the Viterbi filter has to be computed for a candidate.
    bool needs_viterbi(const HmmCandidate& candidate) const { return candidate.pvalue > settings_.f2; }
    bool passes_viterbi(std::int16_t viterbi_result, std::uint64_t target_residues,
                        const HmmCandidate& candidate) const;
    /// Computes the null models' scores of a candidate that has passed these filters on a device.
    /// Forward and the numbers of a hit need them.
    void score_null_models(std::span<const ResidueCode> target, HmmCandidate& candidate) const;

    struct Target {
        std::span<const ResidueCode> residues;
        HmmCandidate candidate;
    };
    struct Finished {
        bool passed_forward = false;
        bool out_of_range = false;  // Forward or Backward left the range of floats: HMMER fails, here it is no hit
        std::optional<HmmHit> hit;  // without names and places; reporting thresholds are not applied yet
    };
    /// Runs the Forward filter and everything after it for a batch of targets of similar lengths.
    /// Once the workspace's stop is requested, it returns soon with meaningless results.
    std::vector<Finished> finish(std::span<const Target> targets, ForwardBackward::Workspace& workspace) const;

    // The two steps of finish(), find_regions() and score_regions(). Between them only the regions
    // have to be kept.
    struct Decoded {
        bool passed_forward = false, out_of_range = false;  // as above
        std::optional<HmmRegions> regions;                  // none: no hit
    };
    std::vector<Decoded> find_regions(std::span<const Target> targets, ForwardBackward::Workspace& workspace) const;
    /// Scores targets by their regions; regions[i] are those of targets[i]. Uses up the regions.
    /// Returns nothing for a target that is not a hit.
    std::vector<std::optional<HmmHit>> score_regions(std::span<const Target> targets,
                                                     std::span<HmmRegions* const> regions,
                                                     ForwardBackward::Workspace& workspace) const;
    /// Returns an upper bound of the score that score_regions() gives a target.
    HmmScoreBound score_bound(const HmmRegions& regions, const Target& target) const;

   private:
    bool msv_passes(float bits, double pvalue) const;
    bool viterbi_passes(float bits) const;
    bool forward_passes(float bits) const;

    const ProfileHmm& hmm_;
    HmmPipelineSettings settings_;
    HmmStatistics statistics_;
    MsvProfile msv_profile_;
    BiasFilter bias_filter_;

    struct Later {
        ViterbiProfile viterbi_profile;
        ForwardProfile forward_profile;
        bool bounds_scores = false;
        std::unique_ptr<ViterbiFilter> viterbi_filter;
        std::unique_ptr<ForwardBackward> forward_backward;
    };
    const Later& later() const;
    Status make_later() const;
    std::optional<HmmPressedPlace> rest_;
    mutable Once once_, whole_once_;
    mutable Plan7Profile configured_;  // empty before a pressed profile is read, and after `later_` is made from it
    mutable Later later_;
    mutable Status later_status_, whole_status_;
    mutable std::optional<ProfileHmm> whole_;
};

}  // namespace warpseq
