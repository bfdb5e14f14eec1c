// The words for faults, and how many faults are kept.
#include "formats/wsdb/wsdb_faults.h"

#include <doctest/doctest.h>

using namespace warpseq;

TEST_CASE("a fault says file, place, what, expected and found") {
    WsdbFaults faults(true);
    CHECK(faults.add_number(12, indexed("block", 5), 3, 4));
    CHECK(faults.add_checksum(4088, "the header is damaged", 1, 0xabc));
    CHECK(faults.add_changed(7, "BLOCK_INDEX"));
    REQUIRE(faults.list().size() == 3);
    CHECK(fault_status("a.wsdb", faults.list()[0]).message() == "a.wsdb: byte 12: block 5: expected 3, found 4");
    CHECK(fault_status("a.wsdb", faults.list()[1]).message() ==
          "a.wsdb: byte 4088: the header is damaged: expected checksum 0x0000000000000001, found 0x0000000000000abc");
    CHECK(fault_status("a.wsdb", faults.list()[2]).message() ==
          "a.wsdb: byte 7: BLOCK_INDEX: expected what it was when the file was opened, found something else");
}

TEST_CASE("only the first fault is kept, or all up to the limit") {
    WsdbFaults first(false);
    CHECK_FALSE(first.any());
    CHECK_FALSE(first.full());
    CHECK_FALSE(first.add(1, "a", "", ""));
    CHECK_FALSE(first.add(2, "b", "", ""));
    REQUIRE(first.list().size() == 1);
    CHECK(first.list()[0].what == "a");

    WsdbFaults all(true);
    for (std::size_t i = 1; i < WsdbFaults::kMaxFaults; ++i) REQUIRE(all.add(i, "a", "", ""));
    CHECK_FALSE(all.add(0, "last", "", ""));
    CHECK(all.full());
    CHECK_FALSE(all.add(0, "too many", "", ""));
    CHECK(all.list().size() == WsdbFaults::kMaxFaults);
    CHECK(all.list().back().what == "last");
}
