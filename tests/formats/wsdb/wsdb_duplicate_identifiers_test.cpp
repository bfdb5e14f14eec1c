#include "formats/wsdb/wsdb_duplicate_identifiers.h"

#include <doctest/doctest.h>

#include <set>

#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

std::uint64_t duplicates_of(const std::filesystem::path& file, unsigned threads) {
    auto map = WsdbReader::Map::map_file(file);
    REQUIRE(map.ok());
    WsdbFaults faults(false);
    REQUIRE((*map)->check_header(faults));
    const ThreadPool pool(threads);
    const auto duplicates = count_duplicate_identifiers(**map, pool);
    REQUIRE(duplicates.ok());
    return *duplicates;
}

}  // namespace

TEST_CASE("sequences that share a name are duplicates where the whole identifier is the same") {
    const ScratchFolder folder;
    const auto file = folder.path("db.wsdb");
    std::vector<TestSequence> sequences;
    for (const char* const header :
         {"pdb|1A3N|A", "pdb|1A3N|B", "pdb|1A3N|A again", "NP_00001.1", "NP_00001.2", "NP_00001.1", "NP_00001.1 x",
          "sp|P12345|X_Y", "P12345", "other", "gi|12345|ref|NP_00001.1|", "X_Y"}) {
        sequences.push_back({header, {1, 2, 3}});
    }
    make_database(file, sequences);
    // 1A3N|A is repeated once and NP_00001.1 twice. Names in second place, such as X_Y, and P12345
    // without bars belong to other identifiers.
    CHECK(duplicates_of(file, 1) == 3);
    CHECK(duplicates_of(file, 3) == 3);
}

TEST_CASE("groups of equal names across pieces of the index belong to one of them") {
    const ScratchFolder folder;
    const auto file = folder.path("db.wsdb");
    Random random(2);
    std::vector<TestSequence> sequences;
    std::set<std::string> distinct;
    // About every second name occurs at least twice. One name has a piece for itself.
    for (std::size_t i = 0; i < 80000; ++i) sequences.push_back({"i" + std::to_string(random.below(100000)), {1}});
    for (std::size_t i = 0; i < 70000; ++i) sequences.push_back({"same", {2}});
    for (const TestSequence& sequence : sequences) distinct.insert(sequence.header);
    make_database(file, sequences);
    for (const unsigned threads : {1u, 3u}) CHECK(duplicates_of(file, threads) == sequences.size() - distinct.size());
}
