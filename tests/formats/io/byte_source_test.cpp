// ByteSource: compression, damage, digests, and files that cannot be read.
#include "formats/io/byte_source.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "libcore/base/random.h"
#include "libcore/base/stop_scope.h"
#include "tests/support/gzip.h"
#include "tests/support/scratch_folder.h"

namespace warpseq {
namespace {

using testing::gzip;

using namespace std::string_literals;  // text with NUL bytes in it

constexpr std::array<std::size_t, 5> kBlockSizes{1, 2, 13, 4096, kDefaultBlockBytes};

struct Content {
    std::string bytes;
    Status status;
    std::uint64_t stored_bytes = 0;
    std::string digest;  // where the end was reached
};

Content read_all(const std::filesystem::path& file, std::size_t block_bytes = kDefaultBlockBytes,
                 unsigned decoders = 1) {
    Content content;
    Result<ByteSource> source = ByteSource::open(file, block_bytes, decoders);
    if (!source.ok()) {
        content.status = source.status();
        return content;
    }
    for (;;) {
        const Result<std::span<const std::uint8_t>> block = source->next_block();
        if (!block.ok()) {
            content.status = block.status();
            break;
        }
        if (block->empty()) {
            content.digest = source->stored_xxh3_128();
            break;
        }
        CHECK(block->size() <= block_bytes);
        content.bytes.append(reinterpret_cast<const char*>(block->data()), block->size());
    }
    content.stored_bytes = source->stored_bytes();
    return content;
}

std::string zstd(std::string_view text) {
    std::string stored(ZSTD_compressBound(text.size()), '\0');
    ZSTD_CCtx* const context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    const std::size_t bytes = ZSTD_compress2(context, stored.data(), stored.size(), text.data(), text.size());
    ZSTD_freeCCtx(context);
    REQUIRE(ZSTD_isError(bytes) == 0);
    stored.resize(bytes);
    return stored;
}

/// Text that compresses, but not to nothing.
std::string some_text(std::size_t bytes, std::uint64_t seed = 1) {
    Random random(seed);
    std::string text(bytes, ' ');
    for (char& byte : text) byte = static_cast<char>('A' + random.below(23));
    return text;
}

std::string digest_of(std::string_view bytes) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    std::array<char, 33> text{};
    std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                  static_cast<unsigned long long>(hash.low64));
    return text.data();
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE("a peek takes nothing") {
    const testing::ScratchFolder folder;
    const std::filesystem::path file = folder.write("abcdefg", "abcdefg");
    Result<ByteSource> source = ByteSource::open(file, 3);
    REQUIRE(source.ok());
    const auto shown = [](const Result<std::span<const std::uint8_t>>& block) {
        REQUIRE(block.ok());
        return std::string(block->begin(), block->end());
    };
    CHECK(shown(source->peek_block()) == "abc");
    CHECK(shown(source->peek_block()) == "abc");
    CHECK(shown(source->next_block()) == "abc");
    CHECK(shown(source->next_block()) == "def");
    CHECK(shown(source->peek_block()) == "g");
    CHECK(shown(source->next_block()) == "g");
    CHECK(shown(source->peek_block()).empty());
    CHECK(shown(source->next_block()).empty());
    CHECK(shown(source->next_block()).empty());
}

TEST_CASE("the rest is read at once, or as much as is requested") {
    const testing::ScratchFolder folder;
    const std::filesystem::path file = folder.write("abcdefg", "abcdefg");
    for (const auto& [most_bytes, expected] :
         {std::pair<std::uint64_t, std::string_view>{100, "defg"}, {4, "defg"}, {3, "defg"}, {2, "def"}, {0, "def"}}) {
        Result<ByteSource> source = ByteSource::open(file, 3);
        REQUIRE(source.ok());
        REQUIRE(source->next_block().ok());
        const Result<std::string> rest = source->read_rest(most_bytes);
        REQUIRE(rest.ok());
        CHECK(*rest == expected);
    }
    CHECK_FALSE(ByteSource::open(folder.write("cut.gz", gzip("text").substr(0, 20)))->read_rest().ok());
}

TEST_CASE("plain, gzip and zstd give the same bytes, whatever the block size") {
    const testing::ScratchFolder scratch;
    const std::string text = some_text(6'000);
    struct Case {
        const char* name;
        std::string stored, bytes;
    };
    const std::vector<Case> cases{
        {"plain", text, text},
        {"gzip", gzip(text), text},
        {"gzip members", gzip(text) + gzip("") + gzip("tail"), text + "tail"},
        {"gzip and padding", gzip(text) + std::string(600, '\0'), text},
        {"zstd", zstd(text), text},
        {"zstd frames", zstd(text) + zstd("") + zstd("tail"), text + "tail"},
        {"zstd skippable", "\x50\x2a\x4d\x18\x03\0\0\0abc"s + zstd(text), text},
        {"empty", "", ""},
        {"one byte", "x", "x"},
        {"empty gzip", gzip(""), ""},
        {"empty zstd", zstd(""), ""},
        {"plain that begins like gzip", "\x1f", "\x1f"},
        {"plain that begins like zstd", "\x28\xb5\x2f", "\x28\xb5\x2f"},
        {"well compressed", gzip(std::string(1'000'000, 'A')), std::string(1'000'000, 'A')},
    };
    for (const Case& c : cases) {
        CAPTURE(c.name);
        const auto file = scratch.write("file", c.stored);
        for (const std::size_t block_bytes : kBlockSizes) {
            if (block_bytes < 100 && c.bytes.size() > 100'000) continue;
            const Content content = read_all(file, block_bytes);
            CHECK(content.status.message() == "");
            CHECK(content.bytes == c.bytes);
            CHECK(content.stored_bytes == c.stored.size());
            CHECK(content.digest == digest_of(c.stored));
        }
    }
}

TEST_CASE("more than all blocks in flight hold") {
    const testing::ScratchFolder scratch;
    const std::string text = some_text(5'000'000);
    CHECK(read_all(scratch.write("plain", text)).bytes == text);
    CHECK(read_all(scratch.write("zstd", zstd(text))).bytes == text);
}

TEST_CASE("every cut of a compressed file is an error that names the file and the place") {
    const testing::ScratchFolder scratch;
    const std::string text = some_text(3'000);
    for (const bool use_zstd : {false, true}) {
        CAPTURE(use_zstd);
        const std::string stored = use_zstd ? zstd(text) : gzip(text);
        const std::size_t shortest = use_zstd ? 4 : 2;  // below it the compression cannot be recognised
        for (std::size_t bytes = shortest; bytes < stored.size(); ++bytes) {
            const Content content = read_all(scratch.write("cut.fa", stored.substr(0, bytes)));
            CAPTURE(bytes);
            REQUIRE_FALSE(content.status.ok());
            CHECK(content.status.code() == StatusCode::kInvalidInput);
            CHECK(contains(content.status.message(), "cut.fa: "));
            CHECK(contains(content.status.message(),
                           "cut off at byte " + std::to_string(bytes) + " of the compressed file"));
            CHECK(text.starts_with(content.bytes));
        }
    }
}

TEST_CASE("every changed byte of a compressed file is an error") {
    const testing::ScratchFolder scratch;
    const std::string text = some_text(400);
    for (const bool use_zstd : {false, true}) {
        CAPTURE(use_zstd);
        const std::string stored = use_zstd ? zstd(text) : gzip(text);
        for (std::size_t place = 0; place < stored.size(); ++place) {
            // gzip's header holds a time, flags and a system that no check covers.
            if (!use_zstd && place >= 3 && place < 10) continue;
            std::string damaged = stored;
            damaged[place] = static_cast<char>(damaged[place] ^ 0x08);
            const Content content = read_all(scratch.write("damaged.fa", damaged));
            CAPTURE(place);
            if (place < (use_zstd ? 4u : 2u)) {
                CHECK(content.bytes == damaged);  // no longer recognised, so it is plain
            } else {
                CHECK_FALSE(content.status.ok());
                CHECK(contains(content.status.message(), "damaged.fa: "));
                CHECK(contains(content.status.message(), " byte "));
            }
        }
    }
}

TEST_CASE("other bytes behind compressed data are an error") {
    const testing::ScratchFolder scratch;
    const std::string member = gzip("text");
    for (const std::size_t block_bytes : kBlockSizes) {
        const Content garbage = read_all(scratch.write("file", member + "garbage"), block_bytes);
        CHECK(contains(garbage.status.message(), "something other than gzip data follows the gzip data at byte " +
                                                     std::to_string(member.size())));
        CHECK_FALSE(read_all(scratch.write("file", member + std::string(5, '\0') + member), block_bytes).status.ok());
        CHECK_FALSE(read_all(scratch.write("file", member + "\x1f\x8b"), block_bytes).status.ok());
        CHECK_FALSE(read_all(scratch.write("file", zstd("text") + "garbage"), block_bytes).status.ok());
    }
}

TEST_CASE("a bgzip file without its end mark was cut") {
    const testing::ScratchFolder scratch;
    const auto with_mark = [](std::string stored) {
        stored[3] = 4;  // there is an extra field, with bgzip's mark: 'B' 'C', 2 bytes, a block size
        return stored.substr(0, 10) + "\x06\0BC\x02\0\x20\0"s + stored.substr(10);
    };
    const std::string block = with_mark(gzip("some text"));
    const std::string end_mark = with_mark(gzip(""));
    CHECK(read_all(scratch.write("file", block + block + end_mark)).bytes == "some textsome text");
    CHECK(contains(read_all(scratch.write("file", block + block)).status.message(), "bgzip's end mark is missing"));
}

/// A block as bgzip writes it.
std::string bgzip_block(std::string_view text) {
    std::string stored = gzip(text);
    stored[3] = 4;
    stored.insert(10, "\x06\0BC\x02\0\0\0"s);
    const std::size_t size = stored.size() - 1;
    stored[16] = static_cast<char>(size & 0xff);
    stored[17] = static_cast<char>(size >> 8);
    return stored;
}

std::string bgzip(std::string_view text) {
    std::string stored;
    for (; !text.empty(); text.remove_prefix(std::min<std::size_t>(text.size(), 40'000)))
        stored += bgzip_block(text.substr(0, 40'000));
    return stored + bgzip_block("");
}

std::string zstd_frames(std::string_view text, std::size_t frame_bytes) {
    std::string stored;
    for (; !text.empty(); text.remove_prefix(std::min(text.size(), frame_bytes)))
        stored += zstd(text.substr(0, frame_bytes)) + "\x51\x2a\x4d\x18\x02\0\0\0ab"s;
    return stored;
}

TEST_CASE("several decoders give the same bytes as one, of blocks, frames and what only looks like them") {
    const testing::ScratchFolder scratch;
    const std::string text = some_text(4'000'000);
    std::string liar = bgzip_block(text.substr(0, 5000));
    liar[16] = static_cast<char>(liar[16] ^ 1);
    const std::vector<std::string> files = {bgzip(text),
                                            bgzip(text) + bgzip("more"),
                                            bgzip(text) + std::string(70'000, '\0'),
                                            bgzip(text) + gzip(text) + bgzip("x"),
                                            liar + bgzip(text),
                                            bgzip(text.substr(0, 100'000)) + liar + bgzip(text),
                                            zstd_frames(text, 30'000),
                                            zstd_frames(text, 1'500'000),
                                            zstd(text) + zstd_frames(text, 10'000),
                                            zstd_frames(text, 10'000) + zstd(text),
                                            zstd(std::string(30'000'000, 'A')) + zstd("x"),
                                            gzip(text) + gzip(text)};
    for (std::size_t f = 0; f < files.size(); ++f) {
        CAPTURE(f);
        const auto file = scratch.write("file", files[f]);
        const Content expected = read_all(file);
        CHECK(expected.status.message() == "");
        for (const unsigned decoders : {2u, 5u}) {
            for (const std::size_t block_bytes : {std::size_t{1000}, kDefaultBlockBytes}) {
                const Content found = read_all(file, block_bytes, decoders);
                CHECK(found.status.message() == "");
                CHECK((found.bytes == expected.bytes));
                CHECK(found.stored_bytes == files[f].size());
                CHECK(found.digest == digest_of(files[f]));
            }
        }
    }
}

/// The message of zstd names the byte after which data are damaged, which is the last byte that was
/// given.
std::string without_digits(std::string text) {
    std::erase_if(text, [](char byte) { return byte >= '0' && byte <= '9'; });
    return text;
}

TEST_CASE("several decoders find the same damage as one") {
    const testing::ScratchFolder scratch;
    const std::string text = some_text(1'500'000);
    Random random(5);
    for (const std::string& stored : {bgzip(text), zstd_frames(text, 200'000)}) {
        for (int round = 0; round < 120; ++round) {
            std::string damaged = stored;
            const std::size_t place = 20 + random.below(stored.size() - 20);
            switch (random.below(4)) {
                case 0: damaged.resize(place); break;
                case 1: damaged.erase(place, 1 + random.below(50)); break;
                case 2: damaged.insert(place, "xyz"); break;
                default: damaged[place] = static_cast<char>(damaged[place] ^ (1 << random.below(8)));
            }
            const auto file = scratch.write("file", damaged);
            const Content expected = read_all(file), found = read_all(file, kDefaultBlockBytes, 4);
            CAPTURE(round);
            CAPTURE(place);
            CHECK(without_digits(found.status.message()) == without_digits(expected.status.message()));
            // How much of what is damaged comes before the error differs.
            const std::size_t both = std::min(found.bytes.size(), expected.bytes.size());
            CHECK((found.bytes.compare(0, both, expected.bytes, 0, both) == 0));
            if (expected.status.ok()) CHECK(found.bytes.size() == expected.bytes.size());
        }
    }
}

TEST_CASE("a source with several decoders can be closed in the middle") {
    const testing::ScratchFolder scratch;
    const auto file = scratch.write("file", bgzip(some_text(20'000'000)));
    Result<ByteSource> source = ByteSource::open(file, 1000, 4);
    REQUIRE(source.ok());
    REQUIRE(source->next_block().ok());
}

TEST_CASE("a zstd window that would take too much memory is refused") {
    const testing::ScratchFolder scratch;
    // A frame header alone: magic, a descriptor without a content size, a window of 2^31 bytes.
    const Content content = read_all(scratch.write("long.zst", "\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00"s));
    CHECK(contains(content.status.message(), "--long"));
}

TEST_CASE("a file that cannot be opened gives the reason") {
    const testing::ScratchFolder scratch;
    const Content missing = read_all(scratch.path("missing.fa"));
    CHECK(missing.status.code() == StatusCode::kIo);
    CHECK(contains(missing.status.message(), "missing.fa: cannot be opened: No such file or directory"));
    const Content folder = read_all(scratch.path(""));
    CHECK(folder.status.code() == StatusCode::kIo);
    CHECK(contains(folder.status.message(), "is a directory"));
    const auto secret = scratch.write("secret.fa", ">a\nM\n");
    REQUIRE(::chmod(secret.c_str(), 0) == 0);
    if (::geteuid() == 0) {
        MESSAGE("skipped: root may read every file");
    } else {
        CHECK(contains(read_all(secret).status.message(), "secret.fa: cannot be opened: Permission denied"));
    }
}

TEST_CASE("standard input and pipes, which hand out little at a time") {
    const testing::ScratchFolder scratch;
    const std::string text = some_text(100'000);
    const auto pipe = scratch.path("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::thread writer([&] {
        const int fd = ::open(pipe.c_str(), O_WRONLY);
        const std::string stored = gzip(text);
        for (std::size_t at = 0; at < stored.size();) {
            const ssize_t written = ::write(fd, stored.data() + at, std::min<std::size_t>(777, stored.size() - at));
            if (written <= 0) break;
            at += static_cast<std::size_t>(written);
        }
        ::close(fd);
    });
    const Content content = read_all(pipe);
    writer.join();
    CHECK(content.status.message() == "");
    CHECK(content.bytes == text);

    const int saved = ::dup(STDIN_FILENO);
    const auto file = scratch.write("input", text);
    const int fd = ::open(file.c_str(), O_RDONLY);
    REQUIRE(::dup2(fd, STDIN_FILENO) == STDIN_FILENO);
    ::close(fd);
    const Content from_stdin = read_all("-");
    ::dup2(saved, STDIN_FILENO);
    ::close(saved);
    CHECK(from_stdin.bytes == text);
    CHECK(from_stdin.digest == digest_of(text));
}

TEST_CASE("a source can be closed in the middle, also of a pipe that never ends") {
    const testing::ScratchFolder scratch;
    {
        Result<ByteSource> source = ByteSource::open(scratch.write("large", some_text(3'000'000)));
        REQUIRE(source.ok());
        REQUIRE(source->next_block().ok());
    }
    const auto pipe = scratch.path("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const int both_ends = ::open(pipe.c_str(), O_RDWR);
    {
        Result<ByteSource> source = ByteSource::open(pipe);
        REQUIRE(source.ok());
        REQUIRE(::write(both_ends, ">a\n", 3) == 3);
    }
    ::close(both_ends);
}

TEST_CASE("a FIFO is opened before it has a writer, and reading waits for the first writer and ends with the last") {
    const testing::ScratchFolder scratch;
    const auto pipe = scratch.path("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    for (const std::string& text : {some_text(300'000), std::string()}) {
        CAPTURE(text.size());
        Result<ByteSource> source = ByteSource::open(pipe);
        REQUIRE(source.ok());
        std::thread writer([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            const int first = ::open(pipe.c_str(), O_WRONLY);
            const int second = ::open(pipe.c_str(), O_WRONLY);
            const std::size_t half = text.size() / 2;
            CHECK(::write(first, text.data(), half) == static_cast<ssize_t>(half));
            ::close(first);
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            CHECK(::write(second, text.data() + half, text.size() - half) == static_cast<ssize_t>(text.size() - half));
            ::close(second);
        });
        const auto all = source->read_rest();
        writer.join();
        REQUIRE(all.ok());
        CHECK(*all == text);
    }
}

TEST_CASE("a pipe is refused if no descriptor is left for the wait") {
    const testing::ScratchFolder scratch;
    const auto pipe = scratch.path("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const int next = ::open("/dev/null", O_RDONLY);
    REQUIRE(next >= 0);
    ::close(next);
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    rlimit few = before;
    few.rlim_cur = static_cast<rlim_t>(next) + 1;  // one descriptor, which the pipe takes
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    const Status status = ByteSource::open(pipe).status();
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(status.code() == StatusCode::kIo);
    CHECK(contains(status.message(), "pipe: cannot be read: Too many open files"));
}

TEST_CASE("a pipe that is open already is read by its name, even if its writer has left") {
    const std::string text = some_text(20'000);  // less than a pipe holds
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    REQUIRE(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    ::close(ends[1]);
    const int saved = ::dup(STDIN_FILENO);
    REQUIRE(::dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    ::close(ends[0]);
    const Content content = read_all("/dev/stdin");
    ::dup2(saved, STDIN_FILENO);
    ::close(saved);
    CHECK(content.status.message() == "");
    CHECK(content.bytes == text);
}

TEST_CASE("a stop of the thread that reads or has opened ends the wait for a pipe, and reading goes on afterwards") {
    const testing::ScratchFolder scratch;
    const auto pipe = scratch.path("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const std::string stored = gzip(some_text(200'000));
    const std::size_t part = std::min<std::size_t>(stored.size() / 2, 30'000);
    for (const unsigned decoders : {1U, 2U}) {
        for (const bool has_writer : {false, true}) {
            CAPTURE(decoders);
            CAPTURE(has_writer);
            const int writer = has_writer ? ::open(pipe.c_str(), O_RDWR) : -1;
            Result<ByteSource> source = ByteSource::open(pipe, kDefaultBlockBytes, decoders);
            REQUIRE(source.ok());
            // A part of a compressed file, so that the decoders are at work.
            if (has_writer) REQUIRE(::write(writer, stored.data(), part) == static_cast<ssize_t>(part));
            std::stop_source stop;
            std::thread stopper([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
                stop.request_stop();
            });
            {
                const StopScope scope(stop.get_token());
                CHECK(source->read_rest().status().code() == StatusCode::kInterrupted);
                CHECK(source->peek_block().status().code() == StatusCode::kInterrupted);
            }
            stopper.join();
            if (!has_writer) continue;
            const std::size_t rest = stored.size() - part;
            std::thread finisher([&] {
                CHECK(::write(writer, stored.data() + part, rest) == static_cast<ssize_t>(rest));
                ::close(writer);
            });
            CHECK(source->read_rest().ok());
            finisher.join();
        }
    }
    std::stop_source stop;
    Result<ByteSource> source = [&] {
        const StopScope scope(stop.get_token());
        return ByteSource::open(pipe);
    }();
    REQUIRE(source.ok());
    stop.request_stop();
    CHECK(source->next_block().status().code() == StatusCode::kInterrupted);
}

TEST_CASE("a regular file that is written to before its end is read is an error then, whatever it holds") {
    const std::string text(3'000'000, 'W');
    using Change = std::function<void(const std::filesystem::path&)>;
    const std::vector<std::pair<const char*, Change>> changes = {
        {"none", [](const std::filesystem::path&) {}},
        {"shorter", [&](const std::filesystem::path& file) { std::filesystem::resize_file(file, text.size() / 2); }},
        {"longer", [](const std::filesystem::path& file) { std::ofstream(file, std::ios::app) << "x"; }},
        {"another time", [](const std::filesystem::path& file) {
             std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) + std::chrono::seconds(1));
         }}};
    for (const auto& [what, change] : changes) {
        CAPTURE(what);
        const testing::ScratchFolder folder;
        const auto file = folder.write("x", text);
        auto source = ByteSource::open(file, 1000);
        REQUIRE(source.ok());
        REQUIRE(source->next_block().ok());
        change(file);
        const auto rest = source->read_rest();
        CHECK(rest.ok() == (std::string_view(what) == "none"));
        if (!rest.ok())
            CHECK(rest.status().message() ==
                  file.string() + ": was changed while it was read; run the command again when the file is complete");
    }
}

}  // namespace
}  // namespace warpseq
