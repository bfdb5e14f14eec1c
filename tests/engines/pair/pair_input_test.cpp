// The input of `search pair`: alphabets, single and many records, lists of pairs, and refused
// input.
#include "engines/pair/pair_input.h"

#include <doctest/doctest.h>

#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

struct Files {
    ScratchFolder scratch;
    PairInputSettings settings;

    Files(std::string_view query, std::string_view target) {
        settings.query_file = scratch.write("a.fa", query);
        settings.target_file = scratch.write("b.fa", target);
    }
    PairInput read() const {
        auto input = read_pair_input(settings);
        REQUIRE_MESSAGE(input.ok(), input.status().message());
        return *std::move(input);
    }
    std::string refused() const {
        const auto input = read_pair_input(settings);
        REQUIRE_FALSE(input.ok());
        CHECK(input.status().exit_status() == 1);
        return input.status().message();
    }
};

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE("the alphabet is guessed from the letters") {
    CHECK(Files(">a\nACGTACGTNNacgu\n", ">b\nTTTT\n").read().alphabet == Alphabet::kNucleotide);
    CHECK(Files(">a\nACGTACGTAR\n", ">b\nTTTT\n").read().alphabet == Alphabet::kNucleotide);  // nine tenths
    CHECK(Files(">a\nACGTACGTRR\n", ">b\nTTRR\n").read().alphabet == Alphabet::kProtein);
    CHECK(Files(">a\nMKVLA\n", ">b\nMKV\n").read().alphabet == Alphabet::kProtein);
    CHECK(Files(">a\nACGTACGTACGTX\n", ">b\nACGX\n").read().alphabet == Alphabet::kProtein);  // X is no base
    const Files said(">a\nACGT\n", ">b\nACG\n");
    CHECK(contains(said.read().notes.back().text, "nucleotides"));
    CHECK(said.read().notes.back().advice == Advice::kProteins);
}

TEST_CASE("sequences in memory follow the rules of files") {
    const std::pair<std::string, std::string> names{"first", "second"};
    const auto made = [&](std::string_view query, std::string_view target, std::optional<Alphabet> alphabet = {}) {
        return make_pair_input({"a", encode_residues(query)}, {"b", encode_residues(target)}, alphabet, names);
    };
    const auto bases = made("ACGTACGTUNR", "TT");
    REQUIRE(bases.ok());
    CHECK(bases->alphabet == Alphabet::kNucleotide);
    CHECK(bases->queries[0].header == "a");
    CHECK(bases->queries[0].residues == *encode_nucleotides("ACGTACGTTNR"));
    CHECK(bases->targets[0].header == "b");
    CHECK(bases->pair_count() == 1);
    CHECK(bases->notes.back().advice == Advice::kProteins);
    CHECK(made("ACGT", "TT", Alphabet::kProtein)->targets[0].residues == encode_residues("TT"));
    CHECK(contains(made("ACGT", "MKVLAW").status().message(), "second like proteins"));
    CHECK(contains(made("ACGE", "AC", Alphabet::kNucleotide).status().message(), "first: record 1, \"a\", position 4"));
    CHECK(contains(made("ACGT", "").status().message(), "second: record 1, \"b\", has no residues"));
}

TEST_CASE("nucleotides get codes of their own, proteins keep theirs") {
    Files files(">a\nACGTACGTUNr\n", ">b\nTT\n");
    CHECK(files.read().queries[0].residues == *encode_nucleotides("ACGTACGTTNR"));
    files.settings.alphabet = Alphabet::kProtein;
    const PairInput proteins = files.read();
    CHECK(proteins.queries[0].residues == encode_residues("ACGTACGTUNR"));
    CHECK(proteins.notes.empty());
}

TEST_CASE("two kinds are refused, and so is a letter that is no base") {
    CHECK(contains(Files(">a\nACGT\n", ">b\nMKVLAW\n").refused(), "b.fa like proteins"));
    Files files(">a\nACGT\n>c two\nACGEACG\n", ">b\nACGT\n");
    files.settings.alphabet = Alphabet::kNucleotide;
    files.settings.all_pairs = true;
    const std::string message = files.refused();
    CHECK(contains(message, "a.fa: record 2, \"c\", position 4: found 'E'"));
}

TEST_CASE("files that are not FASTA, or have nothing to align, are refused by name") {
    CHECK(contains(Files("hello there\n", ">b\nACGT\n").refused(), "a.fa"));
    CHECK(contains(Files("", ">b\nACGT\n").refused(), "a.fa"));
    CHECK(contains(Files(">a\nACGT\n", ">b\n\n").refused(), "b.fa: record 1, \"b\", has no residues"));
    Files missing(">a\nACGT\n", ">b\nACGT\n");
    missing.settings.target_file = missing.scratch.path("none.fa");
    CHECK(contains(missing.refused(), "none.fa"));
}

TEST_CASE("the first of several records is taken, with a note") {
    const PairInput input = Files(">a\nACGT\n>c\nGG\n", ">b\nACGT\n").read();
    CHECK(input.queries.size() == 1);
    CHECK(input.pair_count() == 1);
    CHECK(input.pair(0) == std::pair<std::size_t, std::size_t>(0, 0));
    CHECK(contains(input.notes.front().text, "the first, a, is aligned"));
    CHECK(input.notes.front().advice == Advice::kAlignMore);
    CHECK(contains(Files(">a\nAC-GT\n", ">b\nACGT\n").read().notes.front().text, "1 gap characters"));
}

TEST_CASE("all pairs: targets within queries") {
    Files files(">a\nACGT\n>c\nGG\n", ">b\nACGT\n>d\nAC\n>e\nT\n");
    files.settings.all_pairs = true;
    const PairInput input = files.read();
    REQUIRE(input.pair_count() == 6);
    CHECK(input.pair(1) == std::pair<std::size_t, std::size_t>(0, 1));
    CHECK(input.pair(5) == std::pair<std::size_t, std::size_t>(1, 2));
}

TEST_CASE("a list of pairs, in its order") {
    Files files(">a\nACGT\n>c x\nGG\n>twice\nA\n>twice\nC\n", ">b\nACGT\n>d\nAC\n");
    const auto with = [&](std::string_view list) {
        files.settings.pairs_file = files.scratch.write("pairs.txt", list);
    };
    with("# mine\n\nc d\n  a\tb  \nc b\r\n");
    const PairInput input = files.read();
    REQUIRE(input.pair_count() == 3);
    CHECK(input.pair(0) == std::pair<std::size_t, std::size_t>(1, 1));
    CHECK(input.pair(1) == std::pair<std::size_t, std::size_t>(0, 0));
    CHECK(input.pair(2) == std::pair<std::size_t, std::size_t>(1, 0));
    with("a b\nb a\n");
    CHECK(contains(files.refused(), "pairs.txt: line 2: there is no \"b\" in "));
    with("twice b\n");
    CHECK(contains(files.refused(), "several records \"twice\""));
    with("a\n");
    CHECK(contains(files.refused(), "line 1: expected two identifiers"));
    with("a b c\n");
    CHECK(contains(files.refused(), "line 1: expected two identifiers"));
    with("# nothing\n");
    CHECK(contains(files.refused(), "lists no pairs"));
}

}  // namespace
