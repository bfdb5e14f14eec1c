// Output files appear whole or not at all, and never replace what they were not told to replace.
#include "formats/atomic_file.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/scratch_folder.h"

using namespace warpseq;

namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string content(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::size_t names_in(const std::filesystem::path& folder) {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("a file appears at commit, not before") {
    const testing::ScratchFolder folder;
    const auto path = folder.path("out");
    auto file = AtomicFile::create(path, false);
    REQUIRE(file.ok());
    REQUIRE(file->append(bytes_of("hello ")).ok());
    REQUIRE(file->append(bytes_of("world")).ok());
    REQUIRE(file->write_at(0, bytes_of("J")).ok());
    CHECK(file->size_bytes() == 11);
    REQUIRE(file->write_at(14, bytes_of("!")).ok());
    CHECK(file->size_bytes() == 15);
    CHECK_FALSE(std::filesystem::exists(path));
    REQUIRE(file->commit().ok());
    CHECK(content(path) == std::string("Jello world\0\0\0!", 15));
    CHECK(names_in(folder.path(".")) == 1);
}

TEST_CASE("without a commit nothing is left") {
    const testing::ScratchFolder folder;
    {
        auto file = AtomicFile::create(folder.path("out"), false);
        REQUIRE(file.ok());
        REQUIRE(file->append(bytes_of("half")).ok());
    }
    CHECK(names_in(folder.path(".")) == 0);
}

TEST_CASE("an existing file is refused, or replaced by the whole new one only") {
    const testing::ScratchFolder folder;
    const auto path = folder.write("out", "old");
    const auto refused = AtomicFile::create(path, false);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.status().message() == path.string() + ": exists already; --force replaces it");
    {
        auto dropped = AtomicFile::create(path, true);
        REQUIRE(dropped.ok());
        REQUIRE(dropped->append(bytes_of("half")).ok());
    }
    CHECK(content(path) == "old");
    auto file = AtomicFile::create(path, true);
    REQUIRE(file.ok());
    REQUIRE(file->append(bytes_of("new")).ok());
    CHECK(content(path) == "old");
    REQUIRE(file->commit().ok());
    CHECK(content(path) == "new");
    CHECK(names_in(folder.path(".")) == 1);
}

TEST_CASE("a file that appeared in the meantime is kept") {
    const testing::ScratchFolder folder;
    auto file = AtomicFile::create(folder.path("out"), false);
    REQUIRE(file.ok());
    REQUIRE(file->append(bytes_of("mine")).ok());
    folder.write("out", "somebody else's");
    CHECK_FALSE(file->commit().ok());
    CHECK(content(folder.path("out")) == "somebody else's");
}

TEST_CASE("a symbolic link stays one, and its target is replaced") {
    const testing::ScratchFolder folder;
    const auto target = folder.write("target", "old");
    std::filesystem::create_symlink("target", folder.path("link"));
    auto file = AtomicFile::create(folder.path("link"), true);
    REQUIRE(file.ok());
    REQUIRE(file->append(bytes_of("new")).ok());
    REQUIRE(file->commit().ok());
    CHECK(std::filesystem::is_symlink(folder.path("link")));
    CHECK(content(target) == "new");
}

TEST_CASE("places where no file can be made are errors that name them") {
    const testing::ScratchFolder folder;
    for (const auto& path : {folder.path("missing/out"), std::filesystem::path(""), folder.path(".")}) {
        CAPTURE(path);
        const auto file = AtomicFile::create(path, true);
        REQUIRE_FALSE(file.ok());
        CHECK(file.status().message().find(path.string()) != std::string::npos);
    }
}

TEST_CASE("a full device is an error of writing") {
    auto file = AtomicFile::create("/dev/full", false);
    REQUIRE(file.ok());
    const Status status = file->append(bytes_of("x"));
    REQUIRE_FALSE(status.ok());
    CHECK(status.message().find("/dev/full: cannot write") != std::string::npos);
    CHECK(status.message().find("free some space") != std::string::npos);
}

TEST_CASE("the limit on the size of files is an error of writing, and leaves nothing") {
    const testing::ScratchFolder folder;
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    {
        auto file = AtomicFile::create(folder.path("out"), false);
        REQUIRE(file.ok());
        rlimit small = before;
        small.rlim_cur = 1000;
        REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
        const Status status = file->append(std::vector<std::uint8_t>(5000));
        REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
        REQUIRE_FALSE(status.ok());
        CHECK(status.message().find("limit on the size of files") != std::string::npos);
    }
    std::signal(SIGXFSZ, handler);
    CHECK(names_in(folder.path(".")) == 0);
}
