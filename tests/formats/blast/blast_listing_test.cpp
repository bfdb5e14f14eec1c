#include "formats/blast/blast_listing.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "formats/blast/blast_alias_file.h"
#include "tests/support/blast_files.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

std::vector<StoredSequence> sequences(std::size_t count) {
    return std::vector<StoredSequence>(count, {defline("", local_id("a")), std::string("\x01\x03\x04", 3)});
}

std::string fault(const ScratchFolder& folder, const std::string& name) {
    const auto listing = list_blast_database(folder.path(name), BlastMolecule::kProtein);
    CHECK_FALSE(listing.ok());
    return listing.status().message();
}

}  // namespace

TEST_CASE("alias files: names in quotes have blanks; comments and unknown words") {
    const ScratchFolder folder;
    const auto file =
        folder.write("x.pal", "# c\n\nTITLE  of  two \r\nDBLIST \"a b\"\tc \"d\nNSEQ 7\nLENGTH 9\nMASKS x\nY z\n");
    const auto alias = read_blast_alias(file);
    REQUIRE(alias.ok());
    CHECK(alias->title == "of  two");
    CHECK(alias->names == std::vector<std::string>{"a b", "c", "d"});
    CHECK(alias->sequences == 7);
    CHECK(alias->residues == 9);
    CHECK(alias->other_word == "MASKS");
    const auto wrong = read_blast_alias(folder.write("y.pal", "NSEQ 7x\n"));
    CHECK(wrong.status().message() == folder.path("y.pal").string() + ": found 'NSEQ 7x', expected a number");
    CHECK_FALSE(read_blast_alias(folder.path("absent.pal")).ok());
}

TEST_CASE("facts of volumes, and of the aliases that name them") {
    const ScratchFolder folder;
    BlastFiles(sequences(2), 4, "A", "Nov 23, 2026  1:53 PM").write(folder, "a b");
    BlastFiles(sequences(3), 5, "C", "Nov 23, 2026  11:53 AM").write(folder, "c");
    const auto list = [&](const std::string& name) {
        const auto listing = list_blast_database(folder.path(name), BlastMolecule::kProtein);
        REQUIRE_MESSAGE(listing.ok(), listing.status().message());
        return *listing;
    };
    const auto bytes_of = [&](const std::string& name) {
        std::uint64_t bytes = 0;
        for (const char* ending : {".pin", ".phr", ".psq"})
            bytes += std::filesystem::file_size(folder.path(name + ending));
        return bytes;
    };
    const BlastListing one = list("a b");
    CHECK(one.title == "A");
    CHECK(one.version == 4);
    CHECK(one.sequences == 2);
    CHECK(one.residues == 6);
    CHECK(one.file_bytes == bytes_of("a b"));

    folder.write("x.pal", "DBLIST \"a b\" c c\n");
    const BlastListing both = list("x");
    CHECK(both.title == "A; C");
    CHECK(both.date == "Nov 23, 2026  1:53 PM");
    CHECK(both.version == 5);
    CHECK(both.sequences == 5);
    CHECK(both.residues == 15);
    CHECK(both.file_bytes == bytes_of("a b") + bytes_of("c"));

    folder.write("y.pal", "TITLE of its own\nDBLIST x\nNSEQ 4\n");
    CHECK(list("y").title == "of its own");
    CHECK(list("y").sequences == 4);
    CHECK(list("y").residues == 15);
    // Aliases come first, each as often as it is named.
    folder.write("z.pal", "DBLIST c x \"a b\" y x\n");
    CHECK(list("z").title == "A; C; of its own; A; C; C; A");
    CHECK(list("z").sequences == 5 + 4 + 5 + 3 + 2);
    folder.write("c.pal", "TITLE of a volume of its name\nDBLIST c\n");
    CHECK(list("c").title == "of a volume of its name");
    CHECK(list("c").sequences == 3);
}

TEST_CASE("aliases that name nothing, themselves, or too much") {
    const ScratchFolder folder;
    const std::string base = folder.path("").string();
    CHECK(fault(folder, "absent") == "Error: File (" + base + "absent.pin) not found.");
    folder.write("empty.pal", "TITLE x\n");
    CHECK(fault(folder, "empty") == "No database names were found in alias file [" + base + "empty].");
    folder.write("x.pal", "DBLIST absent\n");
    CHECK(fault(folder, "x") ==
          "Could not find volume or alias file (absent) referenced in alias file (" + base + "x).");
    folder.write("loop.pal", "DBLIST loop2\n");
    folder.write("loop2.pal", "DBLIST loop\n");
    CHECK(fault(folder, "loop") == "Error: File (" + base + "loop.pin) not found.");
    for (int i = 0; i < 40; ++i)
        folder.write("d" + std::to_string(i) + ".pal", "DBLIST d" + std::to_string(i + 1) + "\n");
    folder.write("d40.pal", "DBLIST d40\n");
    CHECK(fault(folder, "d0").ends_with(": aliases name too many databases, or nest too deep"));
}
