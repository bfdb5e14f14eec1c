// The profile build engine: makes calibrated profiles of alignments, as HMMER's hmmbuild does.
//
// It takes alignments one by one and builds several of them in parallel. Profiles come in the
// alignments' order. Memory holds the alignments that are built at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "engines/hmm/calibration.h"
#include "kernels/backend.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "libcore/profile/profile_builder.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/profile/sequence_profile.h"
#include "libcore/sequence/multiple_alignment.h"

namespace warpseq {

struct HmmBuildSettings {
    ProfileBuildSettings profile;
    CalibrationSettings calibration;
    CpuBackend backend = CpuBackend::kPortable;
    /// Settings for an alignment of a single sequence. Without them it becomes a profile as other
    /// alignments do.
    struct SingleSequence {
        ReplacementProbabilities replacements;
        GapProbabilities gaps;
    };
    std::optional<SingleSequence> single_sequence;
    bool keeps_alignments = false;  // whether to fill in BuiltHmm::alignment
    std::string date;               // of the profiles
    std::string error_prefix;       // first part of messages about alignments that no profile can be made of
};

struct BuiltHmm {
    ProfileHmm hmm;
    std::string name, description;  // the alignment's
    std::size_t sequences = 0, columns = 0;
    double entropy_bits = 0;  // mean relative entropy of a node
    /// The alignment as the profile sees it: reference line, weights, inserts in lower case,
    /// fragments marked. Empty for a single sequence that became a profile by its own rule.
    std::optional<MultipleAlignment> alignment;
};

/// Builds a calibrated profile. Returns an error for an alignment without a name, and for one that
/// no profile, or no calibrated profile, can be made of. `sequences` are those of
/// settings.calibration.
Result<BuiltHmm> build_hmm(const MultipleAlignment& alignment, const HmmBuildSettings& settings,
                           const CalibrationSequences& sequences, const std::stop_token& stop = {});

class HmmBuildEngine {
   public:
    /// Reads the next alignment. Returns false after the last one.
    using NextAlignment = std::function<Result<bool>(MultipleAlignment& alignment)>;
    using TakeHmm = std::function<Status(BuiltHmm built)>;

    /// Builds with the threads of `pool` until its stop is requested.
    HmmBuildEngine(HmmBuildSettings settings, const ThreadPool& pool)
        : settings_(std::move(settings)), pool_(pool.with_stop(pool.stop())) {}

    /// Builds profiles of all alignments and hands them to `take`. The first error of any kind ends
    /// it. Profiles of earlier alignments have been handed over by then.
    Status run(const NextAlignment& next, const TakeHmm& take) const;

   private:
    HmmBuildSettings settings_;
    ThreadPool pool_;
};

}  // namespace warpseq
