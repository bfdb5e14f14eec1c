#include "engines/hmm/hmm_alignment.h"

#include <doctest/doctest.h>

#include "engines/hmm/hmm_thresholds.h"
#include "tests/support/hmm_report_samples.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

/// A report of one hit per domain, all included.
HmmReport included(std::vector<HmmDomain> domains) {
    HmmReport report;
    report.counts.targets = 520;
    for (HmmDomain& domain : domains) {
        domain.log_pvalue = -50;
        HmmHit hit = named_hit(std::string(1, static_cast<char>('a' + report.hits.size())), 1e-9, 50, 0);
        hit.domains.push_back(std::move(domain));
        report.hits.push_back(std::move(hit));
    }
    finish_report(report);
    return report;
}

HmmDomain aligned(int node, std::string_view model, std::string_view residues, std::string_view posteriors) {
    HmmDomain domain;
    set_alignment(domain, node, 1, model, residues, posteriors);
    return domain;
}

}  // namespace

TEST_CASE("what hmmsearch -A writes for the sample") {
    HmmReport report = sample_report();
    report.hits[1].target_description.clear();
    finish_report(report);
    const auto alignment = align_domains(sample_profile(), report);
    REQUIRE(alignment);
    std::string text;
    append_stockholm(*alignment, 200, text);
    CHECK(text.substr(text.find("\n\n")) ==
          "\n\n"
          "#=GS O60861/24-58 DE [subseq from] O60861\n"
          "#=GS A7HWS2/5-17  DE [subseq from] A7HWS2\n"
          "#=GS A7HWS2/21-41 DE [subseq from] A7HWS2\n"
          "\n"
          "O60861/24-58         ---------------AAGELITLLQV-PDGGWWEGEKEDgLRGWFPASYVQ\n"
          "#=GR O60861/24-58 PP ...............78*********.6***********99********97\n"
          "A7HWS2/5-17          --------------IKKGDKVVILTGK------------.-----------\n"
          "#=GR A7HWS2/5-17  PP ..............89*******9984........................\n"
          "A7HWS2/21-41         ---------------KKGDVVAVFPK-ENKALVQGVN--.-----------\n"
          "#=GR A7HWS2/21-41 PP ...............79*********.6999999987..............\n"
          "#=GC PP_cons         ..............889********946999999999**.9********97\n"
          "#=GC RF              xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.xxxxxxxxxxx\n"
          "//\n");
}

TEST_CASE("every node has a column, and inserts as many as the longest; short ones are split to both sides") {
    const ProfileHmm hmm = named_profile("m", "acdef");
    const auto alignment =
        align_domains(hmm, included({aligned(1, "a.....c", "AkkkkkC", "99999*9"), aligned(1, "a..c", "AwyC", "9129"),
                                     aligned(1, "a...c", "AwyvC", "91239"), aligned(1, "a.cde", "AgC-E", "9599*"),
                                     aligned(2, "cd", "CD", "44")}));
    REQUIRE(alignment);
    CHECK(alignment->reference == "x.....xxxx");
    CHECK(alignment->rows[0].residues == "AkkkkkC---");
    CHECK(alignment->rows[0].posteriors == "99999*9...");
    CHECK(alignment->rows[1].residues == "Aw...yC---");
    CHECK(alignment->rows[1].posteriors == "91...29...");
    CHECK(alignment->rows[2].residues == "Aw..yvC---");
    CHECK(alignment->rows[2].posteriors == "91..239...");
    CHECK(alignment->rows[3].residues == "A....gC-E-");
    CHECK(alignment->rows[3].posteriors == "9....59.*.");
    CHECK(alignment->rows[4].residues == "-.....CD--");
    CHECK(alignment->rows[4].posteriors == "......44..");
    CHECK(alignment->posterior_consensus == "9.....84*.");
}

TEST_CASE("only included domains of included targets") {
    HmmReport report = sample_report();
    report.thresholds.include_domain_evalue = 1e-4;
    finish_report(report);
    const auto alignment = align_domains(sample_profile(), report);
    REQUIRE(alignment);
    REQUIRE(alignment->rows.size() == 2);
    CHECK(alignment->rows[0].name == "O60861/24-58");
    CHECK(alignment->rows[0].description == "[subseq from] Growth arrest-specific protein 7");
    CHECK(alignment->rows[1].name == "A7HWS2/21-41");
    report.thresholds.include_evalue = 1e-30;
    finish_report(report);
    CHECK_FALSE(align_domains(sample_profile(), report));
}

TEST_CASE("what is known of the profile") {
    ProfileHmm hmm = named_profile("m", "ac");
    hmm.accession = "PF1";
    hmm.description = "something";
    const auto alignment = align_domains(hmm, included({aligned(1, "ac", "AC", "99")}));
    REQUIRE(alignment);
    CHECK(alignment->name == "m");
    CHECK(alignment->accession == "PF1");
    CHECK(alignment->description == "something");
}
