// Lists of identifiers, and lengths.
#include "formats/fasta/record_selection.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/scratch_folder.h"

namespace warpseq {
namespace {

using namespace std::string_literals;

TEST_CASE("A list has an identifier a line") {
    const testing::ScratchFolder folder;
    RecordSelection selection;
    CHECK(selection.wants_all());
    REQUIRE(selection.read_list(folder.write("list", "b what it is\n\n \t>a\r\nb\n> c\nlast")).ok());
    CHECK(selection.names() == std::vector<std::string_view>{"b", "a", "c", "last"});
    CHECK(!selection.wants_all());
    CHECK(selection.wants("a is it", 0));
    CHECK(!selection.wants("ab", 3));
    CHECK(selection.not_found() == std::vector<std::string_view>{"b", "c", "last"});
    // Merged definition lines: each of them has an identifier.
    CHECK(
        selection.wants("x first\x01"
                        "c second\x01"
                        "y third",
                        3));
    CHECK(
        !selection.wants("x c\x01"
                         "y b",
                         3));
    CHECK(selection.not_found() == std::vector<std::string_view>{"b", "last"});
}

TEST_CASE("A sequence is wanted by each of its names") {
    const testing::ScratchFolder folder;
    RecordSelection selection;
    REQUIRE(selection.read_list(folder.write("list", "P68871\nNP_000510.2\nNP_000511\n1A3N_B\nHBB_HUMAN\n")).ok());
    CHECK(selection.wants("sp|P68871|HBB_HUMAN beta", 3));
    CHECK(selection.not_found() == std::vector<std::string_view>{"NP_000510.2", "NP_000511", "1A3N_B"});
    CHECK(selection.wants("P68871.2", 3));
    CHECK(!selection.wants("P688711", 3));
    CHECK(!selection.wants("x P68871", 3));
    CHECK(!selection.wants("NP_000510.1", 3));
    CHECK(!selection.wants("NP_000510", 3));
    CHECK(selection.wants("x\x01gi|1|ref|NP_000510.2| y", 3));
    CHECK(selection.wants("NP_000511.7", 3));
    CHECK(!selection.wants("pdb|1A3N|C", 3));
    CHECK(selection.wants("pdb|1A3N|B", 3));
    CHECK(selection.not_found().empty());
}

TEST_CASE("A sequence of another length was found, but is not wanted") {
    const testing::ScratchFolder folder;
    RecordSelection selection;
    selection.min_residues = 3;
    selection.max_residues = 5;
    CHECK(!selection.wants("a", 2));
    CHECK(selection.wants("a", 3));
    CHECK(selection.wants("a", 5));
    CHECK(!selection.wants("a", 6));
    REQUIRE(selection.read_list(folder.write("list", "a\n")).ok());
    CHECK(!selection.wants("a", 2));
    CHECK(selection.not_found().empty());
}

TEST_CASE("A refused list gives the reason") {
    const testing::ScratchFolder folder;
    RecordSelection selection;
    const auto refused = [&](const std::string& text) {
        return selection.read_list(folder.write("list", text)).message();
    };
    CHECK(refused("").find("lists no identifiers") != std::string::npos);
    CHECK(refused("\n \n>\n").find("lists no identifiers") != std::string::npos);
    CHECK(refused("a\nb\0c\n"s).find("line 2 is not an identifier: it holds a NUL byte") != std::string::npos);
    CHECK(refused(std::string(2 << 20, 'a')).find("longer than a megabyte") != std::string::npos);
    CHECK(!selection.read_list(folder.path("absent")).ok());
}

}  // namespace
}  // namespace warpseq
