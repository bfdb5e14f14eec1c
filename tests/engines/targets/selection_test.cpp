// A selection of sequences: what it holds, and what it counts.
#include "engines/targets/selection.h"

#include <doctest/doctest.h>

#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

TEST_CASE("sequences count once, with their residues, and the shortest of those that have some") {
    ScratchFolder folder;
    // In a database the longest stands first.
    make_database(folder.path("a.wsdb"), {{"a", encode_residues("MKV")}, {"b", encode_residues("MKVLA")}, {"c", {}}});
    make_database(folder.path("b.wsdb"), {{"d", encode_residues("MK")}});
    const auto databases = DatabaseSet::open({folder.path("a.wsdb"), folder.path("b.wsdb")});
    REQUIRE(databases.ok());
    TargetSelection selection(*databases);
    CHECK(selection.sequence_count() == 0);
    CHECK(selection.residue_count() == 0);
    CHECK(selection.shortest_residues() == 0);
    selection.add(0, 2);
    CHECK(selection.shortest_residues() == 0);
    selection.add(0, 0);
    selection.add(0, 0);
    CHECK(selection.has(0, 0));
    CHECK_FALSE(selection.has(0, 1));
    CHECK_FALSE(selection.has(1, 0));
    CHECK(selection.sequence_count() == 2);
    CHECK(selection.residue_count() == 5);
    CHECK(selection.shortest_residues() == 5);
    selection.add(1, 0);
    CHECK(selection.has(1, 0));
    CHECK(selection.sequence_count() == 3);
    CHECK(selection.residue_count() == 7);
    CHECK(selection.shortest_residues() == 2);
}
