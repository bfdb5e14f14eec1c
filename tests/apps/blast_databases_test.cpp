#include "apps/dropin/blast_databases.h"

#include <doctest/doctest.h>

#include <chrono>
#include <ctime>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "formats/wsdb/convert_fasta.h"
#include "tests/support/blast_files.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using warpseq::testing::ScratchFolder;

namespace {

void write(const std::filesystem::path& file, const std::string& text) { std::ofstream(file) << text; }

}  // namespace

TEST_CASE("dates as BLAST+ shows them") {
    std::tm parts{};
    parts.tm_year = 126;
    parts.tm_mon = 10;
    parts.tm_mday = 3;
    parts.tm_isdst = -1;
    const auto at = [&](int hour, int minute) {
        parts.tm_hour = hour;
        parts.tm_min = minute;
        return blast_date(std::mktime(&parts));
    };
    CHECK(at(0, 5) == "Nov 03, 2026  12:05 AM");
    CHECK(at(9, 30) == "Nov 03, 2026  9:30 AM");
    CHECK(at(12, 0) == "Nov 03, 2026  12:00 PM");
    CHECK(at(23, 59) == "Nov 03, 2026  11:59 PM");
}

TEST_CASE("blanks separate names, and quotes protect blanks") {
    using Names = std::vector<std::string>;
    CHECK(database_names("A B") == Names{"A", "B"});
    CHECK(database_names("  A  ") == Names{"A"});
    CHECK(database_names("\"my db\" B") == Names{"my db", "B"});
    CHECK(database_names("a\"my db\"b c") == Names{"a", "my db", "b", "c"});
    CHECK(database_names("\"my db") == Names{"my db"});
    CHECK(database_names("\"\"").empty());
    CHECK(database_names("").empty());
}

TEST_CASE("the database of a name, and names without one") {
    const ScratchFolder folder;
    const std::string base = folder.path("x").string();
    const auto found = [&] { return find_blast_database(base); };
    REQUIRE_FALSE(found().ok());
    CHECK(found().status().message().starts_with("No alias or index file found for protein database [" + base +
                                                 "] in search path ["));
    // NCBI's own database cannot be read. The message says how to convert it.
    write(base + ".pin", std::string("\0\0\0\x05", 4));
    REQUIRE_FALSE(found().ok());
    CHECK(found().status().message().starts_with(
        "[" + base + "] is a database of NCBI BLAST that warpseq cannot read: " + base + ".phr: cannot open"));
    CHECK(found().status().message().find("-entry all -out " + base + ".fasta") != std::string::npos);
    // The name itself, and the database beside it.
    write(base, ">a\nACD\n");
    REQUIRE(found().ok());
    CHECK(found()->database == base);
    write(base + ".wsdb", "x");
    std::filesystem::last_write_time(base + ".pin",
                                     std::filesystem::last_write_time(base + ".wsdb") - std::chrono::hours(1));
    CHECK(found()->database == base + ".wsdb");
    // This database was replaced meanwhile by NCBI's makeblastdb.
    std::filesystem::last_write_time(base + ".pin",
                                     std::filesystem::last_write_time(base + ".wsdb") + std::chrono::hours(1));
    CHECK(found()->database == base);
}

TEST_CASE("NCBI's own databases") {
    const ScratchFolder folder;
    const std::string base = folder.path("x").string();
    const testing::BlastFiles files({{testing::defline("t", testing::local_id("a")), "\x01\x03"}}, 4, "Its title");
    files.write(folder, "x");
    const auto found = [&] {
        const auto database = find_blast_database(base);
        REQUIRE_MESSAGE(database.ok(), database.status().message());
        return *database;
    };
    CHECK(found().database == base + ".pin");
    CHECK(found().title == "Its title");
    CHECK(found().date == "Nov 23, 2026  1:53 PM");
    CHECK(found().version == 4);
    CHECK(found().has_parsed_ids);
    CHECK(all_files_of(found()).size() == 3);
    // It takes precedence over the FASTA that it was made from. It also does over a database of
    // warpseq, even if that is newer, and whether or not it is a copy.
    write(base, ">b\nACD\n");
    CHECK(found().database == base + ".pin");
    ConvertOptions options;
    options.inputs = {base};
    options.output = base + ".wsdb";
    Observer silent;
    REQUIRE(convert_fasta(options, silent).ok());
    CHECK(found().database == base + ".pin");
    options.inputs = {base + ".pin"};
    options.replace = true;
    REQUIRE(convert_fasta(options, silent).ok());
    CHECK(found().database == base + ".pin");
    write(base + ".pal", "TITLE of the alias\nDBLIST x\n");
    CHECK(found().database == base + ".pal");
    CHECK(found().title == "of the alias");
}
