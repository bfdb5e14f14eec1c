#include "engines/targets/headers.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

TEST_CASE("headers of places in any order, of several databases, often asked for or not at all") {
    const ScratchFolder folder;
    std::vector<std::filesystem::path> files;
    for (const std::string name : {"a", "b"}) {
        std::vector<TestSequence> sequences;
        for (int i = 0; i < 1500; ++i) {
            sequences.push_back({name + std::to_string(i) + " of " + name,
                                 std::vector<ResidueCode>(static_cast<std::size_t>(2000 - i), ResidueCode{0})});
        }
        files.push_back(folder.path(name + ".wsdb"));
        make_database(files.back(), sequences, {.codec = name == "a" ? ResidueCodec::kPacked : ResidueCodec::kZstd});
    }
    const auto databases = DatabaseSet::open(files);
    REQUIRE(databases.ok());
    ThreadPool pool(3);
    std::vector<SequencePlace> places;
    std::vector<std::string> expected;
    for (std::uint64_t i = 0; i < 3000; ++i) {
        const std::uint64_t rank = i * 7919 % 1500;  // ranks are places in the input: lengths fall
        places.push_back({static_cast<std::uint32_t>(i % 2), rank});
        const std::string name = i % 2 == 0 ? "a" : "b";
        expected.push_back(name + std::to_string(rank) + " of " + name);
    }
    std::vector<std::string> found(places.size());
    REQUIRE(for_each_header(*databases, places, pool, [&](std::size_t i, std::string_view header) {
                found[i] += header;  // once each, or it shows
            }).ok());
    CHECK(found == expected);
    CHECK(
        for_each_header(*databases, {}, pool, [](std::size_t, std::string_view) { FAIL("no place, no header"); }).ok());
}
