// The command line of `search blastp`, read back.
#include "options/blastp/blastp_options.h"

#include <doctest/doctest.h>

#include <cmath>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "options/arguments.h"
#include "options/option_set.h"

using namespace warpseq;

namespace {

Result<BlastpOptions> options_of(std::vector<std::string> words, ColumnBlanks blanks = ColumnBlanks::kAny) {
    words.insert(words.begin(), {"blastp", "-q", "q.fa", "-d", "d.wsdb"});
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    OptionSet definition = make_blastp_options();
    const auto parsed = definition.parse(static_cast<int>(arguments.size()), arguments.data());
    if (!parsed.ok()) return parsed.status();
    return read_blastp_options(*parsed, blanks);
}

BlastpOptions good(std::vector<std::string> words) {
    auto options = options_of(std::move(words));
    REQUIRE_MESSAGE(options.ok(), options.status().message());
    return *std::move(options);
}

// Returns the message for a value that is refused, preceded by the exit status.
std::string refusal(std::vector<std::string> words) {
    const auto options = options_of(std::move(words));
    return std::to_string(options.status().exit_status()) + ": " + options.status().message();
}

}  // namespace

TEST_CASE("options that all engines have go by one name, and by blastp's") {
    const auto same = [](std::vector<std::string> one, std::vector<std::string> other, auto&& value) {
        CHECK(value(good(std::move(one)).settings) == value(good(std::move(other)).settings));
    };
    same({"--max-hits", "7"}, {"--max_target_seqs", "7"}, [](const auto& s) { return s.limits.max_targets; });
    same({"--gap-open", "9", "--gap-extend", "2"}, {"--gapopen", "9", "--gapextend", "2"},
         [](const auto& s) { return std::pair(s.scheme.gaps.open, s.scheme.gaps.extend); });
    same({"--comp-stats", "0"}, {"--comp_based_stats", "0"}, [](const auto& s) { return s.composition; });
    CHECK(good({"--max-hits", "7"}).settings.limits.max_targets == 7);
    CHECK(good({"--gapopen", "9", "--gapextend", "2"}).settings.scheme.gaps.open == 9);
    CHECK(good({"--comp_based_stats", "0"}).settings.composition == CompositionMode::kNone);
    CHECK(refusal({"--max-hits", "0"}).starts_with("2: --max-hits 0: expected"));
    CHECK(refusal({"--max_target_seqs", "0"}).starts_with("2: --max_target_seqs 0: expected"));
}

TEST_CASE("defaults are blastp's") {
    const BlastpOptions options = good({});
    CHECK(options.settings.scheme.matrix.name() == "BLOSUM62");
    CHECK(options.settings.scheme.gaps.open == 11);
    CHECK(options.settings.scheme.gaps.extend == 1);
    CHECK(options.settings.word_residues == 3);
    CHECK(options.settings.threshold == 11);
    CHECK(options.settings.window_residues == 40);
    CHECK(options.settings.x_drop_ungapped_bits == 7);
    CHECK(options.settings.x_drop_gapped_bits == 15);
    CHECK(options.settings.x_drop_final_bits == 25);
    CHECK(options.settings.evalue == 10);
    CHECK_FALSE(options.settings.seg);
    CHECK_FALSE(options.settings.soft_masking);
    CHECK_FALSE(options.settings.lower_case_masking);
    CHECK(options.settings.limits.max_targets == 500);
    CHECK(options.settings.limits.max_hsps == 0);
    CHECK(options.settings.limits.least_coverage_percent == 0);
    CHECK(options.settings.database_residues == 0);
    CHECK(options.settings.search_space == 0);
    CHECK(options.outfmt == "0");
    CHECK(options.layout.descriptions == 500);
    CHECK(options.layout.alignments == 250);
    CHECK(options.layout.line_length == 60);
    CHECK(options.warnings.empty());
}

TEST_CASE("tasks set the matrix, its gap costs, and words; options given go before") {
    const BlastpOptions shorts = good({"--task", "blastp-short"});
    CHECK(shorts.settings.scheme.matrix.name() == "PAM30");
    CHECK(shorts.settings.scheme.gaps.open == 9);
    CHECK(shorts.settings.word_residues == 2);
    CHECK(shorts.settings.threshold == 16);
    CHECK(shorts.settings.window_residues == 15);
    CHECK(shorts.settings.evalue == 10);
    const BlastpOptions fast = good({"--task", "blastp-fast"});
    CHECK(fast.settings.scheme.matrix.name() == "BLOSUM62");
    CHECK(fast.settings.word_residues == 6);
    CHECK(fast.settings.threshold == 21);
    CHECK(fast.settings.window_residues == 40);
    CHECK(good({"--task", "blastp-fast", "--matrix", "PAM30"}).settings.threshold == 21);
    CHECK(good({"--task", "blastp-short", "--matrix", "BLOSUM62"}).settings.threshold == 11);
    CHECK(good({"--task", "blastp-short", "--word_size", "3"}).settings.word_residues == 3);
    CHECK(good({"--word_size", "6"}).settings.threshold == 11);
    CHECK(refusal({"--task", "foo"}) == "2: --task foo: expected blastp, blastp-short or blastp-fast");
}

TEST_CASE("a matrix brings its gap costs, threshold and window") {
    struct Expected {
        const char* matrix;
        int open, extend;
        double threshold;
        std::uint32_t window;
    };
    for (const Expected& expected : {Expected{"BLOSUM45", 14, 2, 14, 60},
                                     {"BLOSUM50", 13, 2, 11, 40},
                                     {"BLOSUM62", 11, 1, 11, 40},
                                     {"BLOSUM80", 10, 1, 12, 25},
                                     {"BLOSUM90", 10, 1, 11, 40},
                                     {"PAM30", 9, 1, 16, 15},
                                     {"PAM70", 10, 1, 14, 20},
                                     {"PAM250", 14, 2, 11, 40}}) {
        CAPTURE(expected.matrix);
        const BlastpOptions options = good({"--matrix", expected.matrix});
        CHECK(options.settings.scheme.gaps.open == expected.open);
        CHECK(options.settings.scheme.gaps.extend == expected.extend);
        CHECK(options.settings.threshold == expected.threshold);
        CHECK(options.settings.window_residues == expected.window);
    }
    CHECK(good({"--matrix", "blosum80"}).settings.scheme.matrix.name() == "BLOSUM80");
    const BlastpOptions given =
        good({"--matrix", "PAM30", "--gapopen", "7", "--gapextend", "2", "--threshold", "12.5", "--window_size", "0"});
    CHECK(given.settings.scheme.gaps.open == 7);
    CHECK(given.settings.scheme.gaps.extend == 2);
    CHECK(given.settings.threshold == 12.5);
    CHECK(given.settings.window_residues == 0);
    CHECK(good({"--gapopen", "9"}).settings.scheme.gaps.extend == 1);
    CHECK(good({"--gapextend", "2"}).settings.scheme.gaps.open == 11);
    CHECK(refusal({"--matrix", "FOO"}) ==
          "2: --matrix FOO: unknown; the matrices are: BLOSUM45 BLOSUM50 BLOSUM62 BLOSUM80 BLOSUM90 PAM30 PAM70 PAM250 "
          "IDENTITY");
}

TEST_CASE("gap costs without statistics are invalid input, and the message lists those that have them") {
    CHECK(refusal({"--gapopen", "3", "--gapextend", "3"}) ==
          "2: gap existence and extension values of 3 and 3 not supported for BLOSUM62; supported values are: 11/2, "
          "10/2, 9/2, 8/2, 7/2, 6/2, "
          "13/1, 12/1, 11/1, 10/1, 9/1");
    CHECK(refusal({"--matrix", "PAM30", "--gapopen", "7"})
              .starts_with("2: gap existence and extension values of 7 and 1 not supported for PAM30;"));
    CHECK(refusal({"--gapopen", "-1"}).starts_with("2: --gapopen -1: expected a whole number from 0"));
    CHECK(refusal({"--gapextend", "x"}).starts_with("2: --gapextend x: expected a whole number from 0"));
}

TEST_CASE("words, windows and X-drops: values out of range are named") {
    CHECK(refusal({"--word_size", "1"}) == "2: --word_size 1: expected a whole number from 2 to 7");
    CHECK(refusal({"--word_size", "8"}) == "2: --word_size 8: expected a whole number from 2 to 7");
    CHECK(refusal({"--word_size", "3.5"}) == "2: --word_size 3.5: expected a whole number from 2 to 7");
    CHECK(refusal({"--threshold", "0"}) == "2: --threshold 0: expected a number above 0");
    CHECK(refusal({"--threshold", "-1"}).starts_with("2: --threshold -1: expected a number from 0"));
    CHECK(refusal({"--window_size", "-1"}).starts_with("2: --window_size -1: expected a whole number from 0"));
    CHECK(refusal({"--xdrop_ungap", "0"}) == "2: --xdrop_ungap 0: expected a number above 0");
    CHECK(refusal({"--xdrop_gap", "-3"}).starts_with("2: --xdrop_gap -3: expected a number from 0"));
    CHECK(refusal({"--xdrop_gap_final", ""}).starts_with("2: --xdrop_gap_final "));
    const BlastpOptions options = good({"--xdrop_ungap", "6.5", "--xdrop_gap", "0", "--xdrop_gap_final", "30"});
    CHECK(options.settings.x_drop_ungapped_bits == 6.5);
    CHECK(options.settings.x_drop_gapped_bits == 0);
    CHECK(options.settings.x_drop_final_bits == 30);
}

TEST_CASE("unknown columns give a warning; the format is a number") {
    const BlastpOptions options = good({"--outfmt", " +06 score,qlen slen frobs"});
    CHECK(options.outfmt == "6 score,qlen slen frobs");
    REQUIRE(options.warnings.size() == 1);
    CHECK(options.warnings[0].find(": score,qlen frobs (") != std::string::npos);
    CHECK(good({"--outfmt", "7 std qlen"}).warnings.empty());
    CHECK(good({"--outfmt", "0"}).warnings.empty());
    CHECK(good({"--outfmt", "6 delim= score"}).outfmt == "6 delim= score");
    CHECK(refusal({"--outfmt", "6 delim"}).starts_with("2: --outfmt: Delimiter format is invalid. "));
    // Any blanks stand between the names.
    CHECK(good({"--outfmt", "6 \tqseqid\tsseqid  score "}).outfmt == "6 qseqid sseqid score");
    CHECK(good({"--outfmt", "6  delim=@  score"}).outfmt == "6 delim=@ score");
    CHECK(good({"--outfmt", "6 delim=\t score\tqlen"}).outfmt == "6 delim=\t score qlen");
    CHECK(good({"--outfmt", "6\tdelim=\t"}).outfmt == "6 delim=\t");
    CHECK(good({"--outfmt", "6  delim=@ \tscore"}).warnings.empty());
    // For blastp the names have a single blank between them, and so has the separator.
    const auto read = options_of({"--outfmt", "6  delim=@ qseqid\tscore"}, ColumnBlanks::kAsBlastp);
    REQUIRE(read.ok());
    REQUIRE(read->warnings.size() == 1);
    CHECK(read->warnings[0].find(": delim=@ qseqid\tscore (") != std::string::npos);
}

TEST_CASE("E-values and search spaces") {
    CHECK(good({"--evalue", "1e-3"}).settings.evalue == 1e-3);
    CHECK(good({"--dbsize", "1000000", "--searchsp", "5"}).settings.database_residues == 1'000'000);
    CHECK(good({"--searchsp", "5"}).settings.search_space == 5);
    CHECK(good({"--dbsize", "0"}).settings.database_residues == 0);
    CHECK(refusal({"--evalue", "0"}) == "2: --evalue 0: expected a number above 0");
    CHECK(refusal({"--evalue", "1e-400"}) == "2: --evalue 0: expected a number above 0");
    for (const char* value : {"-1", "x", "nan", "", " 5", "1e"}) {
        CHECK(refusal({"--evalue", value}) == "2: --evalue " + std::string(value) + ": expected a number from 0 up");
    }
    // These are read as blastp reads them.
    CHECK(good({"--evalue", "+5"}).settings.evalue == 5);
    CHECK(good({"--evalue", "0x10"}).settings.evalue == 16);
    CHECK(std::isinf(good({"--evalue", "1e400"}).settings.evalue));
    CHECK(good({"--gapopen", "+011", "--gapextend", "0x1"}).settings.scheme.gaps.open == 11);
    CHECK(good({"--dbsize", "9223372036854775807"}).settings.database_residues == 9'223'372'036'854'775'807);
    CHECK(good({"--searchsp", "9223372036854775807"}).settings.search_space == 9'223'372'036'854'775'807);
    CHECK(refusal({"--dbsize", "9223372036854775808"}).starts_with("2: --dbsize 9223372036854775808: expected"));
    CHECK(refusal({"--dbsize", "1e6"}).starts_with("2: --dbsize 1e6: expected a whole number"));
    CHECK(good({"--searchsp", "0"}).settings.search_space == 0);
    CHECK(refusal({"--searchsp", "-1"}).starts_with("2: --searchsp -1: expected a whole number from 0"));
}

TEST_CASE("searches without gaps, Smith-Waterman, and options that leave hits out") {
    const auto none = good({}).settings;
    CHECK_FALSE(none.ungapped);
    CHECK_FALSE(none.smith_waterman);
    CHECK_FALSE(none.limits.best_of_target);
    CHECK_FALSE(none.limits.best_hits);
    CHECK(none.limits.culling == 0);
    CHECK(good({"--ungapped", "--comp_based_stats", "0"}).settings.ungapped);
    CHECK(good({"--ungapped", "--comp_based_stats", "0", "--gapopen", "3"}).settings.ungapped);
    CHECK(refusal({"--ungapped"}).starts_with("2: --ungapped: composition-based statistics"));
    CHECK(refusal({"--ungapped", "--comp_based_stats", "0", "--use_sw_tback"}) ==
          "2: --ungapped and --use_sw_tback exclude each other");
    CHECK(good({"--use_sw_tback"}).settings.smith_waterman);
    CHECK(good({"--subject_besthit"}).settings.limits.best_of_target);
    CHECK(good({"--culling_limit", "3"}).settings.limits.culling == 3);
    CHECK(refusal({"--culling_limit", "-1"}).starts_with("2: --culling_limit -1: expected a whole number from 0"));
    const auto best = good({"--best_hit_overhang", "0.25"}).settings.limits.best_hits;
    REQUIRE(best);
    CHECK(best->overhang == 0.25);
    CHECK(best->score_edge == 0.1);
    CHECK(good({"--best_hit_score_edge", "0.4"}).settings.limits.best_hits->score_edge == 0.4);
    for (const char* name : {"--best_hit_overhang", "--best_hit_score_edge"}) {
        for (const char* value : {"0", "0.5", "0.6", "x"})
            CHECK(refusal({name, value}).starts_with("2: " + std::string(name)));
        CHECK(refusal({name, "0.1", "--culling_limit", "2"}).ends_with(" and --culling_limit exclude each other"));
    }
}

TEST_CASE("lists of sequences") {
    CHECK_FALSE(good({}).common.targets.sequences);
    const auto only = good({"--seqidlist", "names"}).common.targets.sequences;
    REQUIRE(only);
    CHECK(only->file == "names");
    CHECK_FALSE(only->are_left_out);
    CHECK(good({"--negative_seqidlist", "names"}).common.targets.sequences->are_left_out);
    CHECK(good({"--negative-seqidlist", "names"}).common.targets.sequences->are_left_out);
    CHECK(refusal({"--negative_seqidlist", "a", "--seqidlist", "b"}) ==
          "2: --seqidlist and --negative_seqidlist exclude each other");
}

TEST_CASE("masking") {
    const auto seg = good({"--seg", "yes"}).settings.seg;
    REQUIRE(seg);
    CHECK(seg->window_residues == 12);
    CHECK(seg->low_bits == 2.2);
    CHECK(seg->high_bits == 2.5);
    const auto own = good({"--seg", "10 1.8 2.1"}).settings.seg;
    REQUIRE(own);
    CHECK(own->window_residues == 10);
    CHECK(own->low_bits == 1.8);
    CHECK(own->high_bits == 2.1);
    for (const char* value : {"maybe", "12", "12 2.2", "12 2.2 2.5 3", "0 2.2 2.5", ""}) {
        CHECK(refusal({"--seg", value})
                  .starts_with("2: --seg '" + std::string(value) + "': expected yes, no, or three numbers"));
    }
    for (const char* yes : {"true", "T", "yes", "1"}) CHECK(good({"--soft_masking", yes}).settings.soft_masking);
    for (const char* no : {"false", "F", "no", "0"}) CHECK_FALSE(good({"--soft_masking", no}).settings.soft_masking);
    CHECK(refusal({"--soft_masking", "maybe"}) == "2: --soft_masking maybe: expected true or false");
    CHECK(good({"--lcase_masking"}).settings.lower_case_masking);
}

TEST_CASE("limits of reports") {
    const BlastpOptions options = good({"--max_target_seqs", "7", "--max_hsps", "2", "--qcov_hsp_perc", "33.5"});
    CHECK(options.settings.limits.max_targets == 7);
    CHECK(options.settings.limits.max_hsps == 2);
    CHECK(options.settings.limits.least_coverage_percent == 33.5);
    CHECK(refusal({"--max_target_seqs", "0"}).starts_with("2: --max_target_seqs 0: expected a whole number from 1"));
    CHECK(refusal({"--max_hsps", "0"}).starts_with("2: --max_hsps 0: expected a whole number from 1"));
    CHECK(refusal({"--qcov_hsp_perc", "101"}) == "2: --qcov_hsp_perc 101: expected a number from 0 to 100");
    CHECK(refusal({"--num_descriptions", "5", "--max_target_seqs", "5"}) ==
          "2: --num_descriptions and --max_target_seqs exclude each other");
    CHECK(refusal({"--num_alignments", "5", "--max_target_seqs", "5"}) ==
          "2: --num_alignments and --max_target_seqs exclude each other");
    CHECK(refusal({"--line_length", "0"}).starts_with("2: --line_length 0: expected a whole number from 1"));
    const auto few = good({"--max_target_seqs", "4"}).warnings;
    CHECK(
        std::ranges::any_of(few, [](const std::string& text) { return text.find("5 or more") != std::string::npos; }));
    CHECK(good({"--max_target_seqs", "5"}).warnings.empty());
}

TEST_CASE("threads by either name, composition-based statistics, and unknown options") {
    CHECK(good({"--num_threads", "3"}).common.threads == 3);
    CHECK(good({"--threads", "3"}).common.threads == 3);
    CHECK(refusal({"--num_threads", "0"}).starts_with("2: --num_threads 0: expected a whole number from 1"));
    CHECK(refusal({"--num_threads", "1025"}) == "2: --num_threads 1025: expected a whole number from 1 to 1024");
    CHECK(refusal({"--threads", "1025"}) == "2: --threads 1025: expected a whole number from 1 to 1024");
    CHECK(refusal({"--num_threads", "2", "--threads", "2"}) ==
          "2: --threads and --num_threads mean the same; give one of them");
    for (const char* none : {"0", "F", "f"})
        CHECK(good({"--comp_based_stats", none}).settings.composition == CompositionMode::kNone);
    for (const char* two : {"2", "T", "t", "D", "d"})
        CHECK(good({"--comp_based_stats", two}).settings.composition == CompositionMode::kConditional);
    CHECK(good({}).settings.composition == CompositionMode::kConditional);
    CHECK(good({"--comp_based_stats", "1"}).settings.composition == CompositionMode::kScaled);
    CHECK(good({"--comp_based_stats", "3"}).settings.composition == CompositionMode::kOptimized);
    for (const char* unknown : {"4", "x", "", "2u"}) {
        CHECK(refusal({"--comp_based_stats", unknown}) ==
              "2: --comp_based_stats " + std::string(unknown) + ": expected 0, 1, 2 or 3");
    }
    CHECK_FALSE(good({}).settings.has_lost_composition);
    CHECK_FALSE(good({"--matrix", "IDENTITY", "--comp_based_stats", "0"}).settings.has_lost_composition);
    const BlastpOptions identity = good({"--matrix", "identity"});
    CHECK(identity.settings.has_lost_composition);
    CHECK(identity.settings.composition == CompositionMode::kNone);
    CHECK(identity.warnings == std::vector<std::string>{"composition-based statistics cannot be used with the matrix "
                                                        "IDENTITY; --comp-stats is taken as 0"});
    CHECK(good({"--matrix", "IDENTITY", "--comp_based_stats", "0"}).warnings.empty());
    CHECK(refusal({"--matrix", "IDENTITY", "--word_size", "6"}) ==
          "2: word sizes above 5 are not supported for the matrix IDENTITY");
    CHECK(refusal({"--nonsense"}).starts_with("2: "));
}
