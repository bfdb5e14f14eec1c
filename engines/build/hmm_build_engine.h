// Alignments in, calibrated profiles out: what HMMER's hmmbuild computes.
//
// Alignments are taken one by one and built in parallel, some of them at a time; profiles come in
// the alignments' order. Memory is that of the alignments that are built at once.
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
    /// How an alignment of a single sequence becomes a profile; nothing: as others do.
    struct SingleSequence {
        ReplacementProbabilities replacements;
        GapProbabilities gaps;
    };
    std::optional<SingleSequence> single_sequence;
    bool keeps_alignments = false;  // BuiltHmm::alignment
    std::string date;               // of the profiles
    std::string error_prefix;       // of messages about alignments that no profile can be made of
};

struct BuiltHmm {
    ProfileHmm hmm;
    std::string name, description;  // the alignment's
    std::size_t sequences = 0, columns = 0;
    double entropy_bits = 0;  // mean relative entropy of a node
    /// As the profile sees it: reference line, weights, inserts in lower case, fragments marked.
    /// None of a single sequence that became a profile by its own rule.
    std::optional<MultipleAlignment> alignment;
};

/// An alignment without a name is an error, and so is one that no profile, or no calibrated one,
/// can be made of. `sequences` are of settings.calibration.
Result<BuiltHmm> build_hmm(const MultipleAlignment& alignment, const HmmBuildSettings& settings,
                           const CalibrationSequences& sequences, const std::stop_token& stop = {});

class HmmBuildEngine {
   public:
    /// The next alignment: true, or false after the last one.
    using NextAlignment = std::function<Result<bool>(MultipleAlignment& alignment)>;
    using TakeHmm = std::function<Status(BuiltHmm built)>;

    /// With the threads of `pool`, until its stop is requested.
    HmmBuildEngine(HmmBuildSettings settings, const ThreadPool& pool)
        : settings_(std::move(settings)), pool_(pool.with_stop(pool.stop())) {}

    /// The first error of any kind ends it; profiles of the alignments before that have been handed
    /// over.
    Status run(const NextAlignment& next, const TakeHmm& take) const;

   private:
    HmmBuildSettings settings_;
    ThreadPool pool_;
};

}  // namespace warpseq
