// Calibration: estimates the score distributions of a profile from random sequences, as HMMER 3
// does (Eddy 2008). It is for profiles that come without statistics: those built from single
// sequences, and those of files that have none.
//
// All values are in bits. All three distributions have lambda = ln 2 + 1.44 / (M H), with H the
// mean relative entropy of the match emissions. Their other parameters come from random background
// sequences, scored against null1:
//
//     MSV      mu   of 200 sequences of 200 residues. It is the location of a Gumbel distribution
//                   with this lambda, by maximum likelihood.
//     Viterbi  mu   of 200 more of 200 residues, likewise.
//     Forward  tau  of 200 more of 100 residues. A Gumbel distribution is fitted, location and
//                   scale. Let x(4%) be the score at which its upper 4% begin. The exponential
//                   tail with this lambda has 4% there, too: tau = x(4%) + ln 0.04 / lambda.
//
// The sequences are drawn residue by residue from one generator in that order, so that a seed gives
// HMMER's numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "kernels/backend.h"
#include "kernels/profile/forward_backward.h"
#include "kernels/profile/msv_filter.h"
#include "kernels/profile/viterbi_filter.h"
#include "libcore/base/status.h"
#include "libcore/profile/plan7_profile.h"
#include "libcore/profile/profile_hmm.h"
#include "libcore/sequence/alphabet.h"

namespace warpseq {

/// Number, length and seed of the random sequences. The defaults are HMMER's.
struct CalibrationSettings {
    std::uint32_t seed = 42;  // not 0
    std::uint32_t msv_residues = 200, msv_sequences = 200;
    std::uint32_t viterbi_residues = 200, viterbi_sequences = 200;
    std::uint32_t forward_residues = 100, forward_sequences = 200;
    double forward_tail = 0.04;  // probability of the tail that is fitted, above 0 and below 1
    /// Whether a profile with hardly any information, such as that of a few X, is accepted. As in
    /// HMMER, its MSV and Viterbi scores then have a location of -infinity, so that every score
    /// passes these filters. If not, such a profile is an error. The same holds for a tail so small
    /// that Forward scores get a location of +infinity, beyond which no score is significant.
    bool with_hardly_any_information = false;
};

/// The random sequences of calibrations, drawn once for any number of profiles. Drawing them takes
/// a third of the time for a short profile. They are immutable, so threads share them.
class CalibrationSequences {
   public:
    using Sequences = std::vector<std::vector<ResidueCode>>;

    explicit CalibrationSequences(const CalibrationSettings& settings);
    const CalibrationSettings& settings() const { return settings_; }
    const Sequences& msv() const { return msv_; }
    const Sequences& viterbi() const { return viterbi_; }
    const Sequences& forward() const { return forward_; }

   private:
    CalibrationSettings settings_;
    Sequences msv_, viterbi_, forward_;
};

/// Returns an error, in hmmbuild's words, if a number of sequences is too small for a fit.
Status check_calibration(const CalibrationSettings& settings);

/// Returns an error if no match state of the profile can be entered. Arithmetic on such a profile
/// would be undefined, so it must not be calibrated or searched.
Status check_entry(const ProfileHmm& hmm);

/// Calibrates a profile with filters that were made for it (`msv` must have no other profile).
/// Returns an error if the profile has no information or nothing can be aligned to it, because it
/// then has no such statistics. Also returns an error if there are too few samples to fit. Returns
/// Status::interrupted() soon after a stop is requested.
Result<HmmStatistics> calibrate(const ProfileHmm& hmm, const MsvFilter& msv, const ViterbiFilter& viterbi,
                                const ForwardBackward& forward, const CalibrationSequences& sequences,
                                const std::stop_token& stop = {});
inline Result<HmmStatistics> calibrate(const ProfileHmm& hmm, const MsvFilter& msv, const ViterbiFilter& viterbi,
                                       const ForwardBackward& forward, const CalibrationSettings& settings = {},
                                       const std::stop_token& stop = {}) {
    return calibrate(hmm, msv, viterbi, forward, CalibrationSequences(settings), stop);
}

/// Makes the filters of a back end and calibrates a profile with them. All back ends give the same
/// numbers.
inline Result<HmmStatistics> calibrate(const ProfileHmm& hmm, CpuBackend backend, const CalibrationSequences& sequences,
                                       const std::stop_token& stop = {}) {
    const Plan7Profile profile = configure_plan7(hmm);
    const MsvProfile msv = quantise_msv(profile);
    return calibrate(hmm, *make_msv_filter(backend, {&msv, 1}),
                     *make_viterbi_filter(backend, quantise_viterbi(profile)),
                     *make_forward_backward(backend, forward_odds(profile)), sequences, stop);
}
inline Result<HmmStatistics> calibrate(const ProfileHmm& hmm, CpuBackend backend,
                                       const CalibrationSettings& settings = {}, const std::stop_token& stop = {}) {
    return calibrate(hmm, backend, CalibrationSequences(settings), stop);
}

}  // namespace warpseq
