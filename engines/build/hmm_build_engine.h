// The profile build engine. It makes calibrated profiles from alignments, as HMMER's hmmbuild does.
//
// It reads alignments one by one and builds several profiles in parallel. Profiles come in the
// order of the alignments. Memory holds only the alignments that are worked on at the same time.
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
    /// Settings for an alignment of a single sequence. Without them it is built like other
    /// alignments.
    struct SingleSequence {
        ReplacementProbabilities replacements;
        GapProbabilities gaps;
    };
    std::optional<SingleSequence> single_sequence;
    bool keeps_alignments = false;  // whether to fill in BuiltHmm::alignment
    std::string date;               // build date in the profiles
    std::string error_prefix;       // start of error messages about alignments
};

struct BuiltHmm {
    ProfileHmm hmm;
    std::string name, description;  // of the alignment
    std::size_t sequences = 0, columns = 0;
    double entropy_bits = 0;  // mean relative entropy of a node
    /// The alignment as the profile uses it (processed_alignment.h), with reference line, weights,
    /// inserts in lower case and marked fragments. Empty for a single sequence that was built by
    /// SingleSequence settings.
    std::optional<MultipleAlignment> alignment;
};

/// Builds a calibrated profile. Returns an error if the alignment has no name, or if no profile can
/// be built or calibrated from it. `sequences` are the random sequences for settings.calibration.
Result<BuiltHmm> build_hmm(const MultipleAlignment& alignment, const HmmBuildSettings& settings,
                           const CalibrationSequences& sequences, const std::stop_token& stop = {});

class HmmBuildEngine {
   public:
    /// Reads the next alignment. Returns false after the last one.
    using NextAlignment = std::function<Result<bool>(MultipleAlignment& alignment)>;
    using TakeHmm = std::function<Status(BuiltHmm built)>;

    /// Makes an engine that uses the threads of `pool` and stops when the pool's stop is requested.
    HmmBuildEngine(HmmBuildSettings settings, const ThreadPool& pool)
        : settings_(std::move(settings)), pool_(pool.with_stop(pool.stop())) {}

    /// Builds the profiles of all alignments that `next` returns, and passes each to `take`, in
    /// order. Ends with the first error. By then the profiles of all earlier alignments have been
    /// passed.
    Status run(const NextAlignment& next, const TakeHmm& take) const;

   private:
    HmmBuildSettings settings_;
    ThreadPool pool_;
};

}  // namespace warpseq
