// Reports of `search pair` on worked examples. The blocks of format 0 are what EMBOSS 6.6's needle
// and water print.
#include "reports/pair/pair_report.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libcore/scoring/builtin_matrices.h"
#include "libcore/scoring/nucleotide_matrix.h"
#include "reports/alignment_text.h"
#include "tests/support/pair_samples.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

const ScoringScheme kBases52{match_mismatch_matrix(2, -3), {5, 2}};
const ScoringScheme kBlosum{*builtin_matrix("BLOSUM62"), {11, 1}};

constexpr std::string_view kFirst = "ACGTACGTNNRYACGTACGGGTTTACACACGATCGACTACGATCGACTAGCATCGAT";
constexpr std::string_view kSecond = "TTTTACGTACGTNNRYACGTACGGGTACACGATCGACTACGATCGACTAGCATCGATAAA";

PairRun run_of(const PairInput& input, PairMode mode, const ScoringScheme& scheme = kBases52) {
    return {input, mode, false, scheme, mode == PairMode::kLocal ? AlignmentStatistics::find(scheme) : std::nullopt};
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE("blocks: a global alignment as needle prints it") {
    const PairInput input = one_pair(Alphabet::kNucleotide, kFirst, kSecond);
    const PairResult result = result_of(input, false, 0, 0, "4D22M4I31M3D", 0);
    const std::string expected = R"(########################################
# Program: warpseq search pair VERSION
# Mode: global
# Align_format: srspair
########################################

#=======================================
#
# Aligned_sequences: 2
# 1: query
# 2: target
# Matrix: 2/-3
# Gap_penalty: 7.0
# Extend_penalty: 2.0
#
# Length: 64
# Identity:      53/64 (82.8%)
# Similarity:    49/64 (76.6%)
# Gaps:          11/64 (17.2%)
# Score: 0.0
# 
#
#=======================================

query              1 ----ACGTACGTNNRYACGTACGGGTTTACACACGATCGACTACGATCGA     46
                         ||||||||    ||||||||||    ||||||||||||||||||||
target             1 TTTTACGTACGTNNRYACGTACGGGT----ACACGATCGACTACGATCGA     46

query             47 CTAGCATCGAT---     57
                     |||||||||||   
target            47 CTAGCATCGATAAA     60


#---------------------------------------
#---------------------------------------
)";
    CHECK(report_of(run_of(input, PairMode::kGlobal), "0", {result}) == expected);
    // A semi-global alignment without the overhangs gives the same.
    const PairResult inner = result_of(input, false, 0, 4, "22M4I31M", 0);
    std::string semi_global = report_of(run_of(input, PairMode::kSemiGlobal), "0", {inner});
    const std::string mode = "# Mode: semi-global\n";
    REQUIRE(contains(semi_global, mode));
    semi_global.replace(semi_global.find(mode), mode.size(), "# Mode: global\n");
    CHECK(semi_global == expected);
}

TEST_CASE("blocks: rows without residues of a sequence, and overhangs on both sides of different sequences") {
    const std::string core = "ACGGTCATTAGCGACTTACG";
    const PairInput input = one_pair(Alphabet::kNucleotide, core + std::string(40, 'A'), std::string(60, 'C') + core);
    const std::string report =
        report_of(run_of(input, PairMode::kSemiGlobal), "0", {result_of(input, false, 0, 60, "20M", 40)});
    CHECK(contains(report,
                   "# Length: 120\n# Identity:      20/120 (16.7%)\n# Similarity:    20/120 (16.7%)\n# Gaps:         "
                   "100/120 (83.3%)\n"));
    CHECK(contains(report, "\nquery              0 " + std::string(50, '-') + "      0\n" + std::string(71, ' ') +
                               "\ntarget             1 " + std::string(50, 'C') + "     50\n"));
    CHECK(contains(report, "\nquery             41 " + std::string(20, 'A') + "     60\n" + std::string(41, ' ') +
                               "\ntarget            80 " + std::string(20, '-') + "     80\n"));
}

TEST_CASE("blocks: on the minus strand positions of the query run downwards, as with water -sreverse1") {
    const PairInput input = one_pair(Alphabet::kNucleotide, "AAAACCGT", "GACGGCT");  // ACGGTTTT
    const std::string report = report_of(run_of(input, PairMode::kLocal), "0", {result_of(input, true, 0, 1, "4M", 8)});
    CHECK(contains(report, "# Strand: minus\n"));
    CHECK(contains(
        report, "\nquery              8 ACGG      5\n                     ||||\ntarget             2 ACGG      5\n"));
    // A gap before the first residue stands one position above it.
    const std::string gap = report_of(run_of(input, PairMode::kGlobal), "0", {result_of(input, true, 0, 0, "7D8I", 0)});
    CHECK(contains(gap, "\nquery              8 -------ACGGTTTT      1\n"));
}

TEST_CASE("blocks: marks are EMBOSS': | equal, : above 0, . below, and less behind a letter for several residues") {
    const PairInput bases = one_pair(Alphabet::kNucleotide, "ACGTANNRR", "ACTTRANRA");
    const ScoringScheme fives{match_mismatch_matrix(6, -4), {5, 2}};  // A and R: 1
    const std::string report =
        report_of(run_of(bases, PairMode::kGlobal, fives), "0", {result_of(bases, false, 0, 0, "9M", 0)});
    CHECK(contains(report, "\n                     ||.|:  ..\n"));
    const PairInput proteins = one_pair(Alphabet::kProtein, "ARNDXXC*", "AKWDXACX");
    const std::string other =
        report_of(run_of(proteins, PairMode::kGlobal, kBlosum), "0", {result_of(proteins, false, 0, 0, "8M", 0)});
    CHECK(contains(other, "\n                     |:.|  |.\n"));
    CHECK(contains(other, "# Identity:       4/8 (50.0%)\n# Similarity:     4/8 (50.0%)\n"));
}

TEST_CASE("blocks: scores alone, and no alignment") {
    const PairInput input = one_pair(Alphabet::kNucleotide, "AAAA", "CCCC");
    PairRun run = run_of(input, PairMode::kLocal);
    const std::string none = report_of(run, "0", {PairResult{}});
    CHECK(contains(none, "# Length: 0\n"));
    CHECK(contains(none, "# No residues score above 0: there is no alignment.\n"));
    run.score_only = true;
    PairResult result;
    result.alignment.score_raw = 12;
    const std::string score = report_of(run, "0", {result});
    CHECK(contains(score, "# Extend_penalty: 2.0\n#\n# Score: 12.0\n"));
    CHECK_FALSE(contains(score, "Length"));
}

TEST_CASE("tables: the query forward, positions from 1, the target turned on the minus strand") {
    /// The query's reverse complement is CACGGTTTT.
    const PairInput input = one_pair(Alphabet::kNucleotide, "AAAACCGTG", "GACGACTTTTG");
    const PairResult result = result_of(input, true, 1, 1, "3M1D1M1I3M", 9);  // ACG-GTTTT and ACGAC-TTT
    const std::string fields =
        " qseqid sseqid score qstart qend sstart send sstrand qlen slen length nident mismatch gapopen gaps cigar qseq "
        "sseq btop";
    const std::string row =
        "query\ttarget\t9\t1\t8\t9\t2\tminus\t9\t11\t9\t6\t1\t2\t2\t3=1I1X1D3=\tAAAAC-CGT\tAAA-GTCGT\t3A-CG-T3\n";
    CHECK(report_of(run_of(input, PairMode::kLocal), "6" + fields, {result}) == row);
    std::string commas = row;
    std::replace(commas.begin(), commas.end(), '\t', ',');
    CHECK(report_of(run_of(input, PairMode::kLocal), "10" + fields, {result}) == commas);
    CHECK(report_of(run_of(input, PairMode::kLocal), "10 sstrand score", {result}, true) == "sstrand,score\nminus,9\n");
    CHECK(report_of(run_of(input, PairMode::kLocal), "6 sstrand score", {PairResult{}}, true) == "sstrand\tscore\n");
    CHECK(report_of(run_of(input, PairMode::kLocal), "7 qseqid sstrand evalue bitscore", {result, PairResult{}}) ==
          "# warpseq search pair VERSION\n# Query: query the first\n# Subject: target the second\n"
          "# Fields: query id, subject strand, evalue, bit score\n# 1 hits found\nquery\tminus\tN/A\tN/A\n"
          "# warpseq search pair VERSION\n# Query: query the first\n# Subject: target the second\n# 0 hits found\n"
          "# warpseq processed 2 pairs\n");
    const PairResult plus = result_of(input, false, 0, 5, "4M", 1);
    CHECK(report_of(run_of(input, PairMode::kLocal), "6", {plus}) ==
          "query\ttarget\t0.000\t4\t4\t0\t1\t4\t6\t9\tplus\t1\n");
}

TEST_CASE("tables: E-values where they are known, of local alignments") {
    const PairInput input = one_pair(Alphabet::kProtein, "MKVLAWWWQE", "MKVLAWWWQE");
    const PairResult result = result_of(input, false, 0, 0, "10M", 72);
    const auto statistics = *AlignmentStatistics::find(kBlosum);
    std::string expected = format_evalue(statistics.evalue(72, 10, 10, 10), false);
    expected += "\t" + format_bits(statistics.bits(72)) + "\tN/A\n";
    CHECK(report_of(run_of(input, PairMode::kLocal, kBlosum), "6 evalue bitscore sstrand", {result}) == expected);
    CHECK(report_of(run_of(input, PairMode::kGlobal, kBlosum), "6 evalue bitscore sstrand", {result}) ==
          "N/A\tN/A\tN/A\n");
}

TEST_CASE("PAF and SAM") {
    const PairInput input = one_pair(Alphabet::kNucleotide, "AAAACCGTG", "GACGACTTTTG");
    const PairResult minus = result_of(input, true, 1, 1, "3M1D1M1I3M", 9);
    const PairResult plus = result_of(input, false, 0, 5, "4M", 1);
    const PairRun run = run_of(input, PairMode::kLocal);
    CHECK(report_of(run, "paf", {minus, plus, PairResult{}}) ==
          "query\t9\t0\t8\t-\ttarget\t11\t1\t9\t6\t9\t255\tNM:i:3\tAS:i:9\tcg:Z:3=1D1X1I3=\n"
          "query\t9\t0\t4\t+\ttarget\t11\t5\t9\t0\t4\t255\tNM:i:4\tAS:i:1\tcg:Z:4X\n");
    CHECK(report_of(run, "sam", {minus, plus, PairResult{}}) ==
          "@HD\tVN:1.6\tSO:unsorted\n@SQ\tSN:target\tLN:11\n@PG\tID:warpseq\tPN:search pair\tVN:VERSION\n"
          "query\t16\ttarget\t2\t255\t1S3=1D1X1I3=\t*\t0\t0\tCACGGTTTT\t*\tNM:i:3\tAS:i:9\n"
          "query\t0\ttarget\t6\t255\t4X5S\t*\t0\t0\tAAAACCGTG\t*\tNM:i:4\tAS:i:1\n");
    const PairInput stop = one_pair(Alphabet::kProtein, "MK*", "MKW");
    CHECK(contains(report_of(run_of(stop, PairMode::kGlobal, kBlosum), "sam", {result_of(stop, false, 0, 0, "3M", 6)}),
                   "\t2=1X\t*\t0\t0\t*\t*\t"));
}

TEST_CASE("SAM: targets of one name are one, or refused; PAF and SAM have no empty column") {
    PairInput input = one_pair(Alphabet::kNucleotide, "ACGT", "ACGT");
    input.queries[0].header = "";
    input.targets.push_back({"target again", input.targets[0].residues});
    input.listed.emplace_back(0, 1);
    const PairRun run = run_of(input, PairMode::kGlobal);
    const PairResult result = result_of(input, false, 0, 0, "4M", 8);
    const std::string sam = report_of(run, "sam", {result});
    CHECK(contains(sam, "\n@SQ\tSN:target\tLN:4\n@PG"));
    CHECK(contains(sam, "\n*\t0\ttarget\t1\t"));
    CHECK(report_of(run, "paf", {result}).find("*\t4\t0\t4\t+\ttarget\t4\t") == 0);

    const auto refusal = [&] {
        const ScratchFolder folder;
        auto text = ReportText::open(folder.path("out"));
        REQUIRE(text.ok());
        return (*make_pair_report("sam", false))->begin(run, *text);
    };
    CHECK(refusal().ok());
    input.targets[1].residues[0] ^= 1;
    CHECK(refusal().code() == StatusCode::kInvalidInput);
    CHECK(contains(refusal().message(), "two different targets are called target"));
    input.targets[1].header = "";
    CHECK(contains(refusal().message(), "target 2 has no name"));
}

TEST_CASE("JSON") {
    const PairInput input = one_pair(Alphabet::kNucleotide, "AAAACCGTG", "GACGACTTTTG");
    const PairResult minus = result_of(input, true, 1, 1, "3M1D1M1I3M", 9);
    const auto json = nlohmann::json::parse(report_of(run_of(input, PairMode::kLocal), "json", {minus, PairResult{}}));
    CHECK(json["parameters"]["mode"] == "local");
    CHECK(json["parameters"]["gap_open"] == 5);
    REQUIRE(json["pairs"].size() == 2);
    const auto& pair = json["pairs"][0];
    CHECK(pair["query"]["id"] == "query");
    CHECK(pair["query"]["description"] == "the first");
    CHECK(pair["strand"] == "minus");
    CHECK(pair["score"] == 9);
    CHECK(pair["alignment"]["query_from"] == 1);
    CHECK(pair["alignment"]["query_to"] == 8);
    CHECK(pair["alignment"]["target_from"] == 2);
    CHECK(pair["alignment"]["target_to"] == 9);
    CHECK(pair["alignment"]["cigar"] == "3=1D1X1I3=");
    CHECK(json["pairs"][1]["alignment"].is_null());
}

TEST_CASE("several alignments of a pair") {
    PairInput input = one_pair(Alphabet::kNucleotide, "AAAACCGTG", "GACGACTTTTG");
    input.targets.push_back({"other", pair_residues(Alphabet::kNucleotide, "ACGT")});
    input.listed.emplace_back(0, 1);
    PairRun run = run_of(input, PairMode::kLocal);
    run.lists = true;
    PairResult first = result_of(input, false, 0, 5, "4M", 11);
    PairResult second = result_of(input, true, 1, 1, "3M1D1M1I3M", 9);
    PairResult none;
    none.target = 1;
    first.of = second.of = second.number = 2;
    const std::vector<PairResult> results{first, second, none};

    CHECK(report_of(run, "7 score sstrand", results) ==
          "# warpseq search pair VERSION\n# Query: query the first\n# Subject: target the second\n"
          "# Fields: score, subject strand\n# 2 hits found\n11\tplus\n9\tminus\n"
          "# warpseq search pair VERSION\n# Query: query the first\n# Subject: other\n# 0 hits found\n"
          "# warpseq processed 2 pairs\n");
    CHECK(report_of(run, "6 score sstrand", results) == "11\tplus\n9\tminus\n");
    CHECK(contains(report_of(run, "sam", results), "\nquery\t0\ttarget\t6\t255\t4X5S\t"));
    CHECK(contains(report_of(run, "sam", results), "\nquery\t2064\ttarget\t2\t255\t1S3=1D1X1I3=\t"));
    const std::string blocks = report_of(run, "0", results);
    const std::size_t at_first = blocks.find("# Score: 11.0\n"), at_second = blocks.find("# Score: 9.0\n");
    CHECK(at_first != std::string::npos);
    CHECK(at_first < at_second);
    CHECK(contains(blocks, "# No alignment scores enough to be listed.\n"));

    const auto json = nlohmann::json::parse(report_of(run, "json", results));
    REQUIRE(json["pairs"].size() == 2);
    CHECK(json["pairs"][0]["target"]["id"] == "target");
    const auto& alignments = json["pairs"][0]["alignments"];
    REQUIRE(alignments.size() == 2);
    CHECK(alignments[0]["score"] == 11);
    CHECK(alignments[0]["strand"] == "plus");
    CHECK(alignments[1]["score"] == 9);
    CHECK(alignments[1]["strand"] == "minus");
    CHECK(alignments[1]["query_to"] == 8);
    CHECK(alignments[1]["cigar"] == "3=1D1X1I3=");
    CHECK(json["pairs"][1]["target"]["id"] == "other");
    CHECK(json["pairs"][1]["alignments"].empty());
    CHECK_FALSE(json["pairs"][1].contains("alignment"));
}

TEST_CASE("formats that need alignments are refused if there are only scores") {
    for (const char* outfmt : {"6 qseqid qstart", "6 cigar", "7 std", "paf", "sam"}) {
        const auto writer = make_pair_report(outfmt, true);
        REQUIRE_FALSE(writer.ok());
        CHECK(writer.status().exit_status() == 2);
        CHECK(make_pair_report(outfmt, false).ok());
    }
    for (const char* outfmt : {"0", "6", "7", "10 score", "json"}) CHECK(make_pair_report(outfmt, true).ok());
    for (const char* outfmt : {"", "5", "paf cigar", "6 nonsense"}) CHECK_FALSE(make_pair_report(outfmt, false).ok());
}

}  // namespace
