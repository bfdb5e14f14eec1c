// The expected text is what hmmsearch 3.3.2 writes for the same values.
#include "reports/hmmer/hmm_tables.h"

#include <doctest/doctest.h>

#include "engines/hmm/hmm_thresholds.h"
#include "libcore/base/version.h"
#include "tests/support/hmm_report_samples.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

HmmQuery sample_query() { return HmmQuery(sample_profile(), even_odds(sample_profile())); }

}  // namespace

TEST_CASE("--tblout: header and a row per target") {
    HmmReport report = sample_report();
    report.hits[1].target_description.clear();
    finish_report(report);
    std::string text;
    append_target_table(sample_query(), report, true, text);
    CHECK(text ==
          "#                                                               --- full sequence ---- --- best 1 domain "
          "---- --- domain number estimation ----\n"
          "# target name        accession  query name           accession    E-value  score  bias   E-value  score  "
          "bias   exp reg clu  ov env dom rep inc description of target\n"
          "#------------------- ---------- -------------------- ---------- --------- ------ ----- --------- ------ "
          "-----   --- --- --- --- --- --- --- --- ---------------------\n"
          "O60861               -          PF14604              -            5.5e-09   30.8   0.4   1.4e-08   29.5   "
          "0.4   1.7   1   0   0   1   1   1   1 -\n"
          "A7HWS2               -          PF14604              -             0.0004   15.2   0.8     0.018    9.9   "
          "0.0   2.2   2   0   0   2   2   2   2 -\n");
}

TEST_CASE("--domtblout: header and a row per domain") {
    HmmReport report = sample_report();
    report.hits[1].target_description.clear();
    report.domain_z_given = true;
    report.domains_z = 3;
    finish_report(report);
    std::string text;
    append_domain_table(sample_query(), report, true, text);
    CHECK(text ==
          "#                                                                            --- full sequence --- "
          "-------------- this domain -------------   hmm coord   ali coord   env coord\n"
          "# target name        accession   tlen query name           accession   qlen   E-value  score  bias   #  of  "
          "c-Evalue  i-Evalue  score  bias  from    to  from    to  from    to  acc description of target\n"
          "#------------------- ---------- ----- -------------------- ---------- ----- --------- ------ ----- --- --- "
          "--------- --------- ------ ----- ----- ----- ----- ----- ----- ----- ---- ---------------------\n"
          "O60861               -            476 PF14604              -             50   5.5e-09   30.8   0.4   1   1  "
          " 8.1e-11   1.4e-08   29.5   0.4    16    50    24    58    18    58 0.92 -\n"
          "A7HWS2               -            105 PF14604              -             50    0.0004   15.2   0.8   1   2  "
          "  0.0092       1.6    3.7   0.2    15    27     5    17     3    20 0.83 -\n"
          "A7HWS2               -            105 PF14604              -             50    0.0004   15.2   0.8   2   2  "
          "  0.0001     0.018    9.9   0.0    16    37    21    41    21    48 0.89 -\n");
}

TEST_CASE("--pfamtblout: domains in the order of their own scores") {
    HmmReport report = sample_report();
    report.hits[1].target_description.clear();
    finish_report(report);
    std::string text;
    append_pfam_table(report, text);
    CHECK(
        text ==
        "# Sequence scores\n"
        "# ---------------\n"
        "#\n"
        "# name                  bits   E-value   n   exp  bias    description\n"
        "# ------------------- ------ --------- --- ----- -----    ---------------------\n"
        "O60861                  30.8   5.5e-09   1   1.7   0.4    -\n"
        "A7HWS2                  15.2    0.0004   2   2.2   0.8    -\n"
        "\n"
        "# Domain scores\n"
        "# -------------\n"
        "#\n"
        "#  name                 bits   E-value   hit  bias env-st env-en ali-st ali-en hmm-st hmm-en     description\n"
        "# ------------------- ------ --------- ----- ----- ------ ------ ------ ------ ------ ------      "
        "---------------------\n"
        "O60861                  29.5   1.4e-08     1   0.4     18     58     24     58     16     50     -\n"
        "A7HWS2                   9.9     0.018     2   0.0     21     48     21     41     16     37     -\n"
        "A7HWS2                   3.7       1.6     1   0.2      3     20      5     17     15     27     -\n");

    // If scores decide on inclusion, they also decide on the order.
    report.hits[1].domains[0].score_bits = 35;
    report.thresholds.include_by_evalue = false;
    text.clear();
    append_pfam_table(report, text);
    CHECK(text.find("A7HWS2                  35.0") < text.find("O60861                  29.5"));
}

TEST_CASE("names widen their columns, descriptions and accessions stand as they are, hits not reported do not") {
    HmmReport report = sample_report();
    report.hits[0].log_pvalue = 0;  // E-value 520
    report.hits[0].target_name = "a_name_of_thirty_letters_in_all";
    report.hits[1].target_accession = "ACCESSION.12";
    finish_report(report);
    ProfileHmm hmm = sample_profile();
    hmm.accession = "PF14604.10";
    std::string text;
    append_target_table(HmmQuery(hmm, even_odds(hmm)), report, false, text);
    CHECK(text ==
          "O60861                          ACCESSION.12 PF14604              PF14604.10   5.5e-09   30.8   0.4   "
          "1.4e-08   29.5   0.4   1.7   1   0   0   1   1   1   1 Growth arrest-specific protein 7\n");
    text.clear();
    append_target_table(HmmQuery(hmm, even_odds(hmm)), report, true, text);
    CHECK(text.find("# target name                   accession    query name ") != std::string::npos);
    CHECK(text.find("\n#           -------------------   ---------- --------------------") != std::string::npos);
}

TEST_CASE("no reported hits: a header and nothing else") {
    HmmReport report;
    finish_report(report);
    std::string text;
    append_target_table(sample_query(), report, false, text);
    append_domain_table(sample_query(), report, false, text);
    CHECK(text.empty());
}

TEST_CASE("the end of a table says how it was made, and nothing of the machine") {
    HmmRun run;
    run.query_file = "q.hmm";
    run.database_names = "a.wsdb; b.wsdb";
    run.command_line = "search hmm -E 1 --acc -q q.hmm -d a.wsdb -d b.wsdb";
    std::string text;
    append_table_end(run, text);
    CHECK(text ==
          "#\n"
          "# Program:         search hmm\n"
          "# Version:         warpseq " +
              std::string(program_version()) +
              "\n"
              "# Pipeline mode:   SEARCH\n"
              "# Query file:      q.hmm\n"
              "# Target file:     a.wsdb; b.wsdb\n"
              "# Option settings: search hmm -E 1 --acc -q q.hmm -d a.wsdb -d b.wsdb\n"
              "# [ok]\n");
}
