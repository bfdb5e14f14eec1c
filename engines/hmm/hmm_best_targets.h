// The choice of the targets that have to be scored so that the N best targets are known and nothing
// that is shown of them can change. It follows two rules.
//
//   1 A target cannot be one of the N best if its greatest possible sort key (hmm_score_bound.h) is
//     below the N-th best key of the hits so far. If both keys are equal, the name may decide, so
//     the target has to be scored.
//   2 domZ is the number of reported targets. It is at least the number of scored targets that are
//     reported. It is at most that number plus the number of unscored targets that could still be
//     reported. (E-values of targets depend on Z, not on each other.) domZ decides which domains of
//     included hits are included. If a domain is included with some domZ, it is included with every
//     lower one. So if the lower and the upper bound of domZ decide alike about each domain of the
//     best hits, nothing else matters. Until then more targets are scored, the best bounds first.
//     Each step scores at least as many as could make the lower bound suffice. In the end all
//     targets are scored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engines/hmm/hmm_hit.h"
#include "engines/hmm/hmm_partial.h"

namespace warpseq {

/// Whether unscored target `a` is scored before unscored target `b`: best bound first.
bool best_bound_first(const HmmUnscored& a, const HmmUnscored& b);

/// The choice for one profile.
class HmmBestTargets {
   public:
    /// Makes the choice. `targets_z` is Z, and `domains_z` is domZ if it is given. `thresholds`
    /// have to outlive this object.
    HmmBestTargets(const HmmThresholds& thresholds, std::uint64_t most_targets, double targets_z,
                   std::optional<double> domains_z)
        : thresholds_(thresholds), most_(most_targets), targets_z_(targets_z), domains_z_(domains_z) {}

    /// Returns how many of the unscored targets `left`, which are sorted by best_bound_first(),
    /// have to be scored next. `hits` are the targets that have been scored. 0 means that no more
    /// targets are needed.
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
