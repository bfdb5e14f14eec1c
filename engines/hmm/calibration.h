// Calibration: the score distributions of a profile on random sequences, as HMMER 3 estimates them
// (Eddy 2008). For profiles that come without statistics: those of single sequences, and files that
// have none.
//
// All in bits. lambda = ln 2 + 1.44 / (M H), with H the mean relative entropy of the match
// emissions, is that of all three distributions. The rest comes of random background sequences x,
// scored against null1:
//
//     MSV      mu   200 of 200 residues; the location of a Gumbel distribution with this lambda, by maximum likelihood
//     Viterbi  mu   200 of 200 more, likewise
//     Forward  tau  200 of 100 more; a Gumbel distribution is fitted, location and scale, and its upper 4% are where the
//                   exponential tail with this lambda has 4%: tau = x(4%) + ln 0.04 / lambda
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

/// How many random sequences, of how many residues, and with which seed: HMMER's numbers where
/// nothing else is said.
struct CalibrationSettings {
    std::uint32_t seed = 42;  // not 0
    std::uint32_t msv_residues = 200, msv_sequences = 200;
    std::uint32_t viterbi_residues = 200, viterbi_sequences = 200;
    std::uint32_t forward_residues = 100, forward_sequences = 200;
    double forward_tail = 0.04;  // probability of the tail that is fitted, above 0 and below 1
    /// Takes a profile that tells hardly anything, such as that of a few X: as HMMER's, its MSV and
    /// Viterbi scores have a location of -infinity then, with which every score passes those
    /// filters. Else it is an error.
    bool with_hardly_any_information = false;
};

/// The random sequences of calibrations, drawn once for any number of profiles: a third of the time
/// that a short profile takes. Immutable: threads share it.
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

/// With filters made of this one profile (`msv` holds no other). A profile without information, or
/// one that nothing can be aligned to, has no such statistics, nor are there any with samples too
/// few to be fitted: an error that says so. Status::interrupted() soon after a stop is requested.
Result<HmmStatistics> calibrate(const ProfileHmm& hmm, const MsvFilter& msv, const ViterbiFilter& viterbi,
                                const ForwardBackward& forward, const CalibrationSequences& sequences,
                                const std::stop_token& stop = {});
inline Result<HmmStatistics> calibrate(const ProfileHmm& hmm, const MsvFilter& msv, const ViterbiFilter& viterbi,
                                       const ForwardBackward& forward, const CalibrationSettings& settings = {},
                                       const std::stop_token& stop = {}) {
    return calibrate(hmm, msv, viterbi, forward, CalibrationSequences(settings), stop);
}

/// The same with filters of its own. All back ends give the same numbers.
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
