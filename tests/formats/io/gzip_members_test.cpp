// Members of gzip decoded concurrently. They give the same bytes and the same damage as one after
// the other, whatever bytes look like a header.
#include "formats/io/gzip_members.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "formats/io/decoder.h"
#include "libcore/base/random.h"
#include "tests/support/gzip.h"
#include "tests/support/under_sanitizers.h"

namespace warpseq {
namespace {

using testing::gzip;

using namespace std::string_literals;  // text with NUL bytes in it

std::span<const std::uint8_t> bytes_of(const std::string& text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string some_text(std::size_t bytes, Random& random) {
    std::string text(bytes, ' ');
    for (char& byte : text) byte = static_cast<char>('A' + random.below(23));
    return text;
}

/// Returns a message without digits, because the byte at which damage is noticed depends on the
/// portions.
std::string without_digits(std::string text) {
    std::erase_if(text, [](char byte) { return byte >= '0' && byte <= '9'; });
    return text;
}

struct Content {
    std::string bytes, message;
    std::uint64_t taken_bytes = 0;
};

/// Returns the members one after the other.
Content in_turn(const std::string& stored) {
    Content content;
    const auto decoder = make_decoder(Compression::kGzip);
    std::vector<std::uint8_t> room(std::size_t{1} << 18);
    std::span<const std::uint8_t> in = bytes_of(stored);
    for (;;) {
        std::span<std::uint8_t> out(room);
        const bool at_end = in.empty();
        Status status = decoder->decode(in, out);
        content.bytes.append(reinterpret_cast<const char*>(room.data()), room.size() - out.size());
        const bool is_done = at_end && out.size() == room.size();
        if (status.ok() && is_done) status = decoder->check_end();
        content.message = status.message();
        if (!status.ok() || is_done) return content;
    }
}

/// The way in which a file is given.
struct Feed {
    bool can_read_again = true;
    std::size_t portion_bytes = std::size_t{256} << 10;
    Status failure = {};  // at its end
};

Content side_by_side(const std::string& stored, const GzipMembers::Limits& limits, const Feed& feed = {}) {
    const auto read_at = [&](std::uint64_t offset_bytes, std::span<std::uint8_t> buffer) {
        REQUIRE(offset_bytes + buffer.size() <= stored.size());
        std::memcpy(buffer.data(), stored.data() + offset_bytes, buffer.size());
        return Status();
    };
    GzipMembers members(feed.can_read_again ? GzipMembers::ReadAt(read_at) : nullptr, limits);
    std::thread reader([&] {
        std::span<const std::uint8_t> rest = bytes_of(stored);
        while (!rest.empty()) {
            const std::size_t size = std::min(feed.portion_bytes, rest.size());
            if (!members.add(rest.first(size))) return;
            rest = rest.subspan(size);
        }
        members.finish(feed.failure);
    });
    Content content;
    for (;;) {
        const auto block = members.next_block();
        if (!block.ok()) content.message = block.status().message();
        if (!block.ok() || block->empty()) break;
        CHECK(block->size() <= limits.block_bytes);
        content.bytes.append(reinterpret_cast<const char*>(block->data()), block->size());
    }
    content.taken_bytes = members.taken_bytes();
    members.stop();
    reader.join();
    return content;
}

constexpr GzipMembers::Limits kLimits{std::size_t{256} << 10, 3, std::uint64_t{9} << 20};

void check_same(const std::string& stored, const Content& found, const Content& expected) {
    CHECK(without_digits(found.message) == without_digits(expected.message));
    if (expected.message.empty()) {
        CHECK((found.bytes == expected.bytes));
        CHECK(found.taken_bytes == stored.size());
        return;
    }
    // How much of what is damaged comes before the error differs.
    const std::size_t both = std::min(found.bytes.size(), expected.bytes.size());
    CHECK((found.bytes.compare(0, both, expected.bytes, 0, both) == 0));
}

void check_same(const std::string& stored) {
    const Content expected = in_turn(stored);
    check_same(stored, side_by_side(stored, kLimits), expected);
    check_same(stored, side_by_side(stored, {1000, 2, 0}, {.portion_bytes = 100'000}), expected);
    check_same(stored, side_by_side(stored, kLimits, {.can_read_again = false}), expected);
    check_same(stored, side_by_side(stored, {7000, 4, 0}, {.can_read_again = false, .portion_bytes = 777}), expected);
    if (stored.size() > 200'000) return;
    for (const bool can_read_again : {true, false})
        check_same(stored, side_by_side(stored, {7000, 3, 0, 1}, {can_read_again, 100}), expected);
}

TEST_CASE("headers are found wherever they begin, and nothing else is one") {
    const std::string header = gzip("x").substr(0, 10);
    for (std::size_t place = 0; place < 40; ++place) {
        std::string text(60, '\x1f');
        text.replace(place, header.size(), header);
        CHECK(find_gzip_header(bytes_of(text), 0) == place);
        CHECK(find_gzip_header(bytes_of(text), place) == place);
        CHECK(find_gzip_header(bytes_of(text), place + 1) == text.size());
        CHECK(find_gzip_header(bytes_of(text.substr(0, place + 9)), 0) == place + 9);
    }
    for (const auto& [place, byte] :
         {std::pair{0, '\x1e'}, {1, '\x8c'}, {2, '\7'}, {3, '\x20'}, {8, '\1'}, {9, '\x0e'}}) {
        std::string other = header;
        other[static_cast<std::size_t>(place)] = byte;
        CHECK(find_gzip_header(bytes_of(other), 0) == other.size());
    }
    CHECK(find_gzip_header({}, 0) == 0);
}

TEST_CASE("members of all sizes are decoded as one after the other") {
    Random random(1);
    const std::string long_text = some_text(9'000'000, random), text = long_text.substr(0, 700'000);
    std::string many, empty_ones, small;
    for (std::size_t at = 0; at < long_text.size(); at += 600'000) many += gzip(long_text.substr(at, 600'000));
    for (int i = 0; i < 200'000; ++i) empty_ones += gzip("");
    for (int i = 0; i < 20'000; ++i) small += gzip(std::string(static_cast<std::size_t>(i % 50), 'x'));
    check_same(gzip(text));
    check_same(gzip(long_text));
    check_same(gzip(long_text) + gzip(long_text.substr(7)) + gzip(text));
    check_same(many);
    check_same(small);
    check_same(empty_ones);
    check_same(empty_ones + gzip(text));
    check_same(gzip(std::string(100'000'000, 'A')) + gzip(text));
    check_same(gzip(text) + std::string(400'000, '\0'));
    check_same("\x1f\x8b"s);
    check_same("\x1f\x8b\x08"s);
    check_same(gzip(""));
    check_same(small.substr(0, gzip("").size()) + gzip(text.substr(0, 5000)) + gzip("x") +
               gzip(text.substr(0, 90'000)));
}

TEST_CASE("bytes that look like a member, in compressed data or behind the end of a file, are none") {
    Random random(2);
    const std::string text = some_text(700'000, random), member = gzip(text);
    const std::string header = member.substr(0, 10);
    // Level 0 stores what it is given.
    check_same(gzip(member + member + member, 0));
    check_same(gzip(member + member + member, 0) + member + gzip(member + member, 0));
    check_same(gzip(std::string(300'000, 'x') + header + text + header + "and no more", 0) + member);
    std::string headers;
    for (int i = 0; i < 5000; ++i) headers += header + std::string(random.below(400), '\0');
    check_same(gzip(headers + headers, 0) + member);
    // Zeros end a file. So do bytes that are no header.
    check_same(member + std::string(300'000, '\0') + member);
    check_same(member + member + "and no more");
    check_same(member + std::string(500'000, 'x') + member);
    // Members begin even with headers that are not searched for.
    std::string unusual = member;
    unusual[8] = 77;
    check_same(unusual + unusual + member + unusual);
}

TEST_CASE("damage anywhere gives the same error as decoding in turn") {
    Random random(3);
    std::string whole;
    for (int i = 0; i < 6; ++i) whole += gzip(some_text(200'000 + random.below(600'000), random), i % 3);
    std::string short_one;
    for (std::size_t i = 0; i < 30; ++i)
        short_one += gzip(some_text(random.below(3000), random), static_cast<int>(i % 3));
    for (int round = 0; round < testing::fewer(80, 16); ++round) {
        std::string stored = round % 2 == 0 ? whole : short_one;
        const std::size_t place = 20 + random.below(stored.size() - 20);
        switch (random.below(5)) {
            case 0: stored.resize(place); break;
            case 1: stored.erase(place, 1 + random.below(stored.size() / 4)); break;
            case 2: stored.insert(place, gzip(some_text(stored.size() / 4, random))); break;
            case 3: stored.insert(place, whole.substr(0, 10)); break;
            default: stored[place] = static_cast<char>(stored[place] ^ (1 << random.below(8)));
        }
        CAPTURE(round);
        CAPTURE(place);
        check_same(stored);
    }
}

TEST_CASE("an error of reading comes after the bytes before it, and from any place") {
    Random random(4);
    const std::string stored = gzip(some_text(900'000, random)) + gzip(some_text(900'000, random));
    const Content expected = in_turn(stored);
    for (const bool can_read_again : {true, false}) {
        const Content found =
            side_by_side(stored, kLimits, {.can_read_again = can_read_again, .failure = Status::io("lost")});
        CHECK(found.message == "lost");
        CHECK((found.bytes == expected.bytes));
    }
    GzipMembers members([](std::uint64_t, std::span<std::uint8_t>) { return Status::io("gone"); }, kLimits);
    CHECK(members.add(bytes_of(stored)));
    members.finish({});
    for (int i = 0; i < 2; ++i) CHECK(members.next_block().status().message() == "gone");
}

TEST_CASE("nothing waits for ever if decoded bytes are not taken") {
    Random random(5);
    std::string stored;
    for (int i = 0; i < 30; ++i) stored += gzip(some_text(600'000, random));
    for (const bool can_read_again : {true, false}) {
        const auto read_at = [&](std::uint64_t offset_bytes, std::span<std::uint8_t> buffer) {
            std::memcpy(buffer.data(), stored.data() + offset_bytes, buffer.size());
            return Status();
        };
        GzipMembers members(can_read_again ? GzipMembers::ReadAt(read_at) : nullptr, {1000, 3, 0});
        std::thread reader([&] {
            bool goes_on = true;
            for (int i = 0; i < 100 && goes_on; ++i) goes_on = members.add(bytes_of(stored));
            CHECK_FALSE(goes_on);
        });
        CHECK(members.next_block().ok());
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        members.stop();
        reader.join();
    }
}

}  // namespace
}  // namespace warpseq
