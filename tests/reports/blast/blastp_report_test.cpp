// Reports of `search blastp` on a worked example. The expected text is what blastp 2.12 prints for
// the same sequences with -lcase_masking -soft_masking true -comp_based_stats 0. The names of the
// program and the database differ, and so does the order of the sequences.
#include "reports/blast/blastp_report.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "libcore/scoring/builtin_matrices.h"
#include "reports/blast/blastp_record.h"
#include "reports/blast/blastp_report_text.h"
#include "reports/blast/joined_targets.h"
#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

using enum AlignmentOperation;
using Json = nlohmann::ordered_json;

const ScoringScheme kBlosum{*builtin_matrix("BLOSUM62"), {11, 1}};

constexpr std::string_view kPairwise = R"(

Query= q1 one  query

Length=22
                                                                      Score     E
Sequences producing significant alignments:                          (Bits)  Value

s1;, a gap <in> the middle (of it), and a long title that goes on...  37.0    4e-11
s2 two parts                                                          31.6    9e-09


>s1;, a gap &lt;in&gt; the middle ( of it ) ,and a long title 
that goes on beyond the columns there are..
Length=37

 Score = 37.0 bits (84),  Expect = 4e-11
 Identities = 22/36 (61%), Positives = 22/36 (61%), Gaps = 14/36 (39%)

Query  1   mktAYIAK--  8
           MKTAYIAK  
Sbjct  2   MKTAYIAKGG  11

Query      ----------  
                     
Sbjct  12  GGGGGGGGGG  21

Query  9   --QRQISFVK  16
             QRQISFVK
Sbjct  22  GGQRQISFVK  31

Query  17  SHFSRQ  22
           SHFSRQ
Sbjct  32  SHFSRQ  37


>s2   two parts
Length=74

 Score = 31.6 bits (70),  Expect = 9e-09
 Identities = 14/14 (100%), Positives = 14/14 (100%), Gaps = 0/14 (0%)

Query  9   QRQISFVKSH  18
           QRQISFVKSH
Sbjct  1   QRQISFVKSH  10

Query  19  FSRQ  22
           FSRQ
Sbjct  11  FSRQ  14


 Score = 30.4 bits (67),  Expect = 3e-08
 Identities = 13/14 (93%), Positives = 14/14 (100%), Gaps = 0/14 (0%)

Query  9   QRQISFVKSH  18
           QRQISFVK+H
Sbjct  61  QRQISFVKAH  70

Query  19  FSRQ  22
           FSRQ
Sbjct  71  FSRQ  74



Lambda      K        H        a         alpha
   0.328    0.127    0.338    0.792     4.96 

Gapped
Lambda      K        H        a         alpha    sigma
   0.267   0.0410    0.140     1.90     42.6     43.6 

Effective search space used: 2442
)";

constexpr std::string_view kEnd = R"(

  Database: d.wsdb
    Posted date:  Unknown
  Number of letters in database: 111
  Number of sequences in database:  2



Matrix: BLOSUM62
Gap Penalties: Existence: 11, Extension: 1
Neighboring words threshold: 11
Window for multiple hits: 40
)";

constexpr std::string_view kXmlIteration = R"(<Iteration>
  <Iteration_iter-num>1</Iteration_iter-num>
  <Iteration_query-ID>Query_1</Iteration_query-ID>
  <Iteration_query-def>q1 &lt;one&gt; &amp; &quot;query&quot;</Iteration_query-def>
  <Iteration_query-len>22</Iteration_query-len>
<Iteration_hits>
<Hit>
  <Hit_num>1</Hit_num>
  <Hit_id>gnl|BL_ORD_ID|0</Hit_id>
  <Hit_def>s1;, a gap &amp;lt;in&amp;gt; the middle ( of it ) ,and a long title that goes on beyond the columns there are..</Hit_def>
  <Hit_accession>0</Hit_accession>
  <Hit_len>37</Hit_len>
  <Hit_hsps>
    <Hsp>
      <Hsp_num>1</Hsp_num>
      <Hsp_bit-score>36.965</Hsp_bit-score>
      <Hsp_score>84</Hsp_score>
      <Hsp_evalue>3.51702e-11</Hsp_evalue>
      <Hsp_query-from>1</Hsp_query-from>
      <Hsp_query-to>22</Hsp_query-to>
      <Hsp_hit-from>2</Hsp_hit-from>
      <Hsp_hit-to>37</Hsp_hit-to>
      <Hsp_query-frame>0</Hsp_query-frame>
      <Hsp_hit-frame>0</Hsp_hit-frame>
      <Hsp_identity>22</Hsp_identity>
      <Hsp_positive>22</Hsp_positive>
      <Hsp_gaps>14</Hsp_gaps>
      <Hsp_align-len>36</Hsp_align-len>
      <Hsp_qseq>XXXAYIAK--------------QRQISFVKSHFSRQ</Hsp_qseq>
      <Hsp_hseq>MKTAYIAKGGGGGGGGGGGGGGQRQISFVKSHFSRQ</Hsp_hseq>
      <Hsp_midline>MKTAYIAK              QRQISFVKSHFSRQ</Hsp_midline>
    </Hsp>
  </Hit_hsps>
</Hit>
<Hit>
  <Hit_num>2</Hit_num>
  <Hit_id>gnl|BL_ORD_ID|1</Hit_id>
  <Hit_def>s2   two parts</Hit_def>
  <Hit_accession>1</Hit_accession>
  <Hit_len>74</Hit_len>
  <Hit_hsps>
    <Hsp>
      <Hsp_num>1</Hsp_num>
      <Hsp_bit-score>31.5722</Hsp_bit-score>
      <Hsp_score>70</Hsp_score>
      <Hsp_evalue>9.36799e-09</Hsp_evalue>
      <Hsp_query-from>9</Hsp_query-from>
      <Hsp_query-to>22</Hsp_query-to>
      <Hsp_hit-from>1</Hsp_hit-from>
      <Hsp_hit-to>14</Hsp_hit-to>
      <Hsp_query-frame>0</Hsp_query-frame>
      <Hsp_hit-frame>0</Hsp_hit-frame>
      <Hsp_identity>14</Hsp_identity>
      <Hsp_positive>14</Hsp_positive>
      <Hsp_gaps>0</Hsp_gaps>
      <Hsp_align-len>14</Hsp_align-len>
      <Hsp_qseq>QRQISFVKSHFSRQ</Hsp_qseq>
      <Hsp_hseq>QRQISFVKSHFSRQ</Hsp_hseq>
      <Hsp_midline>QRQISFVKSHFSRQ</Hsp_midline>
    </Hsp>
    <Hsp>
      <Hsp_num>2</Hsp_num>
      <Hsp_bit-score>30.4166</Hsp_bit-score>
      <Hsp_score>67</Hsp_score>
      <Hsp_evalue>2.64184e-08</Hsp_evalue>
      <Hsp_query-from>9</Hsp_query-from>
      <Hsp_query-to>22</Hsp_query-to>
      <Hsp_hit-from>61</Hsp_hit-from>
      <Hsp_hit-to>74</Hsp_hit-to>
      <Hsp_query-frame>0</Hsp_query-frame>
      <Hsp_hit-frame>0</Hsp_hit-frame>
      <Hsp_identity>13</Hsp_identity>
      <Hsp_positive>14</Hsp_positive>
      <Hsp_gaps>0</Hsp_gaps>
      <Hsp_align-len>14</Hsp_align-len>
      <Hsp_qseq>QRQISFVKSHFSRQ</Hsp_qseq>
      <Hsp_hseq>QRQISFVKAHFSRQ</Hsp_hseq>
      <Hsp_midline>QRQISFVK+HFSRQ</Hsp_midline>
    </Hsp>
  </Hit_hsps>
</Hit>
</Iteration_hits>
  <Iteration_stat>
    <Statistics>
      <Statistics_db-num>2</Statistics_db-num>
      <Statistics_db-len>111</Statistics_db-len>
      <Statistics_hsp-len>0</Statistics_hsp-len>
      <Statistics_eff-space>2442</Statistics_eff-space>
      <Statistics_kappa>0.041</Statistics_kappa>
      <Statistics_lambda>0.267</Statistics_lambda>
      <Statistics_entropy>0.14</Statistics_entropy>
    </Statistics>
  </Iteration_stat>
</Iteration>
</BlastOutput_iterations>
</BlastOutput>

)";

/// The expected search in JSON, without the HSPs of the second hit.
constexpr std::string_view kJsonSearch = R"({
  "query_id": "Query_1", "query_title": "q1 one query", "query_len": 22, "query_masking": [{"from": 0, "to": 2}],
  "hits": [
    {"num": 1,
     "description": [
       {"id": "gnl|BL_ORD_ID|0", "accession": "0",
        "title": "s1;, a gap &lt;in&gt; the middle ( of it ) ,and a long title that goes on beyond the columns there are.."}],
     "len": 37,
     "hsps": [
       {"num": 1, "bit_score": 36.965, "score": 84, "evalue": 3.51702e-11, "identity": 22, "positive": 22, "query_from": 1, "query_to": 22,
        "hit_from": 2, "hit_to": 37, "align_len": 36, "gaps": 14,
        "qseq": "mktAYIAK--------------QRQISFVKSHFSRQ", "hseq": "MKTAYIAKGGGGGGGGGGGGGGQRQISFVKSHFSRQ",
        "midline": "MKTAYIAK              QRQISFVKSHFSRQ"}]},
    {"num": 2, "description": [{"id": "gnl|BL_ORD_ID|1", "accession": "1", "title": "s2   two parts"}], "len": 74, "hsps": []}],
  "stat": {"db_num": 2, "db_len": 111, "hsp_len": 0, "eff_space": 2442, "kappa": 0.041, "lambda": 0.267, "entropy": 0.14}})";

constexpr std::string_view kXml2Begin = R"(<?xml version="1.0"?>
<BlastXML2
    xmlns="http://www.ncbi.nlm.nih.gov"
    xmlns:xs="http://www.w3.org/2001/XMLSchema-instance"
    xs:schemaLocation="http://www.ncbi.nlm.nih.gov http://www.ncbi.nlm.nih.gov/data_specs/schema_alt/NCBI_BlastOutput2.xsd"
>
<BlastOutput2>
  <report>
    <Report>
      <program>blastp</program>
)";

/// A query with its first three residues masked, a sequence with an insert, and one with two HSPs.
struct Example {
    ScratchFolder folder;
    std::optional<DatabaseSet> databases;
    BlastpNames names{.version = blastp_version(), .databases = "d.wsdb", .title = "d.wsdb"};
    std::uint64_t skipped = 0;         // residues of the query before those of the example
    std::uint64_t asked_residues = 0;  // length of the query's range, 0 if there is none
    std::uint64_t target_skipped = 0;  // residues of each target before those of the example
    std::optional<std::filesystem::path> output_file;
    BlastpSettings settings{kBlosum};
    BlastpLayout layout;
    AlignmentStatistics statistics = *AlignmentStatistics::find(kBlosum);
    BlastpQuery query;
    std::vector<BlastpHit> hits;
    std::vector<std::string> headers;

    BlastpRun run() const {
        return {*databases, names, settings, statistics, layout, skipped, asked_residues, target_skipped};
    }

    Example() {
        const std::vector<TestSequence> sequences = {
            {"s1;, a gap &lt;in&gt; the middle ( of it ) ,and a long title that goes on beyond the columns there are..",
             encode_residues("GMKTAYIAKGGGGGGGGGGGGGGQRQISFVKSHFSRQ")},
            {"s2\ttwo parts",
             encode_residues("QRQISFVKSHFSRQPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPQRQISFVKAHFSRQ")}};
        const auto file = folder.path("d.wsdb");
        make_database(file, sequences);
        auto opened = DatabaseSet::open({file});
        REQUIRE(opened.ok());
        databases.emplace(*std::move(opened));
        layout.line_length = 10;
        query.header = "q1 one  query\tcut";
        query.residues = encode_residues("MKTAYIAKQRQISFVKSHFSRQ");
        query.masked = {{0, 3}};
        query.ungapped = ungapped_parameters(query.residues, kBlosum.matrix);
        const auto hit = [&](std::uint64_t rank, const TestSequence& sequence, std::vector<Hsp> hsps) {
            BlastpHit made;
            made.rank = rank;
            made.position = hits.size();
            made.hsps = std::move(hsps);
            for (const Hsp& hsp : made.hsps) {
                made.aligned_targets.emplace_back(
                    sequence.residues.begin() + static_cast<std::ptrdiff_t>(hsp.target_begin),
                    sequence.residues.begin() + static_cast<std::ptrdiff_t>(hsp.target_end));
            }
            hits.push_back(std::move(made));
            headers.push_back(sequence.header);
        };
        const auto hsp = [](int score, std::uint64_t query_begin, std::uint64_t target_begin, std::uint64_t target_end,
                            double evalue, std::vector<AlignmentRun> runs) {
            return Hsp{score, query_begin, 22, target_begin, target_end, 0, 0, evalue, std::move(runs)};
        };
        hit(1, sequences[0], {hsp(84, 0, 1, 37, 3.517023e-11, {{kMatch, 8}, {kDelete, 14}, {kMatch, 14}})});
        hit(0, sequences[1],
            {hsp(70, 8, 0, 14, 9.367993e-9, {{kMatch, 14}}), hsp(67, 8, 60, 74, 2.641838e-8, {{kMatch, 14}})});
    }

    /// Returns the text that is added for the query.
    std::string add(std::string_view outfmt, bool with_hits = true) const {
        std::string text;
        const auto report = begin(outfmt, text);
        text.clear();
        add_to(*report, 1, with_hits, text);
        return text;
    }

    /// Returns a whole report with `queries` copies of the query.
    std::string whole(std::string_view outfmt, std::uint64_t queries = 1, bool with_hits = true) const {
        std::string text;
        const auto report = begin(outfmt, text);
        for (std::uint64_t number = 1; number <= queries; ++number) add_to(*report, number, with_hits, text);
        report->end(run(), text);
        return text;
    }

   private:
    std::unique_ptr<BlastpReport> begin(std::string_view outfmt, std::string& text) const {
        auto report = make_blastp_report(outfmt, output_file);
        REQUIRE_MESSAGE(report.ok(), report.status().message());
        (*report)->begin(run(), text);
        return *std::move(report);
    }

    void add_to(BlastpReport& report, std::uint64_t number, bool with_hits, std::string& text) const {
        const auto shown = with_hits ? std::span<const BlastpHit>(hits) : std::span<const BlastpHit>();
        const std::uint64_t space = query.ungapped ? 2442 : 0, length_adjustment = 0;
        const Status added = report.add(run(),
                                        {query, number, skipped + query.residues.size(), space, length_adjustment,
                                         shown, std::span(headers).first(shown.size())},
                                        text);
        REQUIRE_MESSAGE(added.ok(), added.message());
    }
};

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// Returns the first query's search in a report of format 15.
Json first_search(const std::string& json) {
    return Json::parse(json)["BlastOutput2"][0]["report"]["results"]["search"];
}

}  // namespace

TEST_CASE("pairwise text of a query") {
    const Example example;
    CHECK(example.add("0") == kPairwise);
}

TEST_CASE("beginning and end of pairwise text") {
    const Example example;
    const BlastpRun run = example.run();
    const auto report = make_blastp_report("0", {});
    std::string text;
    (*report)->begin(run, text);
    CHECK(text.starts_with("BLASTP "));
    CHECK(text.ends_with("\n\n\n\nDatabase: d.wsdb\n           2 sequences; 111 total letters\n\n"));
    text.clear();
    (*report)->end(run, text);
    CHECK(text == kEnd);
}

TEST_CASE("limits of pairwise text") {
    Example example;
    example.layout.descriptions = 1;
    example.layout.alignments = 1;
    std::string text = example.add("0");
    CHECK(contains(text, "\ns1;, a gap <in>"));
    CHECK_FALSE(contains(text, "\ns2 "));
    CHECK_FALSE(contains(text, ">s2"));
    example.layout.descriptions = 0;
    text = example.add("0");
    CHECK_FALSE(contains(text, "Sequences producing"));
    CHECK(contains(text, "Length=22\n\n\n>s1;"));
    example.layout.descriptions = 2;
    example.layout.alignments = 0;
    text = example.add("0");
    CHECK(contains(text, "9e-09\n\n\n\nLambda"));
}

TEST_CASE("queries without hits, and those that cannot be searched with") {
    Example example;
    CHECK(contains(example.add("0", false), "Length=22\n\n\n***** No hits found *****\n\n\n\nLambda "));
    CHECK(example.add("6", false).empty());
    example.query.ungapped.reset();
    CHECK(example.add("0", false).ends_with("***** No hits found *****\n\n\n\n\n\nEffective search space used: 0\n"));
    CHECK(contains(example.add("7", false), "# 0 hits found\n"));
}

TEST_CASE("a group without a query that can be searched with has statistics of -1 and no count of hits") {
    Example example;
    example.query.ungapped.reset();
    example.query.is_in_invalid_group = true;
    CHECK(example.add("0", false)
              .ends_with(
                  "***** No hits found *****\n\n\n\nLambda      K        H\n   -1.00    -1.00    -1.00 \n\nGapped\n"
                  "Lambda      K        H\n   -1.00    -1.00    -1.00 \n\nEffective search space used: 0\n"));
    CHECK_FALSE(contains(example.add("7", false), "hits found"));
    CHECK(example.add("6", false).empty());
}

TEST_CASE("an effective search space leaves the columns of lengths out") {
    Example example;
    example.settings.search_space = 1000;
    const std::string text = example.add("0");
    CHECK(contains(text,
                   "Lambda      K        H\n   0.328    0.127    0.338 \n\nGapped\nLambda      K        H\n   0.267   "
                   "0.0410    0.140 \n\nEff"));
}

TEST_CASE("tables") {
    const Example example;
    const std::string first =
        "s1;, a gap &lt;in&gt; the middle ( of it ) ,and a long title that goes on beyond the columns there are..";
    CHECK(example.add("6 std score qcovs qcovhsp stitle") ==
          "q1\ts1;,\t61.111\t36\t0\t1\t1\t22\t2\t37\t3.52e-11\t37.0\t84\t100\t100\t" + first +
              "\n"
              "q1\ts2\t100.000\t14\t0\t0\t9\t22\t1\t14\t9.37e-09\t31.6\t70\t64\t64\ts2   two parts\n"
              "q1\ts2\t92.857\t14\t1\t0\t9\t22\t61\t74\t2.64e-08\t30.4\t67\t64\t64\ts2   two parts\n");
    CHECK(example.add("10 qseqid score").starts_with("q1,84\nq1,70\n"));
    CHECK(example.add("10 delim=<> qseqid score").starts_with("q1<>84\n"));
    CHECK(contains(example.add("7 qseqid score score"),
                   "# Query: q1 one  query\n# Database: d.wsdb\n# Fields: query id, score\n# 3 hits found\nq1\t84\n"));
    CHECK(contains(example.add("7", false), "# Database: d.wsdb\n# 0 hits found\n"));
}

TEST_CASE("fields of a table are quoted only if it has a row of names") {
    const Example example;
    const auto written = [&](std::string_view outfmt, bool header) {
        const auto report = make_blastp_report(outfmt, {}, ExistingFile::kReplace, header);
        REQUIRE_MESSAGE(report.ok(), report.status().message());
        std::string text;
        (*report)->begin(example.run(), text);
        const Status added =
            (*report)->add(example.run(), {example.query, 1, 22, 2442, 0, example.hits, example.headers}, text);
        REQUIRE(added.ok());
        return text;
    };
    const std::string title =
        "s1;, a gap &lt;in&gt; the middle ( of it ) ,and a long title that goes on beyond the columns there are..";
    CHECK(written("10 stitle score", false).starts_with(title + ",84\n"));
    CHECK(written("10 stitle score", true).starts_with("stitle,score\n\"" + title + "\",84\n"));
    CHECK(written("6 stitle score", true).starts_with("stitle\tscore\n" + title + "\t84\n"));
    CHECK(written("6 delim=( stitle score", true).starts_with("stitle(score\n\"" + title + "\"(84\n"));
    CHECK_FALSE(make_blastp_report("5", {}, ExistingFile::kReplace, true).ok());
}

TEST_CASE("XML of a query") {
    Example example;
    example.query.header = "q1 <one>  &amp;  \"query\"\tcut";
    const std::string text = example.whole("5");
    CHECK(
        text.starts_with("<?xml version=\"1.0\"?>\n<!DOCTYPE BlastOutput PUBLIC \"-//NCBI//NCBI BlastOutput/EN\" "
                         "\"http://www.ncbi.nlm.nih.gov/dtd/NCBI_BlastOutput.dtd\">\n<BlastOutput>\n"));
    CHECK(contains(
        text, "  <BlastOutput_db>d.wsdb</BlastOutput_db>\n  <BlastOutput_query-ID>Query_1</BlastOutput_query-ID>\n"));
    const std::size_t iteration = text.find("<Iteration>");
    REQUIRE(iteration != std::string::npos);
    CHECK(text.substr(iteration) == kXmlIteration);
}

TEST_CASE("parameters of a run, as blastp words them") {
    Example example;
    const auto parameters = [&] {
        const std::string text = example.whole("5");
        const std::size_t begin = text.find("<Parameters_filter>") + 19;
        return text.substr(begin, text.find('<', begin) - begin);
    };
    CHECK(parameters() == "F");
    example.settings.soft_masking = true;
    CHECK(parameters() == "m;");
    example.settings.seg = SegParameters();
    CHECK(parameters() == "L;m;");
    example.settings.seg->window_residues = 10;
    example.settings.soft_masking = false;
    CHECK(parameters() == "S 10 2.2 2.5;");
    example.settings.evalue = 1e-5;
    CHECK(contains(example.whole("5"), "<Parameters_expect>1e-05</"));
    example.settings.composition = CompositionMode::kNone;
    CHECK_FALSE(Json::parse(example.whole("15"))["BlastOutput2"][0]["report"]["params"].contains("cbs"));
}

TEST_CASE("JSON of queries") {
    const Example example;
    const std::string text = example.whole("15", 2);
    const Json all = Json::parse(text);
    REQUIRE(all["BlastOutput2"].size() == 2);
    CHECK(all["BlastOutput2"][1]["report"]["results"]["search"]["query_id"] == "Query_2");
    Json report = all["BlastOutput2"][0]["report"];
    CHECK(report["version"].get<std::string>().starts_with("BLASTP (warpseq "));
    CHECK(report["reference"].get<std::string>().starts_with("Stephen F. Altschul"));
    CHECK(report["search_target"]["db"] == "d.wsdb");
    CHECK(report["params"] ==
          Json::parse(
              R"({"matrix": "BLOSUM62", "expect": 10, "gap_open": 11, "gap_extend": 1, "filter": "F", "cbs": 2})"));
    Json search = report["results"]["search"];
    CHECK(search["hits"][1]["hsps"].size() == 2);
    CHECK(search["hits"][1]["hsps"][1]["midline"] == "QRQISFVK+HFSRQ");
    // The order matters, and so does the form of whole numbers.
    search["hits"][1]["hsps"] = Json::array();
    CHECK(search.dump(1) == Json::parse(kJsonSearch).dump(1));
}

TEST_CASE("XML2 says what the JSON says") {
    const Example example;
    const std::string text = example.whole("16", 2);
    CHECK(text.starts_with(kXml2Begin));
    CHECK(text.ends_with("  </report>\n</BlastOutput2>\n</BlastXML2>\n"));
    CHECK(contains(text, "</BlastOutput2>\n\n<BlastOutput2>\n"));
    CHECK(contains(text,
                   "              <query-masking>\n                <Range>\n                  <from>0</from>\n         "
                   "         <to>2</to>\n"));
    CHECK(contains(text,
                   "                      <bit-score>36.965</bit-score>\n                      <score>84</score>\n"
                   "                      <evalue>3.51702e-11</evalue>\n"));
    CHECK(contains(text, "<title>s1;, a gap &amp;lt;in&amp;gt; the middle"));
    CHECK(contains(example.whole("16", 1, false), "              <hits></hits>\n              <stat>\n"));
}

TEST_CASE("queries without hits in XML and JSON, and those that cannot be searched with") {
    Example example;
    const auto search = [&] { return first_search(example.whole("15", 1, false)); };
    CHECK(search()["message"] == "No hits found");
    CHECK(search()["hits"] == Json::array());
    CHECK(contains(example.whole("5", 1, false), "<Iteration_hits>\n</Iteration_hits>\n"));
    CHECK(contains(example.whole("5", 1, false),
                   "  <Iteration_message>No hits found</Iteration_message>\n</Iteration>\n"));
    CHECK_FALSE(contains(example.whole("5"), "message"));

    example.query.ungapped.reset();
    const std::string invalid =
        "Query_1 q1 one  query:  Query_1 q1 one  query: Could not calculate ungapped Karlin-Altschul parameters due to "
        "an invalid "
        "query sequence or its translation. Please verify the query sequence(s) and/or filtering options  No hits "
        "found";
    CHECK(search()["message"] == invalid);
    CHECK(
        search()["stat"] ==
        Json::parse(
            R"({"db_num": 2, "db_len": 111, "hsp_len": 0, "eff_space": 0, "kappa": -1, "lambda": -1, "entropy": -1})"));
    CHECK(contains(example.whole("5", 1, false), "<Statistics_entropy>-1</Statistics_entropy>"));

    example.query.is_in_invalid_group = true;
    CHECK_FALSE(search().contains("hits"));
    CHECK(search()["message"] == invalid + " \nNo hits found");
    CHECK(contains(example.whole("5", 1, false), "<Iteration_message>" + invalid + "</Iteration_message>"));
    CHECK(contains(example.whole("16", 1, false), "<message>" + invalid + " &#xa;No hits found</message>"));

    example.query.residues.clear();
    example.query.masked.clear();
    example.query.header = "a query with a name of many letters";
    CHECK(search()["message"] ==
          "Query_1 a query with a na.. :  Query_1 a query with a na.. : Sequence contains no data  No hits found \nNo "
          "hits found");
}

TEST_CASE("a mode of composition-based statistics that the matrix does not allow stands in each message") {
    Example example;
    example.settings.has_lost_composition = true;
    const std::string lost =
        "Composition-based statistics cannot be used with the BLOSUM62 matrix, resetting the composition-based "
        "statistics option to 0 ";
    const std::string name = "Query_1 q1 one  query";
    CHECK(first_search(example.whole("15"))["message"] == name + ":  " + name + ": " + lost);
    CHECK(first_search(example.whole("15", 1, false))["message"] ==
          name + ":  " + name + ": " + lost + " No hits found");
    CHECK(query_warning(example.names, example.settings, example.query, 1) == name + ": " + lost);
    example.query.residues.clear();
    CHECK(query_warning(example.names, example.settings, example.query, 1) ==
          name + ": " + lost + "Sequence contains no data ");
}

TEST_CASE("pyrrolysine is warned of in XML and JSON") {
    Example example;
    example.query.residues[2] = example.query.residues[5] = kCodeO;
    const std::string text = example.whole("15");
    CHECK(
        contains(text, "One or more O characters replaced by X for alignment score calculations at positions 2, 5 \""));
    example.query.residues.assign(21, kCodeO);
    CHECK(contains(example.whole("15", 1, false), " 18, 19,... (only first 20 shown)  No hits found\""));
}

TEST_CASE("masked residues in XML and JSON") {
    Example example;
    const auto rows = [&](std::string_view outfmt, std::string_view name) {
        const std::string text = example.whole(outfmt);
        const std::size_t begin = text.find(name) + name.size();
        return text.substr(begin, 12);
    };
    example.query.masked = {{0, 3}, {7, 9}};
    CHECK(rows("5", "<Hsp_qseq>") == "XXXAYIAX----");
    CHECK(rows("15", "\"qseq\": \"") == "mktAYIAk----");
    // The alignment begins within a masked stretch, which blastp then does not show.
    example.hits.erase(example.hits.begin());
    example.headers.erase(example.headers.begin());
    example.query.masked = {{7, 9}, {10, 11}};
    CHECK(rows("5", "<Hsp_qseq>") == "QRXISFVKSHFS");
    CHECK(first_search(example.whole("15"))["query_masking"] ==
          Json::parse(R"([{"from": 7, "to": 8}, {"from": 10, "to": 10}])"));
    // A mask of the whole query is not reported, but two masks that touch are.
    example.query.masked = {{0, 22}};
    CHECK_FALSE(contains(example.whole("15"), "query_masking"));
    example.query.masked = {{0, 12}, {12, 22}};
    CHECK(first_search(example.whole("15"))["query_masking"] ==
          Json::parse(R"([{"from": 0, "to": 11}, {"from": 12, "to": 21}])"));
}

TEST_CASE("names in XML and JSON: any bytes give valid text") {
    Example example;
    example.query.header = "caf\xC3\xA9 \x81 <x>";
    example.headers[0] = "bell\a tab\tend \xFF\xEF\xBF\xBF & \"quoted\" 'so'";
    const Json search = first_search(example.whole("15"));
    CHECK(search["query_title"] == "caf\xC3\xA9 \xEF\xBF\xBD <x>");
    CHECK(search["hits"][0]["description"][0]["title"] == "bell# tab   end \xEF\xBF\xBD\xEF\xBF\xBF & \"quoted\" 'so'");
    for (const char* outfmt : {"5", "16"}) {
        const std::string text = example.whole(outfmt);
        CHECK(contains(text, ">caf\xC3\xA9 \xEF\xBF\xBD &lt;x&gt;</"));
        CHECK(contains(text, ">bell# tab   end \xEF\xBF\xBD\xEF\xBF\xBD &amp; &quot;quoted&quot; &apos;so&apos;</"));
    }
    example.query.header = "";
    example.headers[0] = "";
    const Json unnamed = first_search(example.whole("15"));
    CHECK(unnamed["query_title"] == "unnamed protein product");
    CHECK(unnamed["hits"][0]["description"][0]["title"] == "");
    CHECK(contains(example.whole("5"), "<Hit_def>No definition line</Hit_def>"));
}

TEST_CASE("E-values below 1e-180 are 0, others have six digits, and whole numbers no point") {
    Example example;
    example.hits[0].hsps[0].evalue = 9.99e-181;
    example.hits[1].hsps[0].evalue = 1234567.8;
    example.hits[1].hsps[1].evalue = 2.0000001;
    const std::string xml = example.whole("5"), json = example.whole("15");
    CHECK(contains(xml, "<Hsp_evalue>0</Hsp_evalue>"));
    CHECK(contains(xml, "<Hsp_evalue>1234570</Hsp_evalue>"));
    CHECK(contains(json, "\"evalue\": 0,"));
    CHECK(contains(json, "\"evalue\": 1234570,"));
    CHECK(contains(json, "\"evalue\": 2,"));
    example.settings.search_space = 0;
    example.settings.evalue = 1e20;
    CHECK(contains(example.whole("15"), "\"expect\": 1e+20,"));
}

TEST_CASE("a file per query") {
    struct Case {
        const char *outfmt, *list, *first_file;
    };
    for (const Case& file_case :
         {Case{"13", "r", "r_1.json"}, Case{"13", "r.JSON", "r_1.json"}, Case{"13", "r.xml", "r.xml_1.json"},
          Case{"14", "r.xml", "r_1.xml"}, Case{"14", "r.json.gz", "r.json.gz_1.xml"}}) {
        CAPTURE(file_case.list);
        Example example;
        example.output_file = example.folder.path(file_case.list);
        // An earlier run's file is replaced.
        const auto file = example.folder.write(file_case.first_file, "before");
        const std::string list = example.whole(file_case.outfmt, 2);
        std::ifstream stream(file);
        const std::string text{std::istreambuf_iterator<char>(stream), {}};
        if (std::string_view(file_case.outfmt) == "13") {
            const Json names = Json::parse(list);
            REQUIRE(names["BlastJSON"].size() == 2);
            CHECK(names["BlastJSON"][0]["File"] == file_case.first_file);
            CHECK(std::filesystem::exists(example.folder.path(names["BlastJSON"][1]["File"].get<std::string>())));
            CHECK(Json::parse(text)["BlastOutput2"] == Json::parse(example.whole("15"))["BlastOutput2"][0]);
        } else {
            CHECK(contains(list, "xmlns:xi=\"http://www.w3.org/2003/XInclude\""));
            CHECK(contains(list, "\t<xi:include href=\"" + std::string(file_case.first_file) + "\"/>\n"));
            CHECK(text.starts_with(
                "<?xml version=\"1.0\"?>\n<BlastOutput2\n    xmlns=\"http://www.ncbi.nlm.nih.gov\"\n"));
            CHECK(text.ends_with("\n    </Report>\n  </report>\n</BlastOutput2>\n"));
        }
    }
}

TEST_CASE("a file per query cannot go to standard output, a folder or a device") {
    const ScratchFolder folder;
    for (const char* format : {"13", "14"}) {
        CHECK(make_blastp_report(format, {}).status().exit_status() == 2);
        CHECK(make_blastp_report(format, folder.path(".")).status().exit_status() == 2);
        CHECK(make_blastp_report(format, "/dev/null").status().exit_status() == 2);
        CHECK(make_blastp_report(format, folder.path("new")).ok());
    }
    // A file that cannot be written is an error.
    Example example;
    example.output_file = folder.path("no/such/folder/list");
    const auto report = make_blastp_report("13", example.output_file);
    std::string text;
    CHECK_FALSE((*report)->add(example.run(), {example.query, 1, 22, 1, 1, {}, {}}, text).ok());
}

TEST_CASE("coverage of a sequence is that of its HSPs together") {
    Example example;
    example.hits[1].hsps[0].query_begin = 12;
    example.hits[1].hsps[0].runs = {{kMatch, 10}};
    example.hits[1].hsps[1].query_begin = 0;
    example.hits[1].hsps[1].query_end = 14;
    const std::string text = example.add("6 qcovs qcovhsp");
    CHECK(text == "100\t100\n100\t45\n100\t64\n");
}

TEST_CASE("unknown formats are usage errors") {
    for (const char* format : {"", "8", "17", "66", "1 qseqid", "0 qseqid", "15 qseqid", "json", "6 delim"}) {
        const auto report = make_blastp_report(format, {});
        REQUIRE_FALSE(report.ok());
        CHECK(report.status().exit_status() == 2);
    }
}

TEST_CASE("sequences that are no database in JSON and XML2") {
    Example example;
    example.names.are_subjects = true;
    const Json report = Json::parse(example.whole("15"))["BlastOutput2"][0]["report"];
    CHECK(report["search_target"] == Json::parse(R"({"subjects": ["Subject_1", "Subject_2"]})"));
    REQUIRE(report["results"]["bl2seq"].size() == 1);
    const Json& search = report["results"]["bl2seq"][0];
    CHECK(search["hits"][1]["description"] == Json::parse(R"([{"id": "s2", "title": "s2"}])"));
    CHECK(search["stat"].begin().key() == "hsp_len");
    const std::string xml = example.whole("16");
    CHECK(contains(xml,
                   "<Target>\n          <subjects>Subject_1</subjects>\n          <subjects>Subject_2</subjects>\n"));
    CHECK(contains(xml, "<bl2seq>\n            <Search>\n              <query-id>Query_1</query-id>\n"));
}

TEST_CASE("JSON in the lines of NCBI's blastp") {
    Example example;
    example.layout.has_ncbi_lines = true;
    const std::string text = example.whole("15", 2, false);
    CHECK(text.starts_with("{\n\"BlastOutput2\": [\n{\n    \"report\": {\n      \"program\": \"blastp\",\n"));
    CHECK(contains(text, "          \"hits\": [\n          ],\n"));
    CHECK(contains(text, "\n    }\n  }\n,\n{\n    \"report\""));
    CHECK(text.ends_with("\n    }\n  }\n]\n}\n"));
}

TEST_CASE("a page of HTML") {
    Example example;
    example.layout.is_html = true;
    const std::string text = example.whole("0");
    CHECK(text.starts_with("<HTML>\n<HEAD><TITLE>BLAST Search Results</TITLE></HEAD>\n"));
    CHECK(contains(text, "\n<b>Query=</b> q1 one  query\n"));
    CHECK(contains(text,
                   "\ns1;, a gap &lt;in&gt; the middle (of it), and a long title that goes on...  "
                   "<a href=#BL_ORD_ID:0>37.0</a>    4e-11\n"));
    CHECK(contains(text, "\n><a name=BL_ORD_ID:0></a> s1;, a gap &amp;lt;in&amp;gt; the middle ( of it ) ,and "));
    CHECK(contains(text, "\nQuery  1   <font color=\"#000000\">mkt</font>AYIAK--  8\n"));
    CHECK(text.ends_with("\nWindow for multiple hits: 40\n</PRE>\n</BODY>\n</HTML>\n"));
}

TEST_CASE("a link for an identifier of a public database") {
    Example example;
    example.layout.is_html = true;
    example.names.each = {{.title = "d", .has_parsed_ids = true}};
    example.headers = {"sp|P12345|A_B one", "mine two"};
    const std::string text = example.add("0");
    CHECK(contains(text,
                   "\n<a title=\"Show report for P12345\" "
                   "href=\"https://www.ncbi.nlm.nih.gov/protein/"
                   "P12345?report=genbank&log$=prottop&blast_rank=1&RID=\" >P12345 </a>one  "));
    CHECK(contains(text, "&log$=protalign&blast_rank=1&RID=0\" >P12345</a><a name=P12345></a> one\n"));
    CHECK(contains(text, "\nmine two  "));
    CHECK(contains(text, "\n>mine<a name=mine></a> two\n"));
}

TEST_CASE("an order of hits brings further columns") {
    Example example;
    example.layout.hit_order = BlastpLayout::HitOrder::kTotalScore;
    const std::string text = example.add("0");
    CHECK(contains(text, "Score   Total  Query    E     Max\n"));
    CHECK(contains(text,
                   "(Bits)   Score  cover   Value  Ident\n\n"
                   "s2 two parts                                                          "
                   "31.6     62.0   63%    9e-09  100%      \n"
                   "s1;, a gap <in> the middle (of it), and a long title that goes on...  "
                   "37.0     37.0   100%   4e-11  61%       \n"));
}

TEST_CASE("all hits below the query") {
    Example example;
    example.layout.line_length = 60;
    CHECK(contains(example.add("1"),
                   "\n\nQuery_1  1   mktAYIAKQRQISFVKSHFSRQ  22\n"
                   "0        2   ......................  37\n"
                   "                     \\             \n"
                   "                     |             \n"
                   "             GGGGGGGGGGGGGG\n"));
    CHECK(contains(example.add("4"),
                   "\n\nQuery_1  1   mktAYIAK--------------QRQISFVKSHFSRQ  22\n"
                   "0        2   MKTAYIAKGGGGGGGGGGGGGGQRQISFVKSHFSRQ  37\n"
                   "1        1                         QRQISFVKSHFSRQ  14\n"
                   "1        61                        QRQISFVKAHFSRQ  74\n\n"));
}

TEST_CASE("queries by the identifiers in their headers, and those without a name") {
    Example example;
    example.query.header = "sp|P12345.2|A_B a query";
    CHECK(contains(example.add("7 qseqid qacc qaccver"), "# Query: sp|P12345.2|A_B a query\n"));
    example.names.parses_queries = true;
    CHECK(contains(example.add("7 qseqid qacc qaccver"), "# Query: P12345.2 a query\n"));
    CHECK(contains(example.add("6 qseqid qacc qaccver"), "sp|P12345.2|A_B\tP12345\tP12345.2\n"));
    CHECK(contains(example.add("5"),
                   "<Iteration_query-ID>P12345.2</Iteration_query-ID>\n"
                   "  <Iteration_query-def>a query</Iteration_query-def>\n"));
    example.query.header = "";
    CHECK(contains(example.add("0"), "\n\nQuery= \nLength=22\n"));
    CHECK(contains(example.add("6 qseqid qacc"), "Query_1\tQuery_1\n"));
}

TEST_CASE("titles are cleaned as blastp's tables have them") {
    CHECK(cleaned_title("seq1 trailing dot.") == "seq1 trailing dot");
    CHECK(cleaned_title("seq2 trailing  semicolons ; , ") == "seq2 trailing semicolons");
    CHECK(cleaned_title("seq11 (x) , (y)") == "seq11 (x), (y)");
    CHECK(cleaned_title("a,b ;c") == "a,b; c");
    CHECK(cleaned_title("x  ( y ) ...") == "x (y)");
    CHECK(cleaned_title("h4 a,,b ;;c") == "h4 a, b;; c");
    CHECK(cleaned_title("h5 a, ,, b; ;c") == "h5 a, b; c");
    CHECK(cleaned_title("h2 protein. [Homo sapiens]") == "h2 protein [Homo sapiens]");
    CHECK(cleaned_title("h3, [Homo sapiens]") == "h3 [Homo sapiens]");
    CHECK(cleaned_title("q ,z") == "q, z");
    CHECK(cleaned_title("w(1 )x") == "w(1)x");
    CHECK(cleaned_title("...") == "...");
    CHECK(cleaned_title("") == "");
    CHECK(cleaned_title("mag: TPA: x") == "x");
    CHECK(cleaned_title("TPA: MAG: x") == "MAG: x");
    CHECK(cleaned_title("k1&amp;x a &lt;b&gt; &foo;!") == "k1&x a <b> &foo;!");
    CHECK(cleaned_title("x &amp;") == "x &amp");
    CHECK(cleaned_title("caf\xE9 &eacute; x") == "caf\xC3\xA9 \xC3\xA9 x");
    CHECK(cleaned_title("caf\xC3\xA9 x") == "caf\xC3\xA9 x");
    CHECK(cleaned_title("MAG: ,,x", "TPA: ") == "TPA:,, x");
}

TEST_CASE("names and titles as given") {
    CHECK(query_title("q1 one  two ") == "q1 one  two");
    CHECK(query_title("q1\ttwo") == "q1");
    CHECK(query_title("q1 two\x01q2") == "q1 two");
    CHECK(query_title("q1 \x1Ftwo") == "q1");
    CHECK(query_title("\x1Ftwo \x1F") == "\x1Ftwo");
    CHECK(target_title("a\tb\x01"
                       "c") == "a   b c");
    CHECK(target_title("a\ab\x7F"
                       "c") == "a#b#c");
}

TEST_CASE("lines are broken at blanks, else behind commas and hyphens") {
    CHECK(wrapped("", 10).empty());
    CHECK(wrapped("ten chars.", 10) == "ten chars.\n");
    CHECK(wrapped("one two  three", 7) == "one two\nthree\n");
    CHECK(wrapped("one two  three", 8) == "one two \nthree\n");  // the last of two equally good places
    CHECK(wrapped("abcdefghijklm", 5) == "abcde\nfghij\nklm\n");
    CHECK(wrapped("ab-cd,efghij", 8) == "ab-cd,\nefghij\n");
    CHECK(wrapped("ab-cdefghij", 8) == "ab-\ncdefghij\n");
    const std::string word(59, 'a');
    CHECK(broken_title(word + "b c d") == word + "b \nc d");
    CHECK(broken_title(word + "bcd e") == word + "bcd \ne");
}

TEST_CASE("per cent and bits") {
    CHECK(whole_percent(0, 7) == 0);
    CHECK(whole_percent(1, 8) == 13);
    CHECK(whole_percent(999, 1000) == 99);
    CHECK(whole_percent(7, 7) == 100);
    CHECK(blastp_bits(7.71) == " 7.7");
    CHECK(blastp_bits(-0.31) == "-0.3");
    CHECK(blastp_bits(12.34) == "12.3");
    CHECK(blastp_bits(99.9) == "99.9");
    CHECK(blastp_bits(99.95) == " 99");
    CHECK(blastp_bits(100) == "100");
}

TEST_CASE("positives are equal letters, and pairs above 0 without J, O and *") {
    const SubstitutionMatrix matrix = positives_matrix(kBlosum.matrix, kCodesWithoutPositives);
    const auto score = [&](char a, char b) {
        return matrix.score_raw(kSymbolTable[static_cast<unsigned char>(a)],
                                kSymbolTable[static_cast<unsigned char>(b)]);
    };
    CHECK(score('I', 'V') == 3);
    CHECK(score('X', 'X') > 0);
    CHECK(score('O', 'O') > 0);
    CHECK(score('L', 'J') < 0);
    CHECK(score('C', 'U') > 0);
}

TEST_CASE("positions count in the whole query where a range of it was searched with") {
    Example whole, part;
    part.skipped = 100;
    const auto positions = [](const Example& example) { return example.add("6 qstart qend sstart send qlen"); };
    CHECK(positions(whole).starts_with("1\t22\t2\t37\t22\n"));
    CHECK(positions(part).starts_with("101\t122\t2\t37\t22\n"));
    CHECK(contains(part.add("0"), "\nLength=122\n"));
    CHECK(contains(part.add("0"), "\nQuery  101 "));
    CHECK(contains(part.whole("5"), "<Hsp_query-from>101</Hsp_query-from>"));
    CHECK(first_search(part.whole("15"))["hits"][0]["hsps"][0]["query_to"] == 122);
}

TEST_CASE(
    "a query that ends before the range that was asked for has the range's length in tables, but not for an HSP's "
    "coverage") {
    Example example;
    example.skipped = 100;
    example.asked_residues = 44;
    CHECK(example.add("6 qstart qlen qcovs qcovhsp").starts_with("101\t44\t50\t100\n"));
}

TEST_CASE("masked residues are where they are in the whole query, of which a range was searched with") {
    Example example;
    example.skipped = 100;
    const auto masking = first_search(example.whole("15"))["query_masking"];
    CHECK(masking[0]["from"] == 100);
    CHECK(masking[0]["to"] == 102);
    CHECK(contains(example.whole("16"), "<from>100</from>"));
}

TEST_CASE("positions and lengths are those of whole targets where a range of them was searched") {
    Example part;
    part.target_skipped = 10;
    std::string fasta;
    for (const std::uint64_t rank : {1u, 0u}) {
        TileBuffer buffer;
        fasta += ">s\nAAAAAAAAAA" + decode_residues(*part.databases->reader(0).residues(rank, buffer)) + "\n";
    }
    Observer silent;
    auto opened = DatabaseSet::open({part.folder.write("d.fasta", fasta)}, {.range = ResidueRange{10, 70}},
                                    ThreadPool(1), silent);
    REQUIRE(opened.ok());
    CHECK(opened->residue_count() == 37 + 60);
    part.databases.emplace(*std::move(opened));
    CHECK(part.add("6 qstart qend sstart send slen").starts_with("1\t22\t12\t47\t47\n"));
    CHECK(contains(part.add("6 sstart send slen"), "\n11\t24\t84\n71\t84\t84\n"));
    CHECK(contains(part.add("0"), "\nLength=47\n"));
    CHECK(contains(part.add("0"), "\nLength=84\n"));
    CHECK(contains(part.add("0"), "\nSbjct  12 "));
    CHECK(contains(part.add("4"), "\n1        71 "));
    CHECK(contains(part.whole("5"), "<Hsp_hit-from>12</Hsp_hit-from>"));
    CHECK(contains(part.whole("5"), "<Hit_len>47</Hit_len>"));
    const auto hit = first_search(part.whole("15"))["hits"][1];
    CHECK(hit["len"] == 84);
    CHECK(hit["hsps"][1]["hit_from"] == 71);
    CHECK(hit["hsps"][1]["hit_to"] == 84);
}

TEST_CASE("the warning about an empty sequence that was given for the run") {
    BlastpNames names{.version = "v", .databases = "d", .title = "d", .are_subjects = true};
    CHECK(empty_subject_warning(names, 4, "s1 two  blanks \tcut") ==
          "Subject_5 s1 two  blanks: Subject sequence contains no data");
    names.each = {{.title = "d", .has_parsed_ids = true}};
    CHECK(empty_subject_warning(names, 4, "sp|P12345.2|X one") == "P12345.2 one: Subject sequence contains no data");
}

TEST_CASE("reports name a program and databases as they are told") {
    Example example;
    example.names = {.version = "BLASTP 9 (x)", .databases = "a b", .title = "A title", .each = {{.title = "each"}}};
    CHECK(example.whole("0").starts_with("BLASTP 9 (x)\n"));
    CHECK(contains(example.whole("0"), "\nDatabase: A title\n"));
    CHECK(contains(example.whole("0"), "\n  Database: each\n"));
    CHECK(example.whole("7").starts_with("# BLASTP 9 (x)\n"));
    CHECK(contains(example.whole("7"), "\n# Database: a b\n"));
    CHECK(contains(example.whole("5"), "<BlastOutput_db>a b</BlastOutput_db>"));
}

TEST_CASE("sequences that are no database have no titles in tables, and numbers as subjects in XML") {
    Example example;
    example.names.are_subjects = true;
    CHECK(example.add("6 stitle staxids saccver").starts_with("N/A\tN/A\ts1"));
    CHECK(contains(example.add("0"), "\n> s1;"));
    const std::string xml = example.whole("5");
    CHECK(contains(xml, "<Hit_accession>Subject_1</Hit_accession>"));
    CHECK(contains(xml, "<BlastOutput_db></BlastOutput_db>"));
    CHECK(contains(xml, "<Statistics_db-num>0</Statistics_db-num>"));
}

TEST_CASE("sequences that are no database are named by titles as they are, and shown by cleaned ones") {
    const struct {
        const char *header, *id, *title, *xml_id;
    } cases[] = {
        {"s ;x", "s", "s; x", "s;"},
        {"s7 ,, x", "s7", "s7,, x", "s7,,"},
        {"MAG: more", "MAG:", "more", "more"},
        {"TPA:x y", "TPA:x", "x y", "x"},
        {"a&lt;b c", "a&lt;b", "a<b c", "a<b"},
        {"MAG:", "MAG:", "", "Subject_1"},
        {"caf\xE9 1", "caf\xE9", "caf\xC3\xA9 1", "caf\xC3\xA9"},
        {"unnamed protein product;", "unnamed", "unnamed protein product", "unnamed"},
    };
    Example example;
    example.names.are_subjects = true;
    for (const auto& expected : cases) {
        CAPTURE(expected.header);
        example.headers[0] = expected.header;
        const std::string id = expected.id, title = expected.title;
        CHECK(example.add("6 sseqid sallseqid sacc saccver sallacc")
                  .starts_with(id + "\t" + id + "\t" + id + "\t" + id + "\t" + id + "\n"));
        CHECK(contains(example.add("0"), "(Bits)  Value\n\n" + title + " "));
        CHECK(contains(example.add("0"), "\n> " + title + "\nLength="));
        const Json hits = Json::parse(example.whole("15"))["BlastOutput2"][0]["report"]["results"]["bl2seq"][0]["hits"];
        CHECK(hits[0]["description"] == Json::array({{{"id", expected.xml_id}, {"title", title}}}));
    }
    example.headers[0] = "unnamed protein product";  // a sequence without a name
    CHECK(example.add("6 sseqid sallseqid sacc sallacc").starts_with("unnamed\tSubject_1\tunnamed\tSubject_1\n"));
}

TEST_CASE("parsed identifiers of sequences that are no database") {
    const struct {
        const char *header, *id, *title;
    } cases[] = {
        {"a,b x", "a_b", "x"},
        {"P12345 \t x\ty", "sp|P12345|", "x"},
        {"P12345\x02 y", "sp|P12345|", "\x02 y"},
        {"tpg|DAA1.1|", "tpg|DAA1.1|", "TPA: unnamed protein product"},
        {"tpg|DAA1.1| ;x", "tpg|DAA1.1|", "TPA:; x"},
        {"pdb|1ABC|D", "pdb|1ABC|D", "Chain D"},
        {"pdb|1ABC|D MAG:", "pdb|1ABC|D", ""},
        {"x(1 ,,-,, y", "x(1", ", -,  y"},
    };
    Example example;
    example.names.are_subjects = example.names.parses_queries = true;
    example.names.each = {{.title = "d", .has_parsed_ids = true}};
    for (const auto& expected : cases) {
        CAPTURE(expected.header);
        example.headers[0] = example.query.header = expected.header;
        const std::string id = expected.id, title = expected.title;
        CHECK(example.add("6 qseqid sseqid").starts_with(id + "\t" + id + "\n"));
        const Json search = Json::parse(example.whole("15"))["BlastOutput2"][0]["report"]["results"]["bl2seq"][0];
        CHECK(search["hits"][0]["description"][0]["title"] == title);
        CHECK(search.value("query_title", "") == title);
        CHECK(contains(example.add("0"), search["query_id"].get<std::string>() + " " + title + "\nLength="));
    }
}

TEST_CASE("neighbouring hits with one identifier in several databases are one hit") {
    Example example;
    const auto other = example.folder.path("e.wsdb");
    make_database(other, {{"sp|P1|A of e", encode_residues("GMKTAYIAKGGGGGGGGGGGGGGQRQISFVKSHFSRQ")},
                          {"sp|P1|A shorter", encode_residues("MKTAYIAKQRQISFVKSHFSRQ")}});
    auto databases = DatabaseSet::open({example.folder.path("d.wsdb"), other});
    REQUIRE(databases.ok());
    example.names.each = {{.title = "d", .has_parsed_ids = true}, {.title = "e", .has_parsed_ids = true}};
    // The sequence of 37 residues is number 1 of the first database and number 0 of the second one.
    const auto hit = [&](std::uint32_t database, std::uint64_t rank, std::uint64_t position) {
        BlastpHit made = example.hits[0];
        made.database = database;
        made.rank = rank;
        made.position = position;
        return made;
    };
    const std::string in_d = "sp|P1|A of d", in_e = "sp|P1|A of e";
    std::vector<BlastpHit> hits = {hit(1, 0, 2), hit(0, 1, 0), hit(1, 1, 3), hit(0, 0, 1)};
    std::vector<std::string> headers = {in_e, in_d, "sp|P1|A shorter", "sp|P2|B x"};
    auto joined = hits;
    auto named = headers;
    join_targets(example.names, *databases, joined, named);
    REQUIRE(joined.size() == 3);
    CHECK(joined[0].hsps.size() == 2);
    CHECK(joined[0].aligned_targets.size() == 2);
    CHECK(joined[0].position == 0);
    CHECK(joined[0].database == 0);
    CHECK(joined[0].rank == 1);
    CHECK(named == std::vector<std::string>{in_d, "sp|P1|A shorter", "sp|P2|B x"});
    CHECK(joined[1].hsps.size() == 1);
    CHECK(joined[2].position == 1);

    // Nothing is joined without parsed identifiers, or within one database.
    example.names.each[0].has_parsed_ids = false;
    joined = hits;
    named = headers;
    join_targets(example.names, *databases, joined, named);
    CHECK(joined.size() == 4);
    example.names.each[0].has_parsed_ids = true;
    joined = {hit(0, 1, 0), hit(0, 1, 0)};
    named = {in_d, in_d};
    join_targets(example.names, *databases, joined, named);
    CHECK(joined.size() == 2);
}

TEST_CASE("identifiers in HTML: links, anchors, and all of merged definition lines") {
    Example example;
    example.layout.is_html = true;
    example.names.each = {{.title = "d", .has_parsed_ids = true}};
    const auto link = [](const std::string& id, const std::string& rest) {
        return "<a title=\"Show report for " + id + "\" href=\"https://www.ncbi.nlm.nih.gov/protein/" + id +
               "?report=genbank&log$=" + rest;
    };
    example.headers = {"gnl|db|t<1 x\x01sp|P10002|B <y>\x01loc9", "gi|8|gb|AAA1.1| &"};
    std::string text = example.add("0");
    CHECK(contains(text, "\n\ndb:t<1 x   "));
    CHECK(contains(text, " <a href=#db:t<1>37.0</a> "));
    CHECK(contains(text, "\n" + link("AAA1.1", "prottop&blast_rank=2&RID=\" >AAA1.1 </a>&amp;   ")));
    CHECK(contains(text, " <a href=#8>31.6</a> "));
    CHECK(contains(text, "\n>db:t<1<a name=db:t<1></a> x\n " +
                             link("P10002", "protalign&blast_rank=1&RID=0\" >P10002</a>") +
                             "<a name=P10002></a> &lt;y&gt;\n loc9<a name=loc9></a> unnamed protein product\nLength="));
    CHECK(contains(
        text, "\n>" + link("AAA1.1", "protalign&blast_rank=2&RID=0\" >AAA1.1</a>") + "<a name=8></a> &amp;\nLength="));
    example.headers = {"gi|9", "pir||S12345 z"};
    text = example.add("0");
    CHECK(contains(text, "\n\ngi|9 unnamed protein product  "));
    CHECK(contains(text, "\n>gi|9<a name=9></a> unnamed protein product\n"));
    CHECK(contains(text, link("S12345", "protalign&blast_rank=2&RID=0\" >pir||S12345</a><a name=S12345></a> z\n")));
}

TEST_CASE("a title of which nothing is left names its sequence by the place in a database") {
    Example example;
    example.headers[0] = "MAG: ;";
    CHECK(example.add("6 sseqid sallseqid sacc saccver sallacc stitle")
              .starts_with("gnl|BL_ORD_ID|0\tgnl|BL_ORD_ID|0\tBL_ORD_ID:0\tBL_ORD_ID:0\tBL_ORD_ID:0\tMAG: ;\n"));
}

TEST_CASE("targets of databases with parsed identifiers go by their accessions") {
    Example example;
    example.names.each = {{.title = "d", .taxid = 9606, .has_parsed_ids = true}};
    example.headers = {"gi|7|sp|P12345.2|FOO_HUMAN desc one", "name"};
    const std::string table = example.add("6 sseqid saccver sacc sgi stitle staxids");
    CHECK(table.starts_with("gi|7|sp|P12345.2|FOO_HUMAN\tP12345.2\tP12345\t7\tdesc one\t9606\n"));
    CHECK(contains(table, "\nname\tname\tname\t0\tN/A\t9606\n"));
    CHECK(contains(example.add("0"), "\n>P12345.2 desc one\n"));
    CHECK(contains(example.add("0"), "\n>name unnamed protein product\n"));
    CHECK(contains(example.whole("5"), "<Hit_accession>P12345</Hit_accession>"));
    CHECK(first_search(example.whole("15"))["hits"][0]["description"][0]["taxid"] == 9606);
}

TEST_CASE("merged definition lines: one stands for all, and all are listed") {
    Example example;
    example.names.each = {{.title = "d", .taxid = 0, .has_parsed_ids = true, .has_taxids = true, .date = "Nov 1"}};
    example.headers = {
        "sp|P1|A one [taxid=9606]\x01ref|NP_1.1| [taxid=562]\x01gi|7|tpg|D3.1| MAG: three\x01loc four [taxid=562]",
        "prf||1234A"};
    const std::string table = example.add("6 sseqid saccver sacc sgi stitle staxid");
    CHECK(table.starts_with("gi|7|tpg|D3.1|\tD3.1\tD3\t7\tone\t9606\n"));
    CHECK(contains(table, "\nprf||1234A\t1234A\t1234A\t0\tN/A\tN/A\n"));
    CHECK(example.add("6 sallseqid sallacc sallgi staxids sscinames salltitles")
              .starts_with("sp|P1|A;ref|NP_1.1|;gi|7|tpg|D3.1|;loc\tP1;NP_1;D3;loc\t0;0;7;0\t0;562;9606\tN/A;N/A;N/A\t"
                           "one<>N/A<>MAG: three<>four\n"));
    const std::string text = example.whole("0");
    CHECK(contains(text, "\nD3.1 TPA: three "));
    CHECK(contains(text, "\n>P1 one\n NP_1.1 unnamed protein product\n D3.1 MAG: three\n loc four\nLength="));
    CHECK(contains(text, "\n>prf||1234A unnamed protein product\n"));
    CHECK(contains(text, "    Posted date:  Nov 1\n"));
    const std::string xml = example.whole("5");
    CHECK(contains(xml, "<Hit_id>sp|P1|A</Hit_id>"));
    CHECK(contains(xml, "<Hit_def>one &gt;ref|NP_1.1|  &gt;gi|7|tpg|D3.1| MAG: three &gt;lcl|loc four</Hit_def>"));
    CHECK(contains(xml, "<Hit_accession>D3</Hit_accession>"));
    const auto described = first_search(example.whole("15"))["hits"][0]["description"];
    REQUIRE(described.size() == 4);
    CHECK(described[0]["taxid"] == 9606);
    CHECK(described[2]["id"] == "gi|7|tpg|D3.1|");
    CHECK_FALSE(described[2].contains("taxid"));
    CHECK(described[3]["title"] == "four");
}

TEST_CASE("a sequence without identifiers among those that have some goes by its title") {
    Example example;
    example.names.each = {{.title = "d", .taxid = 0, .has_parsed_ids = true, .has_taxids = true}};
    example.headers = {"gnl|BL_ORD_ID|3 name title [taxid=5]", "gnl|mydb|7 x"};
    CHECK(example.add("6 sseqid saccver stitle staxid").starts_with("name\tname\tname title\t5\n"));
    const std::string xml = example.whole("5");
    CHECK(contains(xml, "<Hit_def>name title</Hit_def>"));
    CHECK(contains(xml, "<Hit_id>gnl|BL_ORD_ID|"));
    CHECK(contains(xml, "<Hit_accession>7</Hit_accession>"));
}
