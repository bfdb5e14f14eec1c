#include "engines/hmm/hmm_thresholds.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/support/hmm_report_samples.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

/// A hit with one domain that is worth as much as the hit itself.
HmmHit single(std::string_view name, double evalue, float score_bits) {
    HmmHit hit = named_hit(name, evalue, score_bits, 0);
    hit.domains.resize(1);
    hit.domains[0].alignment_from = 10, hit.domains[0].alignment_to = 20;
    hit.domains[0].envelope_from = 10, hit.domains[0].envelope_to = 20;
    set_scores(hit.domains[0], evalue, score_bits, 0, 0.5F);
    return hit;
}

HmmReport report_of(std::vector<HmmHit> hits) {
    HmmReport report;
    report.counts.targets = 520;
    report.hits = std::move(hits);
    return report;
}

}  // namespace

TEST_CASE("Z is the number of targets, domZ that of reported ones, unless they are given") {
    HmmReport report = report_of({single("a", 1e-9, 50), single("b", 1, 20), single("c", 11, 10)});
    HmmReport given = report;
    finish_report(report);
    CHECK(report.targets_z == 520);
    CHECK(report.domains_z == 2);
    CHECK(report.reported == 2);
    CHECK(report.included == 1);
    CHECK(evalue(report, report.hits[0]) == doctest::Approx(1e-9));
    CHECK(independent_evalue(report, report.hits[0].domains[0]) == doctest::Approx(1e-9));
    CHECK(conditional_evalue(report, report.hits[0].domains[0]) == doctest::Approx(1e-9 / 520 * 2));

    given.z_given = given.domain_z_given = true;
    given.targets_z = 52;
    given.domains_z = 7;
    finish_report(given);
    CHECK(given.reported == 3);
    CHECK(evalue(given, given.hits[2]) == doctest::Approx(1.1));
    CHECK(given.domains_z == 7);
    CHECK(conditional_evalue(given, given.hits[0].domains[0]) == doctest::Approx(1e-9 / 520 * 7));
}

TEST_CASE("a limit itself passes, and each kind of limit has its own") {
    const auto flags = [](const HmmThresholds& thresholds, double evalue, float score_bits) {
        HmmReport report = report_of({single("a", evalue, score_bits)});
        report.thresholds = thresholds;
        report.targets_z = 520;
        report.z_given = true;
        report.hits[0].log_pvalue = report.hits[0].domains[0].log_pvalue = std::log(evalue);
        report.targets_z = report.domains_z = 1;
        report.domain_z_given = true;
        finish_report(report);
        const HmmHit& hit = report.hits[0];
        return std::array<bool, 4>{hit.reported, hit.included, hit.domains[0].reported, hit.domains[0].included};
    };
    using Flags = std::array<bool, 4>;
    CHECK(flags({}, 1e-3, 0) == Flags{true, true, true, true});
    CHECK(flags({}, 1.0, 0) == Flags{true, false, true, false});
    CHECK(flags({.evalue = 1.0}, 1.0, 0) == Flags{true, false, true, false});
    CHECK(flags({.evalue = 0.99}, 1.0, 0) == Flags{false, false, false, false});
    CHECK(flags({.domain_evalue = 0.5}, 1.0, 0) == Flags{true, false, false, false});
    CHECK(flags({.include_evalue = 2, .include_domain_evalue = 0.5}, 1.0, 0) == Flags{true, true, true, false});
    CHECK(flags({.include_evalue = 2, .include_domain_evalue = 2}, 1.0, 0) == Flags{true, true, true, true});
    CHECK(flags({.include_domain_evalue = 2}, 1.0, 0) == Flags{true, false, true, false});

    CHECK(flags({.by_evalue = false, .bits = 25}, 1e9, 25) == Flags{true, false, false, false});
    CHECK(flags({.by_evalue = false, .bits = 25}, 1e-9, 24.9F) == Flags{false, false, false, false});
    CHECK(flags({.domain_by_evalue = false, .domain_bits = 25}, 1e-9, 24.9F) == Flags{true, true, false, true});
    CHECK(flags({.include_by_evalue = false, .include_bits = 30}, 1e-9, 25) == Flags{true, false, true, false});
    CHECK(flags({.include_domain_by_evalue = false, .include_domain_bits = 30}, 1e-9, 25) ==
          Flags{true, true, true, false});
}

TEST_CASE("the order: P-value, or score where scores decide on inclusion; then name, then place") {
    HmmReport report = report_of({single("c", 1e-5, 70), single("B", 1e-5, 60), single("b", 1e-5, 60),
                                  single("best", 1e-9, 50), single("b", 1e-5, 60)});
    report.hits[2].domains[0].alignment_from = 11;
    HmmReport by_score = report;
    finish_report(report);
    const auto names = [](const HmmReport& sorted) {
        std::string all;
        for (const HmmHit& hit : sorted.hits) all += hit.target_name + " ";
        return all;
    };
    CHECK(names(report) == "best B b b c ");
    CHECK(report.hits[2].domains[0].alignment_from == 10);
    CHECK(report.hits[3].domains[0].alignment_from == 11);
    CHECK(report.hits[0].sort_key == doctest::Approx(-std::log(1e-9 / 520)));

    by_score.thresholds.include_by_evalue = false;
    finish_report(by_score);
    CHECK(names(by_score) == "c B b b best ");
    CHECK(by_score.hits[0].sort_key == 70);
}

TEST_CASE("hits that nothing else tells apart stay in the order of the input, an alignment of one residue last") {
    HmmReport report = report_of({single("a", 1, 20), single("a", 1, 20), single("a", 1, 20), single("a", 1, 20)});
    report.hits[0].input_position = 9;
    report.hits[1].input_position = 8;
    report.hits[2].database = 1;
    report.hits[3].domains[0].alignment_from = report.hits[3].domains[0].alignment_to = 1;
    finish_report(report);
    CHECK(report.hits[0].input_position == 8);
    CHECK(report.hits[1].input_position == 9);
    CHECK(report.hits[2].database == 1);
    CHECK(report.hits[3].domains[0].alignment_from == 1);
}

TEST_CASE("the best domain is the first of the highest score, reported or not") {
    HmmReport report = report_of({single("a", 1e-5, 20)});
    HmmHit& hit = report.hits[0];
    hit.domains.resize(4, hit.domains[0]);
    hit.domains[1].score_bits = hit.domains[3].score_bits = 25;
    hit.domains[1].log_pvalue = 5;
    finish_report(report);
    CHECK(report.hits[0].best_domain == 1);
    CHECK_FALSE(report.hits[0].domains[1].reported);
    CHECK(report.hits[0].reported_domains == 3);
    CHECK(report.hits[0].included_domains == 3);
}

TEST_CASE("among overlapping envelopes with the same alignment the better one is shown") {
    const auto shown = [](int overlapping, float second_bits) {
        HmmReport report = report_of({single("a", 1e-5, 20)});
        HmmHit& hit = report.hits[0];
        hit.domains.resize(3, hit.domains[0]);
        hit.overlapping_envelopes = overlapping;
        hit.domains[1].score_bits = second_bits;
        hit.domains[2].alignment_to = 21;
        finish_report(report);
        std::string flags;
        for (const HmmDomain& domain : report.hits[0].domains)
            flags += domain.reported != domain.included ? '?' : domain.reported ? '+' : '-';
        return flags + std::to_string(report.hits[0].reported_domains) +
               std::to_string(report.hits[0].included_domains);
    };
    CHECK(shown(0, 20) == "+++33");
    CHECK(shown(1, 20) == "+-+22");
    CHECK(shown(1, 19) == "+-+22");
    CHECK(shown(1, 21) == "-++22");
}

TEST_CASE("bias and accuracy") {
    HmmReport report = sample_report();
    finish_report(report);
    CHECK(bias_bits(report.hits[0]) == doctest::Approx(0.4));
    CHECK(bias_bits(report.hits[0].domains[0]) == doctest::Approx(0.4));
    CHECK(mean_accuracy(report.hits[0].domains[0]) == doctest::Approx(0.92));
}

TEST_CASE("a P-value of nothing, and no hits at all") {
    HmmReport report = report_of({single("a", 1, 900)});
    report.hits[0].log_pvalue = -std::numeric_limits<double>::infinity();
    finish_report(report);
    CHECK(report.included == 1);
    CHECK(evalue(report, report.hits[0]) == 0);

    HmmReport nothing = report_of({});
    finish_report(nothing);
    CHECK(nothing.reported == 0);
    CHECK(nothing.domains_z == 0);
}
