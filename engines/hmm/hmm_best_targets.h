// The choice of the targets that have to be scored. After that the N best targets are known, and
// nothing that is shown of them can change.
//
//   1 A target cannot be one of the N best if its greatest possible sort key (hmm_score_bound.h) is
//     below the N-th best key of the hits so far. If it is equal, its name may decide.
//   2 domZ is the number of reported targets. It is at least the number of scored targets that are
//     reported, and at most that number plus all unscored ones that could still be reported. Their
//     E-values depend on Z, not on each other. domZ decides which domains of included hits are
//     included, and nothing else if nothing else is shown. A domain that some domZ includes is
//     included by every lower one. As long as the two ends do not decide alike about each domain of
//     the best hits, more targets are scored, the best bounds first. Each step scores at least as
//     many as it takes to settle the matter from below; in the end all are scored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_partial.h"

namespace warpseq {

/// Whether `a` is scored before `b`, where both are unscored.
bool best_bound_first(const HmmUnscored& a, const HmmUnscored& b);

/// The choice for one profile.
class HmmBestTargets {
   public:
    /// `targets_z` is Z, and `domains_z` is domZ if it is given. `thresholds` have to outlive this
    /// object.
    HmmBestTargets(const HmmThresholds& thresholds, std::uint64_t most_targets, double targets_z,
                   std::optional<double> domains_z)
        : thresholds_(thresholds), most_(most_targets), targets_z_(targets_z), domains_z_(domains_z) {}

    /// Returns how many of `left`, best bound first, have to be scored next, after `hits` have been
    /// scored; 0: no more.
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
