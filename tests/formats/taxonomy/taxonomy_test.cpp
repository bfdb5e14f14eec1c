#include "formats/taxonomy/taxonomy.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "libcore/base/random.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

/// A line of a dump.
std::string row(std::initializer_list<std::string> columns) {
    std::string text;
    for (const std::string& column : columns) text += (text.empty() ? "" : "\t|\t") + column;
    return text + "\t|\n";
}

void write(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
}

const std::string kNodes = row({"9606", "9443", "species", "HS", "5"}) + row({"1", "1", "no rank", "", "8"}) +
                           row({"2759", "1", "superkingdom", "", "1"}) + row({"9443", "2759", "order", "", "5"}) +
                           row({"2", "1", "domain", "", "0"}) + row({"562", "2", "species", "", "0"});
const std::string kNames =
    row({"9606", "Homo sapiens", "", "scientific name"}) + row({"9606", "human", "", "genbank common name"}) +
    row({"9606", "man", "", "common name"}) + row({"1", "root", "", "scientific name"}) +
    row({"9443", "Primates", "Primates <order>", "scientific name"}) + row({"9443", "primates", "", "blast name"}) +
    row({"2", "Bacteria", "", "scientific name"}) + row({"562", "Escherichia\tcoli", "", "scientific name"}) +
    row({"4711", "of no taxon", "", "scientific name"});

}  // namespace

TEST_CASE("names and tree of NCBI's dump are those of BLAST's taxdb") {
    const ScratchFolder folder;
    write(folder.path("nodes.dmp"), kNodes);
    write(folder.path("names.dmp"), kNames);
    write(folder.path("merged.dmp"), row({"63221", "9606"}) + row({"5", "4711"}) + row({"562", "9606"}));
    const auto tree = Taxonomy::read_dump(folder.path(""));
    REQUIRE_MESSAGE(tree.ok(), tree.status().message());
    CHECK(tree->size() == 7);
    CHECK(tree->find(9606).rank == "species");
    CHECK(tree->find(9606).parent == 9443);
    CHECK(tree->find(1).parent == 0);
    CHECK(tree->scientific_name(9606) == "Homo sapiens");
    CHECK(tree->common_name(9606) == "human");
    CHECK(tree->blast_name(9606) == "primates");
    CHECK(tree->kingdom(9606) == "Eukaryota");
    CHECK(tree->find(9606).blast_name.empty());
    CHECK(tree->scientific_name(562) == "Escherichia coli");  // nothing in a name ends a column
    CHECK(tree->common_name(562) == "Escherichia coli");      // for want of another
    CHECK(tree->blast_name(562).empty());
    CHECK(tree->kingdom(562) == "Bacteria");
    CHECK(tree->kingdom(1).empty());
    // A merged taxon is below the one that it went into.
    CHECK(tree->scientific_name(63221) == "Homo sapiens");
    CHECK(tree->with_descendants(std::vector<std::uint32_t>{9606}) == std::vector<std::uint32_t>{9606, 63221});
    CHECK(tree->with_descendants(std::vector<std::uint32_t>{2759, 4711}) ==
          std::vector<std::uint32_t>{2759, 4711, 9443, 9606, 63221});
    CHECK_FALSE(tree->has(5));
    CHECK_FALSE(tree->has(0));
    CHECK(tree->scientific_name(0).empty());
}

TEST_CASE("a part of a tree has the ancestors, and parts grow together again") {
    const ScratchFolder folder;
    write(folder.path("nodes.dmp"), kNodes);
    write(folder.path("names.dmp"), kNames);
    const auto tree = Taxonomy::read_dump(folder.path(""));
    REQUIRE(tree.ok());
    const std::string some = tree->text_of(std::vector<std::uint32_t>{9606, 8});
    CHECK(some ==
          "1\t0\tno rank\troot\t\t\n2759\t1\tsuperkingdom\t\t\t\n9443\t2759\torder\tPrimates\t\tprimates\n"
          "9606\t9443\tspecies\tHomo sapiens\thuman\t\n");
    auto part = Taxonomy::parse(some);
    REQUIRE_MESSAGE(part.ok(), part.status().message());
    CHECK(part->blast_name(9606) == "primates");
    const auto other = Taxonomy::parse(tree->text_of(std::vector<std::uint32_t>{562}));
    REQUIRE(other.ok());
    part->add(*other);
    CHECK(part->size() == 6);
    CHECK(part->kingdom(562) == "Bacteria");
    CHECK(part->text_of(std::vector<std::uint32_t>{562, 9606}) == tree->text_of(std::vector<std::uint32_t>{562, 9606}));
    part->add(*other);
    CHECK(part->size() == 6);
    CHECK(Taxonomy().text_of(std::vector<std::uint32_t>{1}).empty());
}

TEST_CASE("text that is not a tree is refused, and the message has the place") {
    for (const auto& each : std::initializer_list<std::pair<std::string, std::string>>{
             {"1\t0\tr\ts\tc\tb", "line 1: expected a newline at its end"},
             {"1\t0\tr\ts\tc\n", "line 1: expected six columns"},
             {"1\t0\tr\ts\tc\tb\td\n", "line 1: expected six columns"},
             {"1\t0\tr\ts\x1b[1m\tc\tb\n", "line 1: expected six columns"},
             {"\n", "line 1: expected six columns"},
             {"0\t0\tr\ts\tc\tb\n", "line 1: expected two taxonomy IDs"},
             {"01\t0\tr\ts\tc\tb\n", "line 1: expected two taxonomy IDs"},
             {"\t0\tr\ts\tc\tb\n", "line 1: expected two taxonomy IDs"},
             {"2147483648\t0\tr\ts\tc\tb\n", "line 1: expected two taxonomy IDs"},
             {"1\t0\tr\ts\tc\tb\n1\t0\tr\ts\tc\tb\n", "line 2: expected a taxonomy ID above 1, found 1"},
             {"1\t2\tr\ts\tc\tb\n", "line 1: found the parent 2, which is not in the taxonomy"},
             {"1\t1\tr\ts\tc\tb\n", "line 1: found a taxon that is its own ancestor"},
             {"1\t3\tr\ts\tc\tb\n2\t1\tr\ts\tc\tb\n3\t2\tr\ts\tc\tb\n", "line 1: found a taxon that is its own"},
         }) {
        const std::string& text = each.first;
        const auto tree = Taxonomy::parse(text);
        CAPTURE(text);
        REQUIRE_FALSE(tree.ok());
        CHECK_MESSAGE(tree.status().message().starts_with(each.second), tree.status().message());
    }
    CHECK(Taxonomy::parse("").ok());
}

TEST_CASE("malformed dumps are refused, and the message has the place") {
    const ScratchFolder folder;
    const auto refused = [&](const std::string& nodes, const std::string& names) {
        write(folder.path("nodes.dmp"), nodes);
        write(folder.path("names.dmp"), names);
        const auto tree = Taxonomy::read_dump(folder.path(""));
        REQUIRE_FALSE(tree.ok());
        return tree.status().message();
    };
    const auto has = [](const std::string& text, const std::string& part) { return text.find(part) != text.npos; };
    CHECK(has(refused("", kNames), "nodes.dmp: has no taxa"));
    CHECK(has(refused(kNodes + "7\t|\t1\t|\n", kNames),
              "nodes.dmp: line 7: expected a taxonomy ID, its parent's and a rank"));
    CHECK(has(refused(kNodes + row({"x", "1", "species"}), kNames), "nodes.dmp: line 7: expected a taxonomy ID"));
    CHECK(has(refused(kNodes + row({"7", "8", "species"}), kNames), "nodes.dmp: taxon 8, the parent of 7, is missing"));
    CHECK(has(refused(kNodes + row({"2", "1", "species"}), kNames), "nodes.dmp: taxon 2 is there twice"));
    CHECK(has(refused(kNodes + row({"7", "8", "x"}) + row({"8", "7", "x"}), kNames), "its own ancestor"));
    CHECK(has(refused(kNodes, kNames + "9606\tx\n"), "names.dmp: line 10: expected a taxonomy ID, a name"));
    std::filesystem::remove(folder.path("names.dmp"));
    const auto tree = Taxonomy::read_dump(folder.path(""));
    REQUIRE_FALSE(tree.ok());
    CHECK(has(tree.status().message(), "names.dmp: "));
}

TEST_CASE("descendants of random trees are those whose ancestors are asked for") {
    Random random(3);
    for (int round = 0; round < 20; ++round) {
        std::string text;
        std::vector<std::uint32_t> taxids, parents;
        for (std::uint32_t taxid = 1; taxids.size() < 60; taxid += 1 + static_cast<std::uint32_t>(random.below(5))) {
            const std::uint64_t above = random.below(taxids.size() + 1);
            parents.push_back(above == taxids.size() ? 0 : taxids[above]);
            taxids.push_back(taxid);
            text += std::to_string(taxid) + "\t" + std::to_string(parents.back()) + "\t\tn" + std::to_string(taxid) +
                    "\t\t\n";
        }
        const auto tree = Taxonomy::parse(text);
        REQUIRE(tree.ok());
        std::vector<std::uint32_t> asked, expected;
        for (int n = 0; n < 3; ++n) asked.push_back(taxids[random.below(taxids.size())]);
        for (const std::uint32_t taxid : taxids) {
            bool below = false;
            for (std::uint32_t at = taxid; at != 0; at = tree->find(at).parent)
                below = below || std::ranges::find(asked, at) != asked.end();
            if (below) expected.push_back(taxid);
        }
        CHECK(tree->with_descendants(asked) == expected);
    }
}
