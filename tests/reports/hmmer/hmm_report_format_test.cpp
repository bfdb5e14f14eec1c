// --outfmt 6, 7 and json of profile searches, compared with exact text.
#include "reports/hmmer/hmm_report_format.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "engines/hmm/hmm_thresholds.h"
#include "libcore/base/version.h"
#include "tests/support/hmm_report_samples.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

HmmReport finished_sample() {
    HmmReport report = sample_report();
    finish_report(report);
    return report;
}

/// Returns the report of a search with these queries.
std::string written(std::string_view outfmt, const std::vector<HmmReport>& reports, const HmmRun& run = {},
                    const ProfileHmm& hmm = sample_profile(), bool header = false) {
    const auto format = make_hmm_report_format(outfmt, header);
    REQUIRE_MESSAGE(format.ok(), format.status().message());
    ForwardProfile odds = even_odds(hmm);
    for (const HmmHit& hit : reports.back().hits)
        if (hit.target_name == "O60861") set_likely(odds, hit.domains[0], "  G+++++++    +GWW+   +  +RG+FP++Y+ ");
    std::string text;
    (*format)->begin(run, HmmQueryKind::kProfile, DatabaseSet(), text);
    for (std::size_t q = 0; q < reports.size(); ++q)
        (*format)->append_query(HmmQuery(hmm, odds), reports[q], q == 0, text);
    (*format)->append_remark("a remark", text);
    (*format)->end(reports.size(), text);
    return text;
}

std::string version() { return std::string(program_version()); }

}  // namespace

TEST_CASE("a row for each reported domain, in the order of the report") {
    CHECK(written("6", {finished_sample()}) ==
          "PF14604\tO60861\t38.889\t36\t20\t2\t16\t50\t24\t58\t1.40e-08\t29.5\n"
          "PF14604\tA7HWS2\t38.462\t13\t8\t0\t15\t27\t5\t17\t1.6\t3.7\n"
          "PF14604\tA7HWS2\t50.000\t22\t10\t1\t16\t37\t21\t41\t0.018\t9.9\n");
}

TEST_CASE("columns that blastp has, of profiles, and columns of domains") {
    ProfileHmm hmm = sample_profile();
    hmm.accession = "PF14604.9";
    hmm.description = "Variant SH3 domain";
    CHECK(written("6 qseqid qtitle qlen sseqid stitle slen score qcovs qcovhsp hmmacc", {finished_sample()}, {}, hmm) ==
          "PF14604\tVariant SH3 domain\t50\tO60861\tGrowth arrest-specific protein 7\t476\tN/A\t70\t70\tPF14604.9\n"
          "PF14604\tVariant SH3 domain\t50\tA7HWS2\t\t105\tN/A\t46\t26\tPF14604.9\n"
          "PF14604\tVariant SH3 domain\t50\tA7HWS2\t\t105\tN/A\t46\t44\tPF14604.9\n");
    CHECK(
        written(
            "6 hmmacc seqevalue seqscore seqbias domain domains cevalue evalue bitscore bias envstart envend accuracy",
            {finished_sample()}) ==
        "-\t5.5e-09\t30.8\t0.4\t1\t1\t5.4e-11\t1.40e-08\t29.5\t0.4\t18\t58\t0.92\n"
        "-\t0.0004\t15.2\t0.8\t1\t2\t0.0062\t1.6\t3.7\t0.2\t3\t20\t0.83\n"
        "-\t0.0004\t15.2\t0.8\t2\t2\t6.9e-05\t0.018\t9.9\t0.0\t21\t48\t0.89\n");
}

TEST_CASE("alignments: consensus against target in upper case, what counts as positive, and CIGAR") {
    CHECK(written("6 qseq sseq btop", {finished_sample()})
              .starts_with("KKGDVVLVIKKNEEGGWWIGRNED-ERGYFPSNYVK\tAAGELITLLQV-PDGGWWEGEKEDGLRGWFPASYVQ\t"
                           "KAKA1DEVLVILTVLILKQKVN-EPED4IE1RENK2-GEL2YW2SANS2KQ\n"));
    CHECK(written("6 nident positive mismatch gaps gapopen cigar", {finished_sample()})
              .starts_with("14\t26\t20\t2\t2\t11M1I12M1D11M\n"));
}

TEST_CASE("7 has comments before each query and at the end") {
    HmmReport nothing;
    finish_report(nothing);
    const std::string head = "# warpseq search hmm " + version() + "\n# Query: PF14604\n# Database: \n";
    CHECK(written("7 sseqid cevalue", {nothing, finished_sample()}) ==
          head + "# 0 hits found\n" + head +
              "# Fields: subject id, conditional evalue\n# 3 hits "
              "found\nO60861\t5.4e-11\nA7HWS2\t0.0062\nA7HWS2\t6.9e-05\n"
              "# warpseq processed 2 queries\n");
}

TEST_CASE("10 has commas, and the names of the columns are a row by themselves") {
    ProfileHmm hmm = sample_profile();
    hmm.description = "SH3, variant";
    const std::string rows = "\"SH3, variant\",O60861,29.5\n\"SH3, variant\",A7HWS2,3.7\n\"SH3, variant\",A7HWS2,9.9\n";
    CHECK(written("10 qtitle sseqid bitscore", {finished_sample()}, {}, hmm).starts_with("SH3, variant,O60861,29.5\n"));
    CHECK(written("10 qtitle sseqid bitscore", {finished_sample()}, {}, hmm, true) ==
          "qtitle,sseqid,bitscore\n" + rows);
    HmmReport nothing;
    finish_report(nothing);
    CHECK(written("6 sseqid cevalue", {nothing, finished_sample()}, {}, hmm, true)
              .starts_with("sseqid\tcevalue\nO60861\t5.4e-11\n"));
    CHECK_FALSE(make_hmm_report_format("7", true).ok());
    CHECK_FALSE(make_hmm_report_format("0", true).ok());
}

TEST_CASE("7 and JSON name the command") {
    HmmRun run;
    run.program.name = "search hmmscan";
    CHECK(written("7 sseqid", {finished_sample()}, run).starts_with("# warpseq search hmmscan " + version() + "\n"));
    CHECK(written("json", {finished_sample()}, run).starts_with("{\"program\":\"warpseq search hmmscan\","));
}

TEST_CASE("domains and targets that are not reported have no rows") {
    HmmReport report = sample_report();
    report.thresholds.domain_evalue = 0.001;
    finish_report(report);
    CHECK(written("6 sseqid domain domains qcovs", {report}) == "O60861\t1\t1\t70\nA7HWS2\t1\t1\t44\n");
    report = sample_report();
    report.thresholds.evalue = 1e-5;
    finish_report(report);
    CHECK(written("6 sseqid domain domains", {report}) == "O60861\t1\t1\n");
}

TEST_CASE("JSON is one document, with everything that tables have") {
    HmmRun run;
    run.msv_pvalue = 0.5;
    run.given.push_back({.name = "--F1", .value = "0.5"});
    run.given.push_back({.name = "--tblout", .value = "file", .is_layout = true});
    HmmReport nothing;
    finish_report(nothing);
    const std::string text = written("json", {nothing, finished_sample()}, run);
    CHECK(
        text.starts_with("{\"program\":\"warpseq search hmm\",\"version\":\"" + version() +
                         "\",\n\"parameters\":{\"queries\":\"profiles\",\"msv_pvalue\":0.5,\"viterbi_pvalue\":0.001,"
                         "\"forward_pvalue\":1e-05,\"options\":{\"--F1\":\"0.5\"}},\n\"databases\":[],\n\"queries\":[\n"
                         "{\"id\":\"PF14604\","));
    const auto document = nlohmann::json::parse(text);
    REQUIRE(document["queries"].size() == 2);
    CHECK(document["queries"][0]["hits"].empty());
    const auto& query = document["queries"][1];
    CHECK(query["nodes"] == 50);
    CHECK(query["targets_z"] == 520.0);
    CHECK(query["domains_z"] == 2.0);
    CHECK(query["passed"]["viterbi"] == 4);
    REQUIRE(query["hits"].size() == 2);
    const auto& hit = query["hits"][0];
    CHECK(hit["id"] == "O60861");
    CHECK(hit["description"] == "Growth arrest-specific protein 7");
    CHECK(hit["residues"] == 476);
    CHECK(hit["evalue"].get<double>() == doctest::Approx(5.5e-9));
    CHECK(hit["included"] == true);
    const auto& domain = hit["domains"][0];
    CHECK(domain["evalue"].get<double>() == doctest::Approx(1.4e-8));
    CHECK(domain["conditional_evalue"].get<double>() == doctest::Approx(1.4e-8 / 260));
    CHECK(domain["envelope_from"] == 18);
    CHECK(domain["envelope_to"] == 58);
    CHECK(domain["alignment"] == nlohmann::json::parse(R"({
        "query_from": 16, "query_to": 50, "target_from": 24, "target_to": 58,
        "columns": 36, "identities": 14, "positives": 26, "gaps": 2, "gap_openings": 2, "cigar": "11M1I12M1D11M",
        "query": "KKGDVVLVIKKNEEGGWWIGRNED-ERGYFPSNYVK",
        "middle": "  G+++++++    GGWW+G  ED +RG+FP++YV ", "target": "AAGELITLLQV-PDGGWWEGEKEDGLRGWFPASYVQ",
        "posterior": "78*********.6***********99********97"})"));
    CHECK(query["hits"][1]["domains"].size() == 2);
    CHECK(nlohmann::json::parse(written("json", {nothing}))["queries"].size() == 1);
}

TEST_CASE("the text report says what other formats leave out") {
    CHECK(written("0", {finished_sample()}).ends_with("//\n# a remark\n[ok]\n"));
}

TEST_CASE("unknown formats and fields are usage errors that list the known ones") {
    for (const char* wrong : {"", "1", "66", "0 std", "json sseqid", "6 frobs", "7 hmmacc frobs"}) {
        const auto format = make_hmm_report_format(wrong);
        REQUIRE_FALSE(format.ok());
        CHECK(format.status().exit_status() == 2);
    }
    CHECK(make_hmm_report_format("6 frobs").status().message().ends_with(" cevalue bias envstart envend accuracy"));
    CHECK(make_hmm_report_format("5").status().message().find("choose 0 (HMMER's report), 6") != std::string::npos);
}
