#include "formats/io/part_file.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "formats/io/packet.h"
#include "tests/support/scratch_folder.h"

namespace warpseq {
namespace {

namespace fs = std::filesystem;
using testing::ScratchFolder;

const PartLabel kLabel{
    .digest = digest_of({"one", "two"}), .arguments = {"sw", "--query=q", "-E", "1"}, .part = 2, .parts = 5};

std::string packet_of(int number) {
    PacketWriter packet;
    packet(number, std::string(static_cast<std::size_t>(number) * 100, 'x'));
    return packet.finish("test");
}

void write_part(const fs::path& folder, const PartLabel& label, int batches) {
    auto writer = PartWriter::create(folder, label);
    REQUIRE(writer.ok());
    for (int b = 0; b < batches; ++b) REQUIRE(writer->add(packet_of(b)).ok());
    CHECK_FALSE(fs::exists(part_file(folder, label)));
    REQUIRE(writer->finish().ok());
}

std::string bytes_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const fs::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

TEST_CASE("a part comes back as it was written") {
    const ScratchFolder scratch;
    for (const int batches : {0, 1, 3}) {
        const fs::path folder = scratch.path("new") / std::to_string(batches);
        write_part(folder, kLabel, batches);
        const fs::path file = part_file(folder, kLabel);
        CHECK(is_whole_part(file, kLabel));
        auto reader = PartReader::open(file);
        REQUIRE(reader.ok());
        CHECK(reader->label().digest == kLabel.digest);
        CHECK(reader->label().arguments == kLabel.arguments);
        CHECK(reader->label().part == 2);
        CHECK(reader->label().parts == 5);
        for (int b = 0; b < batches; ++b) {
            CHECK_FALSE(reader->is_at_end());
            CHECK(*reader->next() == packet_of(b));
        }
        CHECK(reader->is_at_end());
        CHECK_FALSE(reader->next().ok());
        CHECK(reader->finish().ok());
        const auto files = find_parts(folder);
        REQUIRE(files.ok());
        CHECK(*files == std::vector{file});
    }
}

TEST_CASE("a part that is given up leaves nothing") {
    const ScratchFolder scratch;
    {
        auto writer = PartWriter::create(scratch.path(""), kLabel);
        REQUIRE(writer.ok());
        REQUIRE(writer->add(packet_of(3)).ok());
    }
    CHECK(find_parts(scratch.path(""))->empty());
}

TEST_CASE("texts that are cut elsewhere have another digest") {
    CHECK(digest_of({"ab", "c"}) != digest_of({"a", "bc"}));
    CHECK(digest_of({"ab"}) != digest_of({"ab", ""}));
    CHECK(digest_of({"ab"}).size() == 32);
}

TEST_CASE("a part is not that of another label, and the reader wants all batches") {
    const ScratchFolder scratch;
    write_part(scratch.path(""), kLabel, 2);
    const fs::path file = part_file(scratch.path(""), kLabel);
    PartLabel other = kLabel;
    other.part = 1;
    CHECK_FALSE(is_whole_part(file, other));
    other = kLabel;
    other.parts = 6;
    CHECK_FALSE(is_whole_part(file, other));
    other = kLabel;
    other.digest.back() = other.digest.back() == '0' ? '1' : '0';
    CHECK_FALSE(is_whole_part(file, other));
    auto reader = PartReader::open(file);
    REQUIRE(reader->next().ok());
    CHECK_FALSE(reader->finish().ok());
}

TEST_CASE("damage anywhere is noticed") {
    const ScratchFolder scratch;
    write_part(scratch.path(""), kLabel, 2);
    const fs::path file = part_file(scratch.path(""), kLabel), damaged = scratch.path("damaged");
    const std::string whole = bytes_of(file);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
        write_bytes(damaged, bytes);
        CHECK_MESSAGE(!is_whole_part(damaged, kLabel), "byte " << at);
        write_bytes(damaged, whole.substr(0, at));
        CHECK_MESSAGE(!is_whole_part(damaged, kLabel), "cut at " << at);
    }
    write_bytes(damaged, whole + "x");
    CHECK_FALSE(is_whole_part(damaged, kLabel));
    write_bytes(damaged, whole + packet_of(1));
    CHECK_FALSE(is_whole_part(damaged, kLabel));
    // A batch is missing, although each packet is sound.
    const std::string batch = packet_of(0);
    std::string shorter = whole;
    shorter.erase(whole.find(batch), batch.size());
    write_bytes(damaged, shorter);
    CHECK_FALSE(is_whole_part(damaged, kLabel));
    CHECK_FALSE(is_whole_part(scratch.path(""), kLabel));
    CHECK_FALSE(is_whole_part(scratch.path("absent"), kLabel));
}

TEST_CASE("a path that is not a folder is an error") {
    const ScratchFolder scratch;
    CHECK_FALSE(find_parts(scratch.path("absent")).ok());
    write_bytes(scratch.path("file"), "x");
    CHECK_FALSE(PartWriter::create(scratch.path("file"), kLabel).ok());
}

}  // namespace
}  // namespace warpseq
