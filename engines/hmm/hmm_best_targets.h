// Which targets have to be scored so that the best so many are known, and nothing that is shown of
// them can be otherwise.
//
//  1 A target whose greatest possible sort key (hmm_score_bound.h) is below the N-th best key of
//  the hits so far cannot be one of the N best; if
//    it is equal, its name may decide.
//  2 domZ, the number of reported targets, lies between the number of those that have been scored
//  and are reported, and that and the number of
//    all that could still be: their E-values hang on Z, not on each other. It decides which domains
//    of included hits are included (of nothing else, if nothing else is shown), and a domain that
//    is included by some domZ is so by every lower one. As long as the two ends do not decide alike
//    about each domain of the best hits, more targets are scored, the best bounds first, as many as
//    it takes at least to settle it from below; in the end all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_partial.h"

namespace warpseq {

/// Which of two unscored targets is scored first.
bool best_bound_first(const HmmUnscored& a, const HmmUnscored& b);

/// Of one profile.
class HmmBestTargets {
   public:
    /// `targets_z` is Z, `domains_z` domZ where it is given. Thresholds have to outlive this.
    HmmBestTargets(const HmmThresholds& thresholds, std::uint64_t most_targets, double targets_z,
                   std::optional<double> domains_z)
        : thresholds_(thresholds), most_(most_targets), targets_z_(targets_z), domains_z_(domains_z) {}

    /// How many of `left`, best bound first, have to be scored next, when `hits` have been; 0: no
    /// more.
    std::size_t next(std::span<const HmmHit> hits, std::span<const HmmUnscored> left) const;

   private:
    std::size_t next_for_best(double least_key, bool enough, std::span<const HmmUnscored> left) const;
    std::size_t next_for_domains(double least_key, std::span<const HmmHit> hits,
                                 std::span<const HmmUnscored> left) const;

    const HmmThresholds& thresholds_;
    std::uint64_t most_;
    double targets_z_;
    std::optional<double> domains_z_;
};

}  // namespace warpseq
