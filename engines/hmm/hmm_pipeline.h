// From scores to hits, one profile: the filters' decisions, domain definition and the numbers of a
// hit. The one host code path that every printed number comes from, whatever device filtered
// before.
//
// Stages, as in HMMER 3: MSV (P <= F1), bias filter (F1 again), Viterbi (F2, skipped where P is
// there already), Forward (F3), then Backward, domains, null2. Scores are in nats until they are
// divided by ln 2; 32-bit floats where HMMER has them.
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

/// What filters decide by, said in bits (a filter's nats less the null model's, over ln 2, as a
/// float): the least float that passes; minus infinity where everything does, plus infinity where
/// only a filter's overflow does, NaN where nothing does.
struct HmmLeastBits {
    float msv = 0;           // P <= F1 by MSV
    float skip_viterbi = 0;  // P <= F2 by MSV
    float viterbi = 0;       // P <= F2 by Viterbi
    float forward = 0;       // P <= F3 by Forward
};

/// What MSV's decision takes from a target's length, the same for all profiles.
struct HmmTargetLength {
    explicit HmmTargetLength(std::uint64_t target_residues)
        : null_nats(null1_score_nats(target_residues)), msv_move(MsvProfile::move(target_residues)) {}
    float null_nats;
    int msv_move;
};

/// One profile ready to search. Threads share it.
class HmmPipeline {
   public:
    /// `hmm` has statistics and has to outlive the pipeline.
    HmmPipeline(const ProfileHmm& hmm, const HmmPipelineSettings& settings);
    /// Of a pressed profile, of which `head` says what FirstForm::head does.
    HmmPipeline(const ProfileHmm& head, MsvProfile msv, HmmPressedPlace rest, const HmmPipelineSettings& settings);

    int nodes() const { return hmm_.length; }
    const HmmStatistics& statistics() const { return statistics_; }
    const MsvProfile& msv_profile() const { return msv_profile_; }
    // What follows MSV is configured when it is first asked for: most profiles of a large file
    // never get there. Of a pressed profile it is read then, for which prepare_later() is asked
    // before, or again: it does nothing the second time.
    Status prepare_later() const;
    /// The whole profile, which is read now where it is pressed.
    Result<const ProfileHmm*> whole_hmm() const;
    const ViterbiProfile& viterbi_profile() const { return later().viterbi_profile; }
    const ForwardProfile& forward_profile() const { return later().forward_profile; }
    const BiasFilter& bias_filter() const { return bias_filter_; }
    const ViterbiFilter& viterbi_filter() const { return *later().viterbi_filter; }
    const ForwardBackward& forward_backward() const { return *later().forward_backward; }

    /// The decisions, for a device that takes them.
    HmmLeastBits least_passing_bits() const;

    /// The least MSV result that passes F1 against null1 for a target of this length (kMsvOverflow
    /// always does). Found quicker where `near` is close to it, as that of a target of like length.
    int lowest_passing_msv(const HmmTargetLength& target, int near = 128) const;
    /// MSV against null1, then the bias filter; fills the candidate's numbers. `passed_msv` says
    /// whether the first test passed.
    bool passes_msv_and_bias(std::int16_t msv_result, std::span<const ResidueCode> target, HmmCandidate& candidate,
                             bool& passed_msv) const;
    /// Whether the Viterbi filter has to be asked.
    bool needs_viterbi(const HmmCandidate& candidate) const { return candidate.pvalue > settings_.f2; }
    bool passes_viterbi(std::int16_t viterbi_result, std::uint64_t target_residues,
                        const HmmCandidate& candidate) const;
    /// For a candidate that has passed these filters elsewhere: the null models' scores, which
    /// Forward and a hit's numbers need.
    void score_null_models(std::span<const ResidueCode> target, HmmCandidate& candidate) const;

    struct Target {
        std::span<const ResidueCode> residues;
        HmmCandidate candidate;
    };
    struct Finished {
        bool passed_forward = false;
        bool out_of_range = false;  // Forward or Backward: HMMER ends there, and here the target is no hit
        std::optional<HmmHit> hit;  // without names and places; not yet judged against reporting thresholds
    };
    /// Forward filter and everything after it, for a batch of targets of like length. Once the
    /// workspace's stop is requested it returns soon, with results that mean nothing.
    std::vector<Finished> finish(std::span<const Target> targets, ForwardBackward::Workspace& workspace) const;

    // The same in two steps: only what is needed to score a target has to be kept between them.
    struct Decoded {
        bool passed_forward = false, out_of_range = false;  // as above
        std::optional<HmmRegions> regions;                  // none: no hit
    };
    std::vector<Decoded> find_regions(std::span<const Target> targets, ForwardBackward::Workspace& workspace) const;
    /// Of as many targets; takes their regions. Nothing for a target that is no hit after all.
    std::vector<std::optional<HmmHit>> score_regions(std::span<const Target> targets,
                                                     std::span<HmmRegions* const> regions,
                                                     ForwardBackward::Workspace& workspace) const;
    /// What score_regions() cannot exceed.
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
    mutable Plan7Profile configured_;  // unless there is `rest_`, until it has been made into this:
    mutable Later later_;
    mutable Status later_status_, whole_status_;
    mutable std::optional<ProfileHmm> whole_;
};

}  // namespace warpseq
