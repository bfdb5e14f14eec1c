// Reports of `search blastp` on a worked example. What is expected is what blastp 2.12 prints for the same sequences with -lcase_masking
// -soft_masking true -comp_based_stats 0, but for the names of the program and the database.
#include "apps/search/blastp/blastp_report.h"

#include <doctest/doctest.h>

#include "apps/search/blastp/blastp_report_text.h"
#include "libcore/builtin_matrices.h"
#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

using enum AlignmentOperation;

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

/// A query of which the first three residues are masked, against a sequence with an insert and one with two HSPs.
struct Example {
    ScratchFolder folder;
    std::optional<DatabaseSet> databases;
    BlastpOptions options{CommonOptions(), kBlosum};
    AlignmentStatistics statistics = *AlignmentStatistics::find(kBlosum);
    BlastpQuery query;
    std::vector<BlastpHit> hits;
    std::vector<std::string> headers;

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
        options.common.database_files = {"d.wsdb"};
        options.line_length = 10;
        query.header = "q1 one  query\tcut";
        query.residues = encode_residues("MKTAYIAKQRQISFVKSHFSRQ");
        query.masked = {{0, 3}};
        query.ungapped = ungapped_parameters(query.residues, kBlosum.matrix);
        const auto hit = [&](std::uint64_t rank, const TestSequence& sequence, std::vector<Hsp> hsps) {
            BlastpHit made;
            made.rank = rank;
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
        hit(1, sequences[0], {hsp(84, 0, 1, 37, 3.52e-11, {{kMatch, 8}, {kDelete, 14}, {kMatch, 14}})});
        hit(0, sequences[1], {hsp(70, 8, 0, 14, 9.37e-9, {{kMatch, 14}}), hsp(67, 8, 60, 74, 2.64e-8, {{kMatch, 14}})});
    }

    std::string add(std::string_view outfmt, bool with_hits = true) const {
        const BlastpRun run{*databases, options, statistics};
        auto report = make_blastp_report(outfmt, options.common.output_file);
        REQUIRE_MESSAGE(report.ok(), report.status().message());
        std::string text;
        (*report)->begin(run, text);
        text.clear();
        const auto shown = with_hits ? std::span<const BlastpHit>(hits) : std::span<const BlastpHit>();
        const auto search_space = query.ungapped ? 2442u : 0u, adjustment = query.ungapped ? 0u : 0u;
        const Status status = (*report)->add(
            run, {query, 1, search_space, adjustment, shown, std::span(headers).first(shown.size())}, text);
        REQUIRE_MESSAGE(status.ok(), status.message());
        return text;
    }
};

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

TEST_CASE("pairwise text of a query") {
    const Example example;
    CHECK(example.add("0") == kPairwise);
}

TEST_CASE("beginning and end of pairwise text") {
    const Example example;
    const BlastpRun run{*example.databases, example.options, example.statistics};
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
    example.options.descriptions = 1;
    example.options.alignments = 1;
    std::string text = example.add("0");
    CHECK(contains(text, "\ns1;, a gap <in>"));
    CHECK_FALSE(contains(text, "\ns2 "));
    CHECK_FALSE(contains(text, ">s2"));
    example.options.descriptions = 0;
    text = example.add("0");
    CHECK_FALSE(contains(text, "Sequences producing"));
    CHECK(contains(text, "Length=22\n\n\n>s1;"));
    example.options.descriptions = 2;
    example.options.alignments = 0;
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

TEST_CASE("of a group without a query that can be searched with: statistics of -1, and no count of hits") {
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
    example.options.search_space = 1000;
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
    for (const char* format : {"", "1", "17", "66", "0 qseqid", "15 qseqid", "json", "6 frobs", "6 delim"}) {
        const auto report = make_blastp_report(format, {});
        REQUIRE_FALSE(report.ok());
        CHECK(report.status().exit_status() == 2);
    }
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
}

TEST_CASE("names and titles as given") {
    CHECK(query_title("q1 one  two ") == "q1 one  two");
    CHECK(query_title("q1\ttwo") == "q1");
    CHECK(query_title("q1 two\x01q2") == "q1 two");
    CHECK(target_title("a\tb\x01"
                       "c") == "a   b c");
}

TEST_CASE("lines are broken at blanks, else behind commas and hyphens") {
    CHECK(wrapped("", 10).empty());
    CHECK(wrapped("ten chars.", 10) == "ten chars.\n");
    CHECK(wrapped("one two  three", 7) == "one two\nthree\n");
    CHECK(wrapped("one two  three", 8) == "one two \nthree\n");  // of two places that are as good the last
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
