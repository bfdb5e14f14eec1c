#include "engines/hmm/hmm_best_targets.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engines/hmm/hmm_thresholds.h"
#include "libcore/base/random.h"
#include "libcore/statistics/extreme_value.h"

using namespace warpseq;

namespace {

constexpr double kZ = 1000;

HmmHit hit_of(float bits, std::vector<double> domain_log_pvalues = {}) {
    HmmHit hit;
    hit.score_bits = bits;
    hit.log_pvalue = -0.7 * static_cast<double>(bits);
    for (const double p : domain_log_pvalues) {
        HmmDomain domain;
        domain.log_pvalue = p;
        hit.domains.push_back(domain);
    }
    return hit;
}

HmmUnscored unscored(float most_bits, std::uint64_t rank = 0) {
    HmmUnscored target;
    target.candidate.rank = rank;
    target.bound = {most_bits, -0.7 * static_cast<double>(most_bits)};
    return target;
}

std::vector<HmmUnscored> unscored_of(std::vector<float> most_bits) {
    std::vector<HmmUnscored> targets;
    for (const float bits : most_bits) targets.push_back(unscored(bits, targets.size()));
    std::ranges::sort(targets, best_bound_first);
    return targets;
}

HmmThresholds usual() {
    HmmThresholds thresholds;
    thresholds.include_evalue = thresholds.include_domain_evalue = 0.001;
    return thresholds;
}

}  // namespace

TEST_CASE("targets that may be among the best, or equal to the last of them, are scored") {
    const HmmThresholds thresholds = usual();
    const HmmBestTargets best(thresholds, 2, kZ, 100);
    const std::vector<HmmHit> hits = {hit_of(50), hit_of(70), hit_of(60)};
    CHECK(best.next({}, unscored_of({40, 30})) == 2);
    CHECK(best.next(hits, unscored_of({61, 60, std::nextafter(60.0F, 0.0F), 59})) == 2);
    CHECK(best.next(hits, unscored_of({59.5F, 59})) == 0);
    CHECK(best.next(hits, unscored_of({std::numeric_limits<float>::infinity(), 59})) == 1);
    CHECK(best.next(hits, {}) == 0);
    CHECK(HmmBestTargets(thresholds, 4, kZ, 100).next(hits, unscored_of({1, 0})) == 2);
    CHECK(HmmBestTargets(thresholds, 0, kZ, 100).next(hits, unscored_of({90, 80})) == 0);
}

TEST_CASE("scores below the tail of the distribution are equal as E-values") {
    const HmmThresholds thresholds = usual();
    const HmmBestTargets best(thresholds, 1, kZ, 100);
    HmmHit hit = hit_of(1);
    hit.log_pvalue = 0;
    HmmUnscored target = unscored(0.5F);
    target.bound.least_log_pvalue = 0;
    CHECK(best.next(std::vector{hit}, std::vector{target}) == 1);
}

TEST_CASE("domZ may stay open as long as it decides nothing") {
    const HmmThresholds thresholds = usual();  // a target is reported from 6.6 bits on
    const HmmBestTargets best(thresholds, 1, kZ, {});
    std::vector<float> rest(2000, 30.0F);
    const auto left = unscored_of(rest);
    // The first domain is included with a domZ of 1 and with one of 2001. The second is included
    // with neither.
    CHECK(best.next(std::vector{hit_of(80, {-50})}, left) == 0);
    CHECK(best.next(std::vector{hit_of(80, {-50, std::log(0.001) + 0.01})}, left) == 0);
    // This domain is excluded from a domZ of 1001 on, so that many targets must be known.
    const double critical = std::log(0.001 / 1000.5);
    CHECK(best.next(std::vector{hit_of(80, {-50, critical})}, left) == 1000);
    // A target that is not included has no domain that could be included. Domains beyond the limit
    // do not count either.
    CHECK(best.next(std::vector{hit_of(7, {critical})}, unscored_of({6.9F})) == 0);
    CHECK(best.next(std::vector{hit_of(80, {-50}), hit_of(40, {critical})}, left) == 0);
    // A target that cannot be reported does not count for domZ.
    CHECK(best.next(std::vector{hit_of(80, {critical})}, unscored_of(std::vector<float>(2000, 5.0F))) == 0);
    // If domZ is given, nothing is open.
    CHECK(HmmBestTargets(thresholds, 1, kZ, 7).next(std::vector{hit_of(80, {critical})}, left) == 0);
    // If domains are included by score, nothing is open either.
    HmmThresholds by_score = usual();
    by_score.include_domain_by_evalue = false;
    CHECK(HmmBestTargets(by_score, 1, kZ, {}).next(std::vector{hit_of(80, {critical})}, left) == 0);
}

TEST_CASE("for any scores, the best targets and their domains are those of a search for all") {
    Random random(17);
    std::size_t left_over = 0, needed_domains = 0;
    for (int round = 0; round < 200; ++round) {
        HmmThresholds thresholds = usual();
        if (random.below(4) == 0) thresholds.include_by_evalue = thresholds.include_domain_by_evalue = false;
        if (random.below(4) == 0) thresholds.evalue = 1e-5;
        thresholds.include_domain_evalue = std::pow(10.0, -static_cast<double>(random.below(12)));
        const std::size_t count = 1 + random.below(3000);
        const std::uint64_t most = random.below(count + 10);
        std::vector<HmmHit> truth;
        std::vector<HmmUnscored> left;
        for (std::size_t t = 0; t < count; ++t) {
            const auto bits = static_cast<float>(random.below(60));
            HmmHit hit = hit_of(bits, {-0.7 * static_cast<double>(bits), -0.7 * 30 * random.uniform()});
            hit.target_name = std::to_string(random.below(1000));
            hit.rank = hit.input_position = t;
            truth.push_back(hit);
            const bool none = random.below(20) == 0;
            left.push_back(unscored(
                none ? std::numeric_limits<float>::infinity() : bits + static_cast<float>(random.below(3)), t));
        }
        const auto report_of = [&](std::vector<HmmHit> hits) {
            HmmReport report;
            report.thresholds = thresholds;
            report.hits = std::move(hits);
            report.targets_z = kZ;
            report.z_given = true;
            finish_report(report);
            if (report.hits.size() > most) report.hits.resize(most);
            return report;
        };
        std::ranges::sort(left, best_bound_first);
        const HmmBestTargets best(thresholds, most, kZ, {});
        std::vector<HmmHit> hits;
        bool best_known = false;
        while (const std::size_t next = best.next(hits, left)) {
            best_known |= HmmBestTargets(thresholds, most, kZ, 1).next(hits, left) == 0;
            for (std::size_t n = 0; n < next; ++n) hits.push_back(truth[left[n].candidate.rank]);
            left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(next));
        }
        left_over += left.size();
        needed_domains += best_known;
        const HmmReport got = report_of(hits), expected = report_of(truth);
        REQUIRE(got.hits.size() == expected.hits.size());
        for (std::size_t h = 0; h < got.hits.size(); ++h) {
            CHECK(got.hits[h].rank == expected.hits[h].rank);
            CHECK(got.hits[h].included == expected.hits[h].included);
            for (std::size_t d = 0; d < 2; ++d)
                CHECK(got.hits[h].domains[d].included == expected.hits[h].domains[d].included);
        }
    }
    CHECK(left_over > 10000);
    CHECK(needed_domains > 10);
}
