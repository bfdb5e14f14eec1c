// Files that are cut while they are mapped. They read as zeros after the cut, and this is reported.
#include "formats/io/mapped_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <numeric>
#include <thread>

#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

constexpr std::size_t kPage = 4096;

std::uint64_t sum_of(std::span<const std::uint8_t> bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

bool all(std::span<const std::uint8_t> bytes, std::uint8_t value) {
    return std::ranges::all_of(bytes, [value](std::uint8_t byte) { return byte == value; });
}

/// Runs `work` in a child process. Returns the number of the signal that ended it, or 0.
template <class Work>
int signal_of(const Work& work) {
    const pid_t child = fork();
    if (child == 0) {
        work();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

TEST_CASE("a mapped file that is cut reads as zeros from the cut on, and others stay as they are") {
    const ScratchFolder folder;
    write_bytes(folder.path("cut"), std::vector<std::uint8_t>(10 * kPage, 7));
    write_bytes(folder.path("whole"), std::vector<std::uint8_t>(10 * kPage, 9));
    const auto cut = MappedFile::open(folder.path("cut"));
    const auto whole = MappedFile::open(folder.path("whole"));
    const auto again = MappedFile::open(folder.path("cut"));
    REQUIRE(cut.ok());
    REQUIRE(whole.ok());
    REQUIRE(again.ok());
    CHECK(cut->bytes().size() == 10 * kPage);
    std::filesystem::resize_file(folder.path("cut"), 3 * kPage);
    CHECK_FALSE(cut->lost());
    CHECK(all(cut->bytes().first(3 * kPage), 7));
    CHECK_FALSE(cut->lost());  // nothing behind the cut was read
    CHECK(all(cut->bytes().subspan(5 * kPage), 0));
    CHECK(cut->lost());
    CHECK(all(cut->bytes().subspan(3 * kPage), 0));
    CHECK(all(cut->bytes().first(3 * kPage), 7));
    CHECK(all(whole->bytes(), 9));
    CHECK_FALSE(whole->lost());
    CHECK_FALSE(again->lost());
    CHECK(all(again->bytes().last(1), 0));
    CHECK(again->lost());
}

TEST_CASE("threads that read a mapped file while it is cut go on") {
    const ScratchFolder folder;
    for (int round = 0; round < 20; ++round) {
        write_bytes(folder.path("cut"), std::vector<std::uint8_t>(50 * kPage, 1));
        const auto cut = MappedFile::open(folder.path("cut"));
        REQUIRE(cut.ok());
        std::atomic<int> reading = 0;
        std::atomic<bool> stop = false;
        std::vector<std::thread> threads;
        for (int t = 0; t < 3; ++t) {
            threads.emplace_back([&] {
                ++reading;
                while (!stop) {
                    if (sum_of(cut->bytes()) < 50 * kPage && cut->lost()) break;
                    // Others come and go meanwhile.
                    const auto other = MappedFile::open(folder.path("cut"));
                    if (!other.ok() || other->lost()) break;
                }
            });
        }
        while (reading < 3) std::this_thread::yield();
        std::filesystem::resize_file(folder.path("cut"), static_cast<std::uintmax_t>(round) * kPage);
        while (sum_of(cut->bytes()) != static_cast<std::uint64_t>(round) * kPage) std::this_thread::yield();
        stop = true;
        for (std::thread& thread : threads) thread.join();
        CHECK(cut->lost());
    }
}

TEST_CASE("a place in the table is used again, and what was lost before is not said of the next") {
    const ScratchFolder folder;
    write_bytes(folder.path("file"), std::vector<std::uint8_t>(2 * kPage, 5));
    for (std::size_t i = 0; i < 2 * MappedFile::kMostMappings; ++i) {
        auto mapped = MappedFile::open(folder.path("file"));
        REQUIRE(mapped.ok());
        const MappedFile moved = *std::move(mapped);
        REQUIRE_FALSE(moved.lost());
        if (i % 500 != 0) continue;
        std::filesystem::resize_file(folder.path("file"), 0);
        CHECK(sum_of(moved.bytes()) == 0);
        CHECK(moved.lost());
        write_bytes(folder.path("file"), std::vector<std::uint8_t>(2 * kPage, 5));
    }
    std::vector<MappedFile> many;
    for (;;) {
        auto mapped = MappedFile::open(folder.path("file"));
        if (!mapped.ok()) {
            CHECK(mapped.status().message().find("file: cannot map: 1024 files are mapped already") !=
                  std::string::npos);
            break;
        }
        many.push_back(*std::move(mapped));
        REQUIRE(many.size() <= MappedFile::kMostMappings);
    }
    CHECK(many.size() == MappedFile::kMostMappings);
}

TEST_CASE("only regular files are mapped, a FIFO is refused without waiting, and an empty file maps to nothing") {
    const ScratchFolder folder;
    REQUIRE(mkfifo(folder.path("fifo").c_str(), 0600) == 0);
    for (const auto& file : {folder.path("fifo"), folder.path("."), folder.path("missing")}) {
        const auto mapped = MappedFile::open(file);
        REQUIRE_FALSE(mapped.ok());
        CHECK(mapped.status().message().find(file.string()) == 0);
    }
    write_bytes(folder.path("empty"), {});
    const auto empty = MappedFile::open(folder.path("empty"));
    REQUIRE(empty.ok());
    CHECK(empty->bytes().empty());
    CHECK_FALSE(empty->lost());
}

#if !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)  // they have a handler of their own, which ends the process their way
TEST_CASE("a SIGBUS that has nothing to do with a mapped file ends the process as usual") {
    const ScratchFolder folder;
    write_bytes(folder.path("file"), std::vector<std::uint8_t>(kPage, 5));
    const auto mapped = MappedFile::open(folder.path("file"));
    REQUIRE(mapped.ok());
    CHECK(signal_of([] { raise(SIGBUS); }) == SIGBUS);
    CHECK(signal_of([] { kill(getpid(), SIGBUS); }) == SIGBUS);
}
#endif
