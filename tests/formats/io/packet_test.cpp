#include "formats/io/packet.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace warpseq {
namespace {

enum class Colour : std::uint8_t { kRed, kGreen, kBlue };
constexpr Colour last_value(Colour) { return Colour::kBlue; }

struct Inner {
    std::uint16_t number = 0;
    std::string text;
    bool operator==(const Inner&) const = default;
};
struct Sample {
    double real = 0;
    std::int64_t whole = 0;
    bool truth = false;
    Colour colour = Colour::kRed;
    std::optional<float> maybe, nothing;
    std::vector<std::uint32_t> numbers;
    std::vector<Inner> list;
    std::vector<std::vector<char>> lists;
    bool operator==(const Sample&) const = default;
};

template <typename Packet>
void describe(Packet& packet, Inner& inner) {
    packet(inner.number, inner.text);
}
template <typename Packet>
void describe(Packet& packet, Sample& sample) {
    packet(sample.real, sample.whole, sample.truth, sample.colour, sample.maybe, sample.nothing, sample.numbers,
           sample.list, sample.lists);
}

Sample some_sample() {
    return {.real = -std::numeric_limits<double>::infinity(),
            .whole = std::numeric_limits<std::int64_t>::min(),
            .truth = true,
            .colour = Colour::kBlue,
            .maybe = 0.1f,
            .nothing = std::nullopt,
            .numbers = {1, 2, 3},
            .list = {{7, "seven\0eight"}, {8, ""}},
            .lists = {{}, {'a', 'b'}}};
}

std::string packed(const Sample& sample) {
    PacketWriter writer;
    writer(sample);
    return writer.finish("sample");
}

std::optional<Sample> unpacked(const std::string& packet) {
    auto reader = PacketReader::open(packet, "sample", "here");
    if (!reader.ok()) return {};
    Sample sample;
    (*reader)(sample);
    if (!reader->finish().ok()) return {};
    return sample;
}

std::string refusal(const std::string& packet) {
    auto reader = PacketReader::open(packet, "sample", "here");
    if (!reader.ok()) return reader.status().message();
    Sample sample;
    (*reader)(sample);
    return reader->finish().message();
}

}  // namespace

TEST_CASE("written values are read back") {
    CHECK(unpacked(packed(some_sample())) == some_sample());
    CHECK(unpacked(packed({})) == Sample{});
}

TEST_CASE("a packet's bytes are these, whatever the machine") {
    PacketWriter writer;
    writer(std::uint32_t{0x01020304}, true, std::string("ab"));
    const std::string packet = writer.finish("k");
    CHECK(packet.substr(0, 16) == std::string("WSPK\3\0\0\0k\0\0\0\0\0\0\0", 16));
    CHECK(packet.substr(16, 8) == std::string("\xf\0\0\0\0\0\0\0", 8));
    CHECK(packet.substr(32) == std::string("\4\3\2\1\1\2\0\0\0\0\0\0\0ab", 15));
}

TEST_CASE("damage, other versions and other kinds are refused and named") {
    const std::string packet = packed(some_sample());
    for (std::size_t size = 0; size < packet.size(); ++size) CHECK_FALSE(unpacked(packet.substr(0, size)));
    for (std::size_t at = 0; at < packet.size(); ++at) {
        for (int bit = 0; bit < 8; ++bit) {
            std::string damaged = packet;
            damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
            CHECK_FALSE(unpacked(damaged));
        }
    }
    CHECK(refusal("what is this") == "here: not a part of a search: its signature is wrong");
    CHECK(refusal(packet.substr(0, packet.size() - 1)).find("here: damaged: ") == 0);
    std::string other_version = packet;
    other_version[4] = 9;
    CHECK(refusal(reseal_packet(other_version)) ==
          "here: made by another version of warpseq: format 9, this one reads 3");
    PacketWriter writer;
    CHECK(refusal(writer.finish("other")) == "here: holds \"other\", not sample");
}

TEST_CASE(
    "forged packets with a right checksum: values that no writer writes are refused, and no memory is taken on trust") {
    const std::string packet = packed(some_sample());
    CHECK(unpacked(reseal_packet(packet)) == some_sample());
    for (std::size_t at = 32; at < packet.size(); ++at) {
        for (int value = 0; value < 256; ++value) {
            std::string forged = packet;
            forged[at] = static_cast<char>(value);
            unpacked(reseal_packet(forged));  // whatever it is
        }
    }
    const auto with_byte = [&](std::size_t at, char value) {
        std::string forged = packet;
        forged[32 + at] = value;
        return refusal(reseal_packet(forged));
    };
    CHECK(with_byte(16, 2).find("a field has an impossible value") != std::string::npos);        // a bool
    CHECK(with_byte(17, 3).find("a field has an impossible value") != std::string::npos);        // a colour
    CHECK(with_byte(24 + 7, 127).find("a field has an impossible value") != std::string::npos);  // a count
    std::string longer = packet + '\0';
    longer[16] = static_cast<char>(longer[16] + 1);
    CHECK(refusal(reseal_packet(longer)).find("bytes follow the last field") != std::string::npos);
}

}  // namespace warpseq
