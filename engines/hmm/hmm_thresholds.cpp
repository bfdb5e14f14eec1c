#include "engines/hmm/hmm_thresholds.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

#include "engines/hmm/hmm_model.h"
#include "libcore/statistics/extreme_value.h"

namespace warpseq {

namespace {

bool passes(bool by_evalue, double evalue, double most_evalue, float score_bits, double least_bits) {
    return by_evalue ? evalue <= most_evalue : score_bits >= least_bits;
}

/// Returns the index of the first domain of the highest score.
int best_domain(const HmmHit& hit) {
    const auto best = std::ranges::max_element(hit.domains, {}, &HmmDomain::score_bits);
    return static_cast<int>(best - hit.domains.begin());
}

const HmmThresholds& limits_of(const HmmReport& report, const HmmHit& hit) {
    return hit.model ? hit.model->thresholds : report.thresholds;
}

void flag_hits(HmmReport& report) {
    report.reported = report.included = 0;
    for (HmmHit& hit : report.hits) {
        const HmmThresholds& limit = limits_of(report, hit);
        const double e = evalue(report, hit);
        hit.reported = is_reported(limit, e, hit.score_bits);
        hit.included = is_included(limit, e, hit.score_bits);
        report.reported += hit.reported ? 1 : 0;
        report.included += hit.included ? 1 : 0;
    }
}

/// Hides domains with the same alignment, since overlapping envelopes can end in the same one. The
/// domain with the lower score is hidden, or the later one if both are equal.
void hide_identical_alignments(HmmHit& hit) {
    if (hit.overlapping_envelopes == 0) return;
    for (auto a = hit.domains.begin(); a != hit.domains.end(); ++a) {
        for (auto b = a + 1; b != hit.domains.end(); ++b) {
            if (a->alignment_from != b->alignment_from || a->alignment_to != b->alignment_to) continue;
            HmmDomain& hidden = a->score_bits >= b->score_bits ? *b : *a;
            hidden.reported = hidden.included = false;
        }
    }
}

void flag_domains(HmmReport& report, HmmHit& hit) {
    const HmmThresholds& limit = limits_of(report, hit);
    for (HmmDomain& domain : hit.domains) {
        const double e = conditional_evalue(report, domain);
        domain.reported = hit.reported &&
                          passes(limit.domain_by_evalue, e, limit.domain_evalue, domain.score_bits, limit.domain_bits);
        // As in HMMER, a domain can be included that is not reported, if the limits are set so.
        domain.included = hit.included && domain_is_included(limit, e, domain.score_bits);
    }
    hide_identical_alignments(hit);
    hit.reported_domains = static_cast<int>(std::ranges::count_if(hit.domains, &HmmDomain::reported));
    hit.included_domains = static_cast<int>(std::ranges::count_if(hit.domains, &HmmDomain::included));
}

}  // namespace

bool is_reported(const HmmThresholds& limit, double evalue, float score_bits) {
    return passes(limit.by_evalue, evalue, limit.evalue, score_bits, limit.bits);
}

bool is_included(const HmmThresholds& limit, double evalue, float score_bits) {
    return is_reported(limit, evalue, score_bits) &&
           passes(limit.include_by_evalue, evalue, limit.include_evalue, score_bits, limit.include_bits);
}

bool domain_is_included(const HmmThresholds& limit, double conditional_evalue, float score_bits) {
    return passes(limit.include_domain_by_evalue, conditional_evalue, limit.include_domain_evalue, score_bits,
                  limit.include_domain_bits);
}

double sort_key(const HmmThresholds& limit, double log_pvalue, float score_bits) {
    return limit.include_by_evalue ? -log_pvalue : score_bits;
}

bool printed_before(const HmmHit& a, const HmmHit& b) {
    if (a.sort_key != b.sort_key) return a.sort_key > b.sort_key;
    const auto place = [](const HmmHit& hit) {
        const auto [from, to] = hit.domains.empty()
                                    ? std::pair<std::int64_t, std::int64_t>()
                                    : std::pair(hit.domains.front().alignment_from, hit.domains.front().alignment_to);
        return std::tuple(from >= to, from, hit.database, hit.input_position);
    };
    if (const int order = a.target_name.compare(b.target_name); order != 0) return order < 0;
    return place(a) < place(b);
}

void finish_report(HmmReport& report) {
    if (!report.z_given)
        report.targets_z =
            static_cast<double>(report.models_are_targets ? report.counts.models : report.counts.targets);
    for (HmmHit& hit : report.hits) {
        hit.best_domain = best_domain(hit);
        hit.sort_key = sort_key(report.thresholds, hit.log_pvalue, hit.score_bits);
    }
    std::ranges::sort(report.hits, printed_before);
    flag_hits(report);
    if (!report.domain_z_given) report.domains_z = static_cast<double>(report.reported);
    for (HmmHit& hit : report.hits) flag_domains(report, hit);
}

double evalue(const HmmReport& report, const HmmHit& hit) { return evalue_of(hit.log_pvalue, report.targets_z); }

double independent_evalue(const HmmReport& report, const HmmDomain& domain) {
    return evalue_of(domain.log_pvalue, report.targets_z);
}

double conditional_evalue(const HmmReport& report, const HmmDomain& domain) {
    return evalue_of(domain.log_pvalue, report.domains_z);
}

double bias_bits(const HmmHit& hit) { return hit.uncorrected_bits - hit.score_bits; }

double bias_bits(const HmmDomain& domain) { return domain.bias_nats * std::numbers::log2e; }

double mean_accuracy(const HmmDomain& domain) {
    return domain.expected_accuracy / static_cast<double>(domain.envelope_to - domain.envelope_from + 1);
}

}  // namespace warpseq
