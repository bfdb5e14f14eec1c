// Identities of files. Two names of one thing have the same identity, with all kinds of links.
#include "formats/io/file_identity.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/scratch_folder.h"

using namespace warpseq;
using Kind = FileIdentity::Kind;

TEST_CASE("a file is the same under all its names, and no other is") {
    const testing::ScratchFolder folder;
    const auto path = folder.write("file", "x");
    folder.write("other", "x");
    std::filesystem::create_directory(folder.path("sub"));
    std::filesystem::create_symlink("file", folder.path("link"));
    std::filesystem::create_symlink("../link", folder.path("sub/link"));
    std::filesystem::create_directory_symlink("sub", folder.path("same"));
    std::filesystem::create_hard_link(path, folder.path("hard"));
    const auto file = identify_file(path);
    REQUIRE(file.ok());
    CHECK(file->kind == Kind::kRegular);
    CHECK(file->resolved == std::filesystem::canonical(path));
    for (const char* name : {"./file", "link", "sub/../file", "sub/link", "same/link", "hard"}) {
        CAPTURE(name);
        const auto same = identify_file(folder.path(name));
        REQUIRE(same.ok());
        CHECK(same->is_same(*file));
    }
    CHECK_FALSE(identify_file(folder.path("other"))->is_same(*file));
    CHECK_FALSE(identify_file(folder.path("missing"))->is_same(*file));
}

TEST_CASE("a file that does not exist yet is known by its folder and its name") {
    const testing::ScratchFolder folder;
    std::filesystem::create_directory(folder.path("sub"));
    std::filesystem::create_symlink("sub/new", folder.path("dangling"));
    const auto place = identify_file(folder.path("sub/new"));
    REQUIRE(place.ok());
    CHECK(place->kind == Kind::kAbsent);
    for (const char* name : {"sub/./new", "dangling", "sub/../sub/new"})
        CHECK(identify_file(folder.path(name))->is_same(*place));
    CHECK_FALSE(identify_file(folder.path("new"))->is_same(*place));
    CHECK_FALSE(identify_file(folder.path("sub/newer"))->is_same(*place));
    // A folder itself is not a place within it.
    CHECK_FALSE(identify_file(folder.path("sub"))->is_same(*place));
    CHECK_FALSE(identify_file(folder.path("missing/new")).ok());
    CHECK_FALSE(identify_file("").ok());
    std::filesystem::create_symlink("loop", folder.path("loop"));
    CHECK_FALSE(identify_file(folder.path("loop")).ok());
}

TEST_CASE("open descriptors are known by their names in /dev and /proc") {
    const testing::ScratchFolder folder;
    const auto path = folder.write("file", "x");
    const int descriptor = open(path.c_str(), O_RDONLY);
    const std::string number = std::to_string(descriptor);
    for (const std::string& name : {"/dev/fd/" + number, "/proc/self/fd/" + number, "/proc/thread-self/fd/" + number}) {
        CAPTURE(name);
        const auto identity = identify_file(name);
        REQUIRE(identity.ok());
        CHECK(identity->descriptor == descriptor);
        CHECK(identity->is_same(*identify_file(path)));
    }
    close(descriptor);
    CHECK(identify_file("/dev/stdout")->descriptor == 1);
    CHECK(identify_file(path)->descriptor == -1);
    CHECK_FALSE(identify_file("/dev/fd/" + number).ok());
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    CHECK(identify_descriptor(ends[0])->kind == Kind::kPipe);
    CHECK(identify_descriptor(ends[0])->is_same(*identify_file("/dev/fd/" + std::to_string(ends[1]))));
    close(ends[0]);
    close(ends[1]);
}

TEST_CASE("kinds") {
    const testing::ScratchFolder folder;
    REQUIRE(mkfifo(folder.path("fifo").c_str(), 0600) == 0);
    CHECK(identify_file(folder.path("fifo"))->kind == Kind::kPipe);
    CHECK(identify_file("/dev/null")->kind == Kind::kDevice);
    CHECK(identify_file(folder.path("."))->kind == Kind::kOther);
    CHECK(identify_file("/")->kind == Kind::kOther);
}
