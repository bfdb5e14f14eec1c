#include "engines/hmm/hmm_best_targets.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "engines/hmm/hmm_thresholds.h"
#include "libcore/statistics/extreme_value.h"

namespace warpseq {
namespace {

/// Fewest targets that are scored at once, so that threads and lanes are busy.
constexpr std::size_t kLeastAtOnce = 512;

double key_of(const HmmThresholds& thresholds, const HmmHit& hit) {
    return sort_key(thresholds, hit.log_pvalue, hit.score_bits);
}

double key_of(const HmmThresholds& thresholds, const HmmScoreBound& bound) {
    return sort_key(thresholds, bound.least_log_pvalue, bound.most_bits);
}

}  // namespace

bool best_bound_first(const HmmUnscored& a, const HmmUnscored& b) {
    if (a.bound.most_bits != b.bound.most_bits) return a.bound.most_bits > b.bound.most_bits;
    return std::pair(a.candidate.database, a.candidate.rank) < std::pair(b.candidate.database, b.candidate.rank);
}

std::size_t HmmBestTargets::next(std::span<const HmmHit> hits, std::span<const HmmUnscored> left) const {
    if (left.empty()) return 0;
    const bool enough = hits.size() >= most_;
    double least_key = -std::numeric_limits<double>::infinity();  // of the `most_` best
    if (most_ == 0) {
        least_key = std::numeric_limits<double>::infinity();
    } else if (enough) {
        std::vector<double> keys;
        keys.reserve(hits.size());
        for (const HmmHit& hit : hits) keys.push_back(key_of(thresholds_, hit));
        const auto last = keys.begin() + static_cast<std::ptrdiff_t>(most_ - 1);
        std::ranges::nth_element(keys, last, std::greater());
        least_key = *last;
    }
    if (const std::size_t count = next_for_best(least_key, enough, left); count > 0) return count;
    return domains_z_ ? 0 : next_for_domains(least_key, hits, left);
}

std::size_t HmmBestTargets::next_for_best(double least_key, bool enough, std::span<const HmmUnscored> left) const {
    // Targets without a bound have infinite keys.
    const auto possible = static_cast<std::size_t>(
        std::ranges::find_if(left, [&](const HmmUnscored& t) { return key_of(thresholds_, t.bound) < least_key; }) -
        left.begin());
    const std::size_t at_once =
        std::max<std::size_t>(kLeastAtOnce, enough ? most_ / 8 : std::min<std::uint64_t>(most_, left.size()));
    return std::min(possible, at_once);
}

std::size_t HmmBestTargets::next_for_domains(double least_key, std::span<const HmmHit> hits,
                                             std::span<const HmmUnscored> left) const {
    std::uint64_t reported = 0, possible = 0;
    for (const HmmHit& hit : hits)
        if (is_reported(thresholds_, evalue_of(hit.log_pvalue, targets_z_), hit.score_bits)) ++reported;
    for (const HmmUnscored& t : left)
        if (is_reported(thresholds_, evalue_of(t.bound.least_log_pvalue, targets_z_), t.bound.most_bits)) ++possible;
    const std::uint64_t most_reported = reported + possible;
    std::uint64_t needed = reported;  // number at which all domains are settled from below
    for (const HmmHit& hit : hits) {
        if (key_of(thresholds_, hit) < least_key) continue;
        if (!is_included(thresholds_, evalue_of(hit.log_pvalue, targets_z_), hit.score_bits)) continue;
        for (const HmmDomain& domain : hit.domains) {
            const auto included = [&](std::uint64_t domains_z) {
                return domain_is_included(thresholds_, evalue_of(domain.log_pvalue, static_cast<double>(domains_z)),
                                          domain.score_bits);
            };
            if (!included(needed) || included(most_reported)) continue;
            std::uint64_t below = needed, from = most_reported;  // the lowest domZ that excludes it
            while (from - below > 1) {
                const std::uint64_t middle = below + (from - below) / 2;
                (included(middle) ? below : from) = middle;
            }
            needed = from;
        }
    }
    if (needed == reported) return 0;
    return std::min<std::size_t>(left.size(), std::max<std::size_t>(kLeastAtOnce, needed - reported));
}

}  // namespace warpseq
