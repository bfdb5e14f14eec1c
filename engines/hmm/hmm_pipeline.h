// The pipeline of one profile, from scores to hits: the filters' decisions, domain definition and
// the numbers of a hit. It is the one host code path that every printed number comes from,
// whichever device filtered before.
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
    bool max = false;  // no filters at all
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
    float filter_nats = 0;       // null1 or the bias filter's
    double pvalue = 0;           // of the last filter
};

/// The least scores in bits that pass the filters. A score in bits is a filter's nats less the null
/// model's, over ln 2, as a float. Minus infinity means that everything passes, plus infinity that
/// only a filter's overflow does, and NaN that nothing does.
struct HmmLeastBits {
    float msv = 0;           // P <= F1 by MSV
    float skip_viterbi = 0;  // P <= F2 by MSV
    float viterbi = 0;       // P <= F2 by Viterbi
    float forward = 0;       // P <= F3 by Forward
};

/// The values that MSV's decision takes from a target's length, the same for all profiles.
struct HmmTargetLength {
    explicit HmmTargetLength(std::uint64_t target_residues)
        : null_nats(null1_score_nats(target_residues)), msv_move(MsvProfile::move(target_residues)) {}
    float null_nats;
    int msv_move;
};

/// One profile that is ready to search. Threads share it.
class HmmPipeline {
   public:
    /// `hmm` has statistics and has to outlive the pipeline.
    HmmPipeline(const ProfileHmm& hmm, const HmmPipelineSettings& settings);
    /// Makes the pipeline of a pressed profile. `head` holds what FirstForm::head says.
    HmmPipeline(const ProfileHmm& head, MsvProfile msv, HmmPressedPlace rest, const HmmPipelineSettings& settings);

    int nodes() const { return hmm_.length; }
    const HmmStatistics& statistics() const { return statistics_; }
    const MsvProfile& msv_profile() const { return msv_profile_; }
    // The stages after MSV are configured when they are first asked for: most profiles of a large
    // file never get there. A pressed profile is read then. prepare_later() has to be called
    // before; it does nothing the second time.
    Status prepare_later() const;
    /// Returns the whole profile. A pressed one is read now.
    Result<const ProfileHmm*> whole_hmm() const;
    const ViterbiProfile& viterbi_profile() const { return later().viterbi_profile; }
    const ForwardProfile& forward_profile() const { return later().forward_profile; }
    const BiasFilter& bias_filter() const { return bias_filter_; }
    const ViterbiFilter& viterbi_filter() const { return *later().viterbi_filter; }
    const ForwardBackward& forward_backward() const { return *later().forward_backward; }

    /// Returns the thresholds of the decisions, for a device that takes them.
    HmmLeastBits least_passing_bits() const;

    /// Returns the least MSV result that passes F1 against null1 for a target of this length
    /// (kMsvOverflow always passes). It is found quicker if `near` is close to it, as is the result
    /// for a target of like length.
    int lowest_passing_msv(const HmmTargetLength& target, int near = 128) const;
    /// Applies MSV against null1, then the bias filter, and fills in the candidate's numbers.
    /// `passed_msv` tells whether the first test passed.
    bool passes_msv_and_bias(std::int16_t msv_result, std::span<const ResidueCode> target, HmmCandidate& candidate,
                             bool& passed_msv) const;
    /// Whether the Viterbi filter has to be asked.
    bool needs_viterbi(const HmmCandidate& candidate) const { return candidate.pvalue > settings_.f2; }
    bool passes_viterbi(std::int16_t viterbi_result, std::uint64_t target_residues,
                        const HmmCandidate& candidate) const;
    /// Computes the null models' scores of a candidate that has passed these filters elsewhere.
    /// Forward and a hit's numbers need them.
    void score_null_models(std::span<const ResidueCode> target, HmmCandidate& candidate) const;

    struct Target {
        std::span<const ResidueCode> residues;
        HmmCandidate candidate;
    };
    struct Finished {
        bool passed_forward = false;
        bool out_of_range = false;  // Forward or Backward was: HMMER ends there, and here the target is no hit
        std::optional<HmmHit> hit;  // without names and places; not yet judged against reporting thresholds
    };
    /// Runs the Forward filter and everything after it for a batch of targets of like length. Once
    /// the workspace's stop is requested it returns soon, with results that mean nothing.
    std::vector<Finished> finish(std::span<const Target> targets, ForwardBackward::Workspace& workspace) const;

    // The two steps of finish(). Only what is needed to score a target has to be kept between them.
    struct Decoded {
        bool passed_forward = false, out_of_range = false;  // as above
        std::optional<HmmRegions> regions;                  // none: no hit
    };
    std::vector<Decoded> find_regions(std::span<const Target> targets, ForwardBackward::Workspace& workspace) const;
    /// Scores as many targets as regions, and takes their regions. Returns nothing for a target
    /// that is no hit after all.
    std::vector<std::optional<HmmHit>> score_regions(std::span<const Target> targets,
                                                     std::span<HmmRegions* const> regions,
                                                     ForwardBackward::Workspace& workspace) const;
    /// Returns a bound that a target's score from score_regions() cannot exceed.
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
    mutable Plan7Profile configured_;  // empty with `rest_` until it is read, and once `later_` has been made of it
    mutable Later later_;
    mutable Status later_status_, whole_status_;
    mutable std::optional<ProfileHmm> whole_;
};

}  // namespace warpseq
