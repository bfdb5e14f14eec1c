#include "formats/wsdb/named_sequences.h"

#include <doctest/doctest.h>

#include <array>

#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

using Places = std::vector<std::pair<std::size_t, std::uint64_t>>;  // volume, and place in its input

struct Fixture {
    ScratchFolder folder;
    std::vector<WsdbSet::Volume> volumes;
    Random random{7};

    void add(const std::string& name, const std::vector<std::string>& headers) {
        std::vector<TestSequence> sequences;
        for (const std::string& header : headers)
            sequences.push_back({header, random_residues(random, 3 + sequences.size())});
        make_database(folder.path(name), sequences);
        auto reader = WsdbReader::open(folder.path(name));
        REQUIRE(reader.ok());
        volumes.push_back({*std::move(reader), nullptr});
    }
    Places places_of(std::string_view name) {
        const ThreadPool pool(2);
        const std::array<std::string_view, 2> names = {"absent", name};
        const auto found = find_named_sequences(names, volumes, pool);
        REQUIRE(found.ok());
        // The look-up of a single name finds the same.
        const auto single = find_named_sequence(name, volumes);
        REQUIRE(single.ok());
        REQUIRE(single->size() == found->size());
        Places places;
        for (std::size_t f = 0; f < found->size(); ++f) {
            const NamedSequence& each = (*found)[f];
            CHECK(each.name == 1);
            CHECK((*single)[f].volume == each.volume);
            CHECK((*single)[f].rank == each.rank);
            CHECK((*single)[f].is_whole == each.is_whole);
            places.emplace_back(each.volume, volumes[each.volume].reader.input_positions()[each.rank]);
        }
        return places;
    }
};

}  // namespace

TEST_CASE("names are looked up in volumes as in one database") {
    Fixture fixture;
    fixture.add("a.wsdb", {"sp|P11111|AAA one", "P22222 two", "x\x01gi|5|ref|NP_000001.2| three", "P22222 again"});
    fixture.add("b.wsdb", {"sp|P22222|BBB four", "P11111 five", "gi|6|ref|NP_000001.1| six"});
    // If some whole identifiers match, only these are found, in all volumes.
    CHECK(fixture.places_of("P11111") == Places{{1, 1}});
    CHECK(fixture.places_of("P22222") == Places{{0, 1}, {0, 3}});
    CHECK(fixture.places_of("AAA") == Places{{0, 0}});
    CHECK(fixture.places_of("NP_000001") == Places{{0, 2}, {1, 2}});
    CHECK(fixture.places_of("NP_000001.1") == Places{{1, 2}});
    CHECK(fixture.places_of("nobody") == Places{});
    // Removed sequences are not found. The ones that they hid are found.
    std::vector<std::uint64_t> words = {0};
    for (std::uint64_t rank = 0; rank < 4; ++rank) {
        if (fixture.volumes[0].reader.input_positions()[rank] % 2 == 1) words[0] |= std::uint64_t{1} << rank;
    }
    fixture.volumes[0].removed = std::make_shared<const PositionSet>(words);
    CHECK(fixture.places_of("P22222") == Places{{1, 0}});
}
