// Temporary files: read back what was written, and leave no name behind.
#include "formats/io/temporary_file.h"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "tests/support/scratch_folder.h"

using namespace warpseq;

TEST_CASE("bytes come back from any offset, and nothing is seen in the folder") {
    const testing::ScratchFolder folder;
    auto file = TemporaryFile::create(folder.path("."));
    REQUIRE(file.ok());
    std::vector<std::uint8_t> bytes(1000);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
    REQUIRE(file->append(bytes).ok());
    REQUIRE(file->append(bytes).ok());
    CHECK(file->size_bytes() == 2000);
    std::vector<std::uint8_t> part(500);
    REQUIRE(file->read_at(900, part).ok());
    CHECK(part[0] == bytes[900]);
    CHECK(part[100] == bytes[0]);
    CHECK(part[499] == bytes[399]);
    CHECK(std::filesystem::is_empty(folder.path(".")));
}

TEST_CASE("reading behind the end is an error") {
    const testing::ScratchFolder folder;
    auto file = TemporaryFile::create(folder.path("."));
    REQUIRE(file.ok());
    std::vector<std::uint8_t> bytes(10);
    REQUIRE(file->append(bytes).ok());
    const Status status = file->read_at(5, bytes);
    REQUIRE_FALSE(status.ok());
    CHECK(status.message().find("ends early") != std::string::npos);
}

TEST_CASE("moving hands the file over") {
    const testing::ScratchFolder folder;
    auto file = TemporaryFile::create(folder.path("."));
    REQUIRE(file.ok());
    TemporaryFile moved = *std::move(file);
    CHECK(moved.is_open());
    TemporaryFile other;
    CHECK_FALSE(other.is_open());
    other = std::move(moved);
    CHECK(other.is_open());
    REQUIRE(other.append(std::vector<std::uint8_t>(3)).ok());
    CHECK(other.size_bytes() == 3);
}

TEST_CASE("a temporary file in memory is one like others") {
    auto file = TemporaryFile::create_in_memory();
    REQUIRE(file.ok());
    REQUIRE(file->append(std::vector<std::uint8_t>{1, 2, 3}).ok());
    std::vector<std::uint8_t> part(2);
    REQUIRE(file->read_at(1, part).ok());
    CHECK(part == std::vector<std::uint8_t>{2, 3});
    CHECK(file->descriptor() >= 0);
}
