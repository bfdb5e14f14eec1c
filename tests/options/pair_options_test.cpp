// The command line of `search pair`, read back.
#include "options/pair/pair_options.h"

#include <doctest/doctest.h>

#include <vector>

#include "options/arguments.h"
#include "options/option_set.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

Result<PairOptions> options_of(std::vector<std::string> words) {
    words.insert(words.begin(), "pair");
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    OptionSet definition = make_pair_options();
    const auto parsed = definition.parse(static_cast<int>(arguments.size()), arguments.data());
    if (!parsed.ok()) return parsed.status();
    return read_pair_options(*parsed);
}

PairOptions good(std::vector<std::string> words) {
    words.insert(words.begin(), {"a.fa", "b.fa"});
    auto options = options_of(std::move(words));
    REQUIRE_MESSAGE(options.ok(), options.status().message());
    return *std::move(options);
}

int exit_status_of(std::vector<std::string> words) {
    words.insert(words.begin(), {"a.fa", "b.fa"});
    const auto options = options_of(std::move(words));
    return options.status().exit_status();
}

TEST_CASE("two files, global alignment of the plus strand, by default") {
    const PairOptions options = good({});
    CHECK(options.input.query_file == "a.fa");
    CHECK(options.input.target_file == "b.fa");
    CHECK(options.mode == PairMode::kGlobal);
    CHECK(options.strand == PairStrand::kPlus);
    CHECK_FALSE(options.input.alphabet);
    CHECK_FALSE(options.free_ends.query_begin);
    CHECK(options.memory_bytes == std::uint64_t{1} << 30);
    CHECK(options_of({}).status().exit_status() == 2);
    CHECK(options_of({"a.fa"}).status().exit_status() == 2);
    CHECK(options_of({"a.fa", "b.fa", "c.fa"}).status().exit_status() == 2);
    CHECK(options_of({"-", "-"}).status().exit_status() == 2);
}

TEST_CASE("modes and free ends") {
    CHECK(good({"--local"}).mode == PairMode::kLocal);
    const FreeEnds all = good({"--semiglobal"}).free_ends;
    CHECK((all.query_begin && all.query_end && all.target_begin && all.target_end));
    const FreeEnds some = good({"--semiglobal", "--free-ends", "target-end,query-begin"}).free_ends;
    CHECK((some.query_begin && !some.query_end && !some.target_begin && some.target_end));
    CHECK(exit_status_of({"--local", "--global"}) == 2);
    CHECK(exit_status_of({"--free-ends", "query-begin"}) == 2);
    CHECK(exit_status_of({"--semiglobal", "--free-ends", "left"}) == 2);
    CHECK(exit_status_of({"--semiglobal", "--free-ends", ""}) == 2);
}

TEST_CASE("options that exclude each other, and values without a meaning") {
    CHECK(exit_status_of({"--dna", "--protein"}) == 2);
    CHECK(exit_status_of({"--all-pairs", "--pairs", "x"}) == 2);
    CHECK(exit_status_of({"--matrix", "x", "--match", "1"}) == 2);
    CHECK(exit_status_of({"--strand", "up"}) == 2);
    CHECK(exit_status_of({"--memory", "0"}) == 2);
    CHECK(exit_status_of({"--score-only", "--dotplot", "x.svg"}) == 2);
    CHECK(exit_status_of({"--checkpoint", "x", "--all-pairs"}) == 2);
    CHECK(exit_status_of({"--checkpoint", "x", "--strand", "both"}) == 2);
    CHECK(exit_status_of({"--nonsense"}) == 2);
    // No alignment can have these costs and scores.
    CHECK(exit_status_of({"--gap-open", "-1"}) == 2);
    CHECK(exit_status_of({"--gap-extend", "1000001"}) == 2);
    CHECK(exit_status_of({"--match", "-3"}) == 2);
    CHECK(exit_status_of({"--match", "200"}) == 2);
    CHECK(exit_status_of({"--mismatch", "-128"}) == 2);
    CHECK(exit_status_of({"--match", "1", "--mismatch", "1"}) == 2);
}

TEST_CASE("a list of local alignments") {
    CHECK_FALSE(good({}).list);
    const PairOptions standard = good({"--all-local"});
    CHECK(standard.mode == PairMode::kLocal);
    REQUIRE(standard.list);
    CHECK(standard.list->max_alignments == 10);
    CHECK(standard.list->min_score_raw == 1);
    const PairOptions given = good({"--all-local", "--local", "--max-alignments", "3", "--min-score", "50"});
    REQUIRE(given.list);
    CHECK(given.list->max_alignments == 3);
    CHECK(given.list->min_score_raw == 50);
    CHECK(exit_status_of({"--all-local", "--global"}) == 2);
    CHECK(exit_status_of({"--all-local", "--semiglobal"}) == 2);
    CHECK(exit_status_of({"--all-local", "--score-only"}) == 2);
    CHECK(exit_status_of({"--all-local", "--checkpoint", "x"}) == 2);
    CHECK(exit_status_of({"--all-local", "--max-alignments", "0"}) == 2);
    CHECK(exit_status_of({"--all-local", "--min-score", "0"}) == 2);
    CHECK(exit_status_of({"--local", "--max-alignments", "3"}) == 2);
    CHECK(exit_status_of({"--local", "--min-score", "3"}) == 2);
}

TEST_CASE("a dot plot is SVG, by whatever name that does not say something else") {
    for (const char* name : {"x.svg", "x.SVG", "x", "-", "/dev/stdout", "folder.d/plot"}) {
        CHECK(check_dotplot_name(name).ok());
    }
    for (const char* name : {"x.png", "x.svg.png", "x.pdf", "x.svgz"}) {
        CHECK(check_dotplot_name(name).exit_status() == 2);
    }
    CHECK(check_dotplot_name("folder/x.png").message().find("name it folder/x.svg") != std::string::npos);
}

TEST_CASE("scores by alphabet") {
    const auto protein = pair_scoring_scheme(good({}), Alphabet::kProtein);
    REQUIRE(protein.ok());
    CHECK(protein->matrix.name() == "BLOSUM62");
    CHECK(protein->gaps.open == 11);
    CHECK(protein->gaps.extend == 1);
    CHECK(pair_scoring_scheme(good({"--matrix", "PAM30"}), Alphabet::kProtein)->gaps.open == 9);
    const auto bases = pair_scoring_scheme(good({"--gap-open", "0"}), Alphabet::kNucleotide);
    REQUIRE(bases.ok());
    CHECK(bases->matrix.name() == "2/-3");
    CHECK(bases->gaps.open == 0);
    CHECK(bases->gaps.extend == 2);
    CHECK(pair_scoring_scheme(good({"--match", "1"}), Alphabet::kNucleotide)->matrix.name() == "1/-3");

    CHECK(pair_scoring_scheme(good({"--match", "1"}), Alphabet::kProtein).status().exit_status() == 2);
    CHECK(pair_scoring_scheme(good({"--strand", "both"}), Alphabet::kProtein).status().exit_status() == 2);
    CHECK(pair_scoring_scheme(good({"--matrix", "BLOSUM62"}), Alphabet::kNucleotide).status().exit_status() == 2);
    CHECK(pair_scoring_scheme(good({"--matrix", "none"}), Alphabet::kNucleotide).status().exit_status() == 2);
    const ScratchFolder scratch;
    const auto file = scratch.write("MINE", "  A C G T\nA 7 0 0 0\nC 0 7 0 0\nG 0 0 7 0\nT 0 0 0 7\n");
    const auto mine = pair_scoring_scheme(good({"--matrix", file.string()}), Alphabet::kNucleotide);
    REQUIRE(mine.ok());
    CHECK(mine->matrix.score_raw(0, 0) == 7);
    CHECK(mine->gaps.open == 5);
}

}  // namespace
