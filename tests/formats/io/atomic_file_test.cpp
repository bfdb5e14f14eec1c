// Output files. They appear whole or not at all, and replace only what they may replace.
#include "formats/io/atomic_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "formats/io/temporary_file.h"
#include "formats/io/unfinished_names.h"
#include "libcore/base/stop_scope.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using Unfinished = AtomicFile::Unfinished;

namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string content(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

mode_t mode_of(const std::filesystem::path& file) {
    struct stat info {};
    REQUIRE(stat(file.c_str(), &info) == 0);
    return info.st_mode & 07777;
}

/// Returns everything that comes out of a pipe whose writing ends are closed.
std::string drain(int descriptor) {
    std::string text;
    char buffer[64];
    for (ssize_t got; (got = read(descriptor, buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(got));
    return text;
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
    CHECK(refused.status().message() == path.string() + ": exists already");
    CHECK(refused.status().advice() == Advice::kReplace);
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

TEST_CASE("if no file is replaced, no other name ever appears, so that a kill leaves none") {
    for (const bool replace : {false, true}) {
        const testing::ScratchFolder folder;
        auto file = AtomicFile::create(folder.path("out"), replace);
        REQUIRE(file.ok());
        REQUIRE(file->append(bytes_of("whole")).ok());
        if (names_in(folder.path(".")) != 0) {
            MESSAGE("skipped: this file system has no files without a name");
            return;
        }
        const int changes = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
        REQUIRE(inotify_add_watch(changes, folder.path(".").c_str(), IN_CREATE | IN_MOVE | IN_DELETE) >= 0);
        REQUIRE(file->commit().ok());
        CHECK(content(folder.path("out")) == "whole");
        alignas(inotify_event) char events[4096];
        const ssize_t got = read(changes, events, sizeof events);
        close(changes);
        // There is one event, with the only name, which is padded.
        REQUIRE(got > static_cast<ssize_t>(sizeof(inotify_event)));
        inotify_event first{};
        std::memcpy(&first, events, sizeof first);
        CHECK(static_cast<std::size_t>(got) == sizeof first + first.len);
        CHECK(first.mask == IN_CREATE);
        CHECK(std::string(events + sizeof first) == "out");
    }
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

TEST_CASE("an existing file that is written into keeps its inode, permissions, links and readers") {
    const testing::ScratchFolder folder;
    const auto path = folder.write("out", "old content that is longer");
    std::filesystem::create_hard_link(path, folder.path("hard"));
    std::filesystem::create_symlink("out", folder.path("soft"));
    REQUIRE(chmod(path.c_str(), 0604) == 0);
    struct stat before {};
    REQUIRE(stat(path.c_str(), &before) == 0);
    const int reader = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    std::string expected;
    for (const char* name : {"out", "soft", "hard"}) {
        auto file = AtomicFile::create(folder.path(name), ExistingFile::kWriteInto);
        REQUIRE(file.ok());
        CHECK(file->can_seek());
        const std::string old = content(path);
        // The content is larger than a piece of the copy.
        expected = std::string(std::size_t{600'000}, name[0]) + name;
        REQUIRE(file->append(bytes_of(expected)).ok());
        REQUIRE(file->write_at(1, bytes_of("?")).ok());
        expected[1] = '?';
        file->start_write_back(0, expected.size());
        CHECK(content(path) == old);
        REQUIRE(file->commit().ok());
        CHECK(content(path) == expected);
    }
    CHECK(lseek(reader, 0, SEEK_SET) == 0);
    CHECK(drain(reader) == expected);
    close(reader);
    // The new content is shorter than before, or empty.
    for (const std::string& text : {std::string("short"), std::string()}) {
        auto file = AtomicFile::create(path, ExistingFile::kWriteInto);
        REQUIRE(file.ok());
        REQUIRE(file->append(bytes_of(text)).ok());
        REQUIRE(file->commit().ok());
        CHECK(content(folder.path("hard")) == text);
    }
    struct stat after {};
    REQUIRE(stat(path.c_str(), &after) == 0);
    CHECK(after.st_ino == before.st_ino);
    CHECK(after.st_nlink == 2);
    CHECK(mode_of(path) == 0604);
    CHECK(std::filesystem::is_symlink(folder.path("soft")));
    CHECK(names_in(folder.path(".")) == 3);
}

TEST_CASE("without a commit an existing file that would be written into stays as it was") {
    const testing::ScratchFolder folder;
    const auto path = folder.write("out", "old");
    struct stat before {};
    REQUIRE(stat(path.c_str(), &before) == 0);
    {
        auto file = AtomicFile::create(path, ExistingFile::kWriteInto);
        REQUIRE(file.ok());
        REQUIRE(file->append(bytes_of("half")).ok());
    }
    struct stat after {};
    REQUIRE(stat(path.c_str(), &after) == 0);
    CHECK(content(path) == "old");
    CHECK(after.st_mtim.tv_nsec == before.st_mtim.tv_nsec);
    CHECK(names_in(folder.path(".")) == 1);
}

TEST_CASE("if there is no file to write into, one appears as usual") {
    const testing::ScratchFolder folder;
    std::filesystem::create_symlink("target", folder.path("link"));
    for (const char* name : {"out", "link"}) {
        auto file = AtomicFile::create(folder.path(name), ExistingFile::kWriteInto);
        REQUIRE(file.ok());
        REQUIRE(file->append(bytes_of("new")).ok());
        CHECK_FALSE(std::filesystem::exists(folder.path(name)));
        REQUIRE(file->commit().ok());
        CHECK(content(folder.path(name)) == "new");
    }
    CHECK(std::filesystem::is_symlink(folder.path("link")));
}

TEST_CASE("an error while an existing file is written into says so, and leaves the beginning of the content") {
    const testing::ScratchFolder folder;
    const auto path = folder.write("out", "old");
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    auto file = AtomicFile::create(path, ExistingFile::kWriteInto);
    REQUIRE(file.ok());
    REQUIRE(file->append(std::vector<std::uint8_t>(5000, 'n')).ok());
    rlimit small = before;
    small.rlim_cur = 1000;
    REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
    const Status status = file->commit();
    REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
    std::signal(SIGXFSZ, handler);
    REQUIRE_FALSE(status.ok());
    CHECK(status.message().find(path.string() + ": cannot write") == 0);
    CHECK(content(path) == std::string(1000, 'n'));
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

TEST_CASE("a finished file has the permissions of the one that it replaces") {
    const testing::ScratchFolder folder;
    const auto path = folder.write("out", "old");
    const mode_t mask = umask(027);
    for (const auto unfinished : {Unfinished::kWithoutName, Unfinished::kWithTemporaryName}) {
        for (const mode_t mode : {0600U, 0640U, 0644U, 0755U, 0444U, 0666U, 0200U}) {
            CAPTURE(mode);
            REQUIRE(chmod(path.c_str(), mode) == 0);
            auto file = AtomicFile::create(path, true, unfinished);
            REQUIRE(file.ok());
            REQUIRE(file->append(bytes_of("new")).ok());
            REQUIRE(file->commit().ok());
            CHECK(mode_of(path) == mode);
        }
        // A new file has the permissions that the mask leaves.
        auto file = AtomicFile::create(folder.path("other"), true, unfinished);
        REQUIRE(file.ok());
        REQUIRE(file->commit().ok());
        CHECK(mode_of(folder.path("other")) == 0640);
        std::filesystem::remove(folder.path("other"));
    }
    umask(mask);
}

TEST_CASE("under a temporary name a file is no more open than the one that it replaces") {
    const testing::ScratchFolder folder;
    const auto path = folder.write("out", "old");
    REQUIRE(chmod(path.c_str(), 0600) == 0);
    const auto file = AtomicFile::create(path, true, Unfinished::kWithTemporaryName);
    REQUIRE(file.ok());
    REQUIRE(names_in(folder.path(".")) == 2);
    for (const auto& entry : std::filesystem::directory_iterator(folder.path(".")))
        CHECK(mode_of(entry.path()) == 0600);
}

TEST_CASE("names are as long as the file system takes") {
    const testing::ScratchFolder folder;
    for (const auto unfinished : {Unfinished::kWithoutName, Unfinished::kWithTemporaryName}) {
        for (const bool replace : {false, true}) {
            for (const std::string& letter :
                 {std::string("n"), std::string("\xc3\xa9"), std::string("\xf0\x9f\xa7\xac")}) {
                std::string name = "x";
                while (name.size() + letter.size() <= NAME_MAX) name += letter;
                CAPTURE(name);
                auto file = AtomicFile::create(folder.path(name), replace, unfinished);
                REQUIRE(file.ok());
                REQUIRE(file->append(bytes_of("whole")).ok());
                REQUIRE(file->commit().ok());
                CHECK(content(folder.path(name)) == "whole");
                CHECK(names_in(folder.path(".")) == 1);
                std::filesystem::remove(folder.path(name));
            }
        }
        // A name that is one letter longer is refused before anything is written.
        const auto file = AtomicFile::create(folder.path(std::string(NAME_MAX + 1, 'n')), true, unfinished);
        REQUIRE_FALSE(file.ok());
        CHECK(file.status().message().find("File name too long") != std::string::npos);
    }
}

TEST_CASE("a temporary name is a file's until it is whole, and goes with it") {
    const testing::ScratchFolder folder;
    const auto path = folder.write("out", "old");
    {
        auto file = AtomicFile::create(path, true, Unfinished::kWithTemporaryName);
        REQUIRE(file.ok());
        REQUIRE(file->append(bytes_of("half")).ok());
        CHECK(names_in(folder.path(".")) == 2);
        CHECK(content(path) == "old");
    }
    CHECK(names_in(folder.path(".")) == 1);
    auto kept = AtomicFile::create(path, false, Unfinished::kWithTemporaryName);
    CHECK_FALSE(kept.ok());
    auto fresh = AtomicFile::create(folder.path("fresh"), false, Unfinished::kWithTemporaryName);
    REQUIRE(fresh.ok());
    folder.write("fresh", "somebody else's");
    CHECK_FALSE(fresh->commit().ok());
    CHECK(content(folder.path("fresh")) == "somebody else's");
}

TEST_CASE("a signal handler can remove all unfinished files") {
    const testing::ScratchFolder folder;
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const auto one = AtomicFile::create(folder.path("one"), true, Unfinished::kWithTemporaryName);
        const auto two = AtomicFile::create(folder.path("two"), true, Unfinished::kWithTemporaryName);
        const bool there = names_in(folder.path(".")) == 2;
        remove_unfinished_files();
        _exit(one.ok() && two.ok() && there ? 0 : 1);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(names_in(folder.path(".")) == 0);
}

TEST_CASE("many files at once: each has its own temporary name, and what is too much is an error") {
    const testing::ScratchFolder folder;
    std::vector<AtomicFile> files;
    for (int n = 0; n < 64; ++n) {
        auto file = AtomicFile::create(folder.path("out" + std::to_string(n)), true, Unfinished::kWithTemporaryName);
        REQUIRE(file.ok());
        files.push_back(*std::move(file));
    }
    CHECK(names_in(folder.path(".")) == files.size());
    {
        const int in = open(folder.path(".").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
        std::vector<UnfinishedName> names;  // without files
        Status status;
        while (status.ok() && names.size() < 10'000) {
            auto name = UnfinishedName::of(in, "name" + std::to_string(names.size()), in);
            status = name.status();
            if (name.ok()) names.push_back(*std::move(name));
        }
        CHECK(names.size() > 512);  // as many as a set may have volumes
        CHECK(status.message().find("too many unfinished files") != std::string::npos);
        names.clear();
        close(in);
    }
    for (AtomicFile& file : files) CHECK(file.commit().ok());
    CHECK(names_in(folder.path(".")) == files.size());
    // Their places are free again.
    CHECK(AtomicFile::create(folder.path("more"), true, Unfinished::kWithTemporaryName).ok());
}

TEST_CASE("a pipe, a FIFO and a socket are written as they come, without leave to replace") {
    const testing::ScratchFolder folder;
    int ends[2] = {-1, -1};
    const auto check = [&](const std::filesystem::path& name) {
        auto file = AtomicFile::create(name, false);
        REQUIRE(file.ok());
        CHECK_FALSE(file->can_seek());
        CHECK_FALSE(file->is_terminal());
        REQUIRE(file->append(bytes_of("one ")).ok());
        char first[4] = {};
        CHECK(read(ends[0], first, 4) == 4);
        CHECK(std::string_view(first, 4) == "one ");
        REQUIRE(file->append(bytes_of("two")).ok());
        REQUIRE(file->commit().ok());
        CHECK(file->size_bytes() == 7);
        file = AtomicFile::create(folder.path("elsewhere"), true);  // closes
        close(ends[1]);
        CHECK(drain(ends[0]) == "two");
        close(ends[0]);
    };
    REQUIRE(pipe(ends) == 0);
    check("/dev/fd/" + std::to_string(ends[1]));
    REQUIRE(pipe(ends) == 0);
    check("/proc/self/fd/" + std::to_string(ends[1]));
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    check("/dev/fd/" + std::to_string(ends[1]));
    REQUIRE(mkfifo(folder.path("fifo").c_str(), 0600) == 0);
    ends[0] = open(folder.path("fifo").c_str(), O_RDONLY | O_NONBLOCK);
    ends[1] = open(folder.path("fifo").c_str(), O_WRONLY);
    check(folder.path("fifo"));
    CHECK(std::filesystem::is_fifo(folder.path("fifo")));
}

TEST_CASE("a stop ends the wait for the reader of a FIFO, before it has come and after it takes no more") {
    const testing::ScratchFolder folder;
    const auto fifo = folder.path("fifo");
    REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
    const std::vector<std::uint8_t> bytes(1'000'000, 'x');
    for (const bool has_reader : {false, true}) {
        CAPTURE(has_reader);
        const int reader = has_reader ? open(fifo.c_str(), O_RDONLY | O_NONBLOCK) : -1;
        std::stop_source stop;
        const StopScope scope(stop.get_token());
        std::thread stopper([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            stop.request_stop();
        });
        auto file = AtomicFile::create(fifo, ExistingFile::kReplace);
        CHECK(file.ok() == has_reader);
        const Status status = file.ok() ? file->append(bytes) : file.status();
        CHECK(status.code() == StatusCode::kInterrupted);
        stopper.join();
        if (has_reader) close(reader);
    }
}

TEST_CASE("a descriptor of a file is written on from where it stands, and the file stays the same one") {
    const testing::ScratchFolder folder;
    const auto path = folder.write("log", "before ");
    std::filesystem::create_symlink("/proc/self/fd", folder.path("descriptors"));
    const int descriptor = open(path.c_str(), O_WRONLY | O_APPEND);
    const std::string number = std::to_string(descriptor);
    std::filesystem::create_symlink("/dev/fd/" + number, folder.path("link"));
    for (const std::filesystem::path& name :
         {std::filesystem::path("/dev/fd/" + number), folder.path("link"), folder.path("descriptors/" + number)}) {
        auto file = AtomicFile::create(name, false);
        REQUIRE(file.ok());
        REQUIRE(file->append(bytes_of("x")).ok());
        REQUIRE(file->commit().ok());
    }
    close(descriptor);
    CHECK(content(path) == "before xxx");
    const int reading = open(path.c_str(), O_RDONLY);
    const auto refused = AtomicFile::create("/dev/fd/" + std::to_string(reading), true);
    close(reading);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.status().message().find("open for reading only") != std::string::npos);
    CHECK_FALSE(AtomicFile::create("/dev/fd/999", true).ok());
}

TEST_CASE("a dangling link is written through, and stays one") {
    const testing::ScratchFolder folder;
    std::filesystem::create_directory(folder.path("there"));
    std::filesystem::create_symlink("there/target", folder.path("link"));
    auto file = AtomicFile::create(folder.path("link"), false);
    REQUIRE(file.ok());
    REQUIRE(file->append(bytes_of("new")).ok());
    REQUIRE(file->commit().ok());
    CHECK(std::filesystem::is_symlink(folder.path("link")));
    CHECK(content(folder.path("there/target")) == "new");
}

TEST_CASE("a temporary file of the caller's is written at any offset, and stays without a name") {
    const testing::ScratchFolder folder;
    auto temporary = TemporaryFile::create(folder.path("."));
    REQUIRE(temporary.ok());
    auto file = AtomicFile::of_temporary(*temporary);
    REQUIRE(file.ok());
    CHECK(file->can_seek());
    REQUIRE(file->append(bytes_of("xxxxend")).ok());
    REQUIRE(file->write_at(0, bytes_of("from")).ok());
    CHECK(file->size_bytes() == 7);
    REQUIRE(file->append(bytes_of("!")).ok());
    REQUIRE(file->commit().ok());
    std::vector<std::uint8_t> bytes(8);
    REQUIRE(temporary->read_at(0, bytes).ok());
    CHECK(std::string(bytes.begin(), bytes.end()) == "fromend!");
    CHECK(std::filesystem::is_empty(folder.path(".")));
}
