// The expected text is what hmmsearch 3.3.2 prints for the same values.
#include "reports/hmmer/hmm_text_report.h"

#include <doctest/doctest.h>

#include "engines/hmm/hmm_thresholds.h"
#include "libcore/base/version.h"
#include "tests/support/hmm_report_samples.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

ForwardProfile sample_odds(const HmmReport& report) {
    ForwardProfile odds = even_odds(sample_profile());
    set_likely(odds, report.hits[0].domains[0], "++G++++++    +ggWw+g++ed  rG+fP++yv+");
    set_likely(odds, report.hits[1].domains[0], "+kkGd+v ++ ++");
    set_likely(odds, report.hits[1].domains[1], "kkGdvv V++k e+ + ++g+n");
    return odds;
}

HmmReport finished_sample() {
    HmmReport report = sample_report();
    report.hits[1].target_description.clear();
    finish_report(report);
    return report;
}

std::string printed(const HmmRun& run, const HmmReport& report, ProfileHmm hmm = sample_profile(),
                    HmmQueryKind kind = HmmQueryKind::kProfile) {
    std::string text;
    const HmmQuery query(hmm, report.hits.size() < 2 ? even_odds(hmm) : sample_odds(report));
    append_query_report(run, kind, query, report, text);
    return text;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a whole report") {
    CHECK(printed({}, finished_sample()) ==
          "Query:       PF14604  [M=50]\n"
          "Scores for complete sequences (score includes all domains):\n"
          "   --- full sequence ---   --- best 1 domain ---    -#dom-\n"
          "    E-value  score  bias    E-value  score  bias    exp  N  Sequence Description\n"
          "    ------- ------ -----    ------- ------ -----   ---- --  -------- -----------\n"
          "    5.5e-09   30.8   0.4    1.4e-08   29.5   0.4    1.7  1  O60861    \n"
          "     0.0004   15.2   0.8      0.018    9.9   0.0    2.2  2  A7HWS2    \n"
          "\n"
          "\n"
          "Domain annotation for each sequence (and alignments):\n"
          ">> O60861  \n"
          "   #    score  bias  c-Evalue  i-Evalue hmmfrom  hmm to    alifrom  ali to    envfrom  env to     acc\n"
          " ---   ------ ----- --------- --------- ------- -------    ------- -------    ------- -------    ----\n"
          "   1 !   29.5   0.4   5.4e-11   1.4e-08      16      50 .]      24      58 ..      18      58 .. 0.92\n"
          "\n"
          "  Alignments for each domain:\n"
          "  == domain 1  score: 29.5 bits;  conditional E-value: 5.4e-11\n"
          "  PF14604 16 kkGdvvlVikkneeggWwigrned.erGyfPsnyvk 50\n"
          "             ++G++++++    +ggWw+g++ed  rG+fP++yv+\n"
          "   O60861 24 AAGELITLLQV-PDGGWWEGEKEDgLRGWFPASYVQ 58\n"
          "             78*********.6***********99********97 PP\n"
          "\n"
          ">> A7HWS2  \n"
          "   #    score  bias  c-Evalue  i-Evalue hmmfrom  hmm to    alifrom  ali to    envfrom  env to     acc\n"
          " ---   ------ ----- --------- --------- ------- -------    ------- -------    ------- -------    ----\n"
          "   1 !    3.7   0.2    0.0062       1.6      15      27 ..       5      17 ..       3      20 .. 0.83\n"
          "   2 !    9.9   0.0   6.9e-05     0.018      16      37 ..      21      41 ..      21      48 .. 0.89\n"
          "\n"
          "  Alignments for each domain:\n"
          "  == domain 1  score: 3.7 bits;  conditional E-value: 0.0062\n"
          "  PF14604 15 lkkGdvvlVikkn 27\n"
          "             +kkGd+v ++ ++\n"
          "   A7HWS2  5 IKKGDKVVILTGK 17\n"
          "             89*******9984 PP\n"
          "\n"
          "  == domain 2  score: 9.9 bits;  conditional E-value: 6.9e-05\n"
          "  PF14604 16 kkGdvvlVikkneeggWwigrn 37\n"
          "             kkGdvv V++k e+ + ++g+n\n"
          "   A7HWS2 21 KKGDVVAVFPK-ENKALVQGVN 41\n"
          "             79*********.6999999987 PP\n"
          "\n"
          "\n"
          "\n"
          "Internal pipeline statistics summary:\n"
          "-------------------------------------\n"
          "Query model(s):                            1  (50 nodes)\n"
          "Target sequences:                        520  (228490 residues searched)\n"
          "Passed MSV filter:                        15  (0.0288462); expected 10.4 (0.02)\n"
          "Passed bias filter:                       13  (0.025); expected 10.4 (0.02)\n"
          "Passed Vit filter:                         4  (0.00769231); expected 0.5 (0.001)\n"
          "Passed Fwd filter:                         3  (0.00576923); expected 0.0 (1e-05)\n"
          "Initial search space (Z):                520  [actual number of targets]\n"
          "Domain search space  (domZ):               2  [number of targets reported over threshold]\n"
          "//\n");
}

TEST_CASE("nothing found") {
    HmmReport report;
    report.counts = {.models = 1, .nodes = 50, .targets = 520, .residues = 228490};
    finish_report(report);
    const std::string text = printed({}, report);
    CHECK(contains(text,
                   "    ------- ------ -----    ------- ------ -----   ---- --  -------- -----------\n"
                   "\n"
                   "   [No hits detected that satisfy reporting thresholds]\n"
                   "\n"
                   "\n"
                   "Domain annotation for each sequence (and alignments):\n"
                   "\n"
                   "   [No targets detected that satisfy reporting thresholds]\n"
                   "\n"
                   "\n"
                   "Internal pipeline statistics summary:\n"));
    CHECK(contains(text, "Passed MSV filter:                         0  (0); expected 10.4 (0.02)\n"));
    report.counts.targets = 0;
    CHECK(contains(printed({}, report), "Passed MSV filter:                         0  (-nan); expected 0.0 (0.02)\n"));
}

TEST_CASE("the line of inclusion, and domains that are not included or not reported") {
    HmmReport report = sample_report();
    report.hits[0].log_pvalue = std::log(0.5 / kSampleTargets);
    report.hits[0].domains[0].log_pvalue = 0;  // conditional E-value 2
    finish_report(report);
    std::string text = printed({}, report);
    CHECK(contains(text,
                   "    1.7  1  O60861    Growth arrest-specific protein 7\n"
                   "  ------ inclusion threshold ------\n"
                   "        0.5   15.2   0.8      0.018    9.9   0.0    2.2  2  A7HWS2    \n"));
    CHECK(contains(text, ">> O60861  Growth arrest-specific protein 7\n"));
    CHECK(contains(text, "   1 ?    3.7   0.2         2   5.2e+02      15      27 ..       5      17 ..       3"));

    report.thresholds.domain_evalue = 1e-30;
    finish_report(report);
    text = printed({}, report);
    CHECK(contains(text, "    1.7  0  O60861    Growth"));
    CHECK(contains(text,
                   ">> A7HWS2  \n"
                   "   [No individual domains that satisfy reporting thresholds (although complete target did)]\n"
                   "\n"
                   "\n"
                   "\n"
                   "Internal"));
}

TEST_CASE("--noali leaves alignments out") {
    HmmRun run;
    run.show_alignments = false;
    const std::string text = printed(run, finished_sample());
    CHECK(contains(text, "Domain annotation for each sequence:\n>> O60861"));
    CHECK(contains(text, "      18      58 .. 0.92\n\n>> A7HWS2  \n"));
    CHECK(contains(text, "      21      48 .. 0.89\n\n\n\nInternal"));
}

TEST_CASE("edges of models, targets and envelopes") {
    HmmReport report = finished_sample();
    report.hits[0].target_residues = 58;
    report.hits[1].domains[0].envelope_from = 1;
    report.hits[1].domains[1].node_from = 1;
    const std::string text = printed({}, report);
    CHECK(contains(text, "      16      50 .]      24      58 .]      18      58 .] 0.92\n"));
    CHECK(contains(text, "      15      27 ..       5      17 ..       1      20 [. 0.7"));
    CHECK(contains(text, "       1      37 [.      21      41 ..      21      48 .. 0.89\n"));
}

TEST_CASE("accession and description of a query; --acc shows accessions") {
    ProfileHmm hmm = sample_profile();
    hmm.accession = "PF14604.10";
    hmm.description = "Variant SH3 domain";
    HmmReport report = finished_sample();
    std::string text = printed({}, report, hmm);
    CHECK(text.starts_with(
        "Query:       PF14604  [M=50]\nAccession:   PF14604.10\nDescription: Variant SH3 domain\nScores"));
    CHECK(contains(text, "\n  PF14604 16 kkGdvv"));

    HmmRun run;
    run.show_accessions = true;
    report.hits[0].target_accession = "ACCESSION";
    text = printed(run, report, hmm);
    CHECK(contains(text, "   exp  N  Sequence  Description\n"));
    CHECK(contains(text, "   1.7  1  ACCESSION  \n"));
    CHECK(contains(text, "   2.2  2  A7HWS2     \n"));
    CHECK(contains(text, ">> ACCESSION  \n"));
    CHECK(contains(text, "\n  PF14604.10 16 kkGdvv"));
    CHECK(contains(text, "\n   ACCESSION 24 AAGELI"));
}

TEST_CASE("descriptions are cut at the text width, but not below 32 letters, nor with --notextw") {
    HmmReport report = finished_sample();
    report.hits[0].target_description = std::string(200, 'd');
    report.hits[1].target_name = std::string(100, 'n');
    report.hits[1].target_description = std::string(200, 'e');
    HmmRun run;
    run.text_width = 200;
    const std::string text = printed(run, report);
    CHECK(contains(text, " " + std::string(39, 'd') + "\n"));
    CHECK(contains(text, " " + std::string(39, 'e') + "\n"));
    CHECK(contains(text, ">> O60861  " + std::string(189, 'd') + "\n"));
    CHECK(contains(text, ">> " + std::string(100, 'n') + "  " + std::string(95, 'e') + "\n"));
    run.text_width = 120;
    CHECK(contains(printed(run, report), " " + std::string(32, 'e') + "\n"));
    run.text_width = 0;
    CHECK(contains(printed(run, report), "  " + std::string(200, 'd') + "\n"));
}

TEST_CASE("search spaces and filters that were set") {
    HmmReport report = sample_report();
    report.z_given = report.domain_z_given = true;
    report.targets_z = 1e6;
    report.domains_z = 12;
    finish_report(report);
    HmmRun run;
    run.msv_pvalue = run.viterbi_pvalue = run.forward_pvalue = 1;
    const std::string text = printed(run, report);
    CHECK(contains(text,
                   "Passed Fwd filter:                         3  (0.00576923); expected 520.0 (1)\n"
                   "Initial search space (Z):            1000000  [as set by --Z on cmdline]\n"
                   "Domain search space  (domZ):              12  [as set by --domZ on cmdline]\n//\n"));
}

TEST_CASE("a sequence as query") {
    CHECK(printed({}, finished_sample(), sample_profile(), HmmQueryKind::kSequence)
              .starts_with("Query:       PF14604  [L=50]\n"));
}

TEST_CASE("the header names files and what was set") {
    HmmRun run;
    run.query_file = "some/q.hmm";
    run.database_names = "a.wsdb; b.wsdb";
    run.given = {{"-E", "1", "sequence reporting threshold:", "E-value <= 1", false},
                 {"--F1", "0.02", "MSV filter P threshold:       <=", "0.02", true},
                 {"--acc", "", "prefer accessions over names:", "yes", false}};
    const std::string rule = "# - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -\n";
    std::string text;
    append_report_header(run, HmmQueryKind::kProfile, text);
    CHECK(text ==
          "# search hmm :: search profile(s) against a sequence database\n"
          "# warpseq " +
              std::string(program_version()) + "\n" + rule +
              "# query HMM file:                  some/q.hmm\n"
              "# target sequence database:        a.wsdb; b.wsdb\n"
              "# sequence reporting threshold:    E-value <= 1\n"
              "# prefer accessions over names:    yes\n" +
              rule + "\n");
    text.clear();
    append_report_header(run, HmmQueryKind::kSequence, text);
    CHECK(contains(text, "# query sequence file:             some/q.hmm\n"));
}
