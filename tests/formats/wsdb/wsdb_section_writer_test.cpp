// Sections written to a file. They stand at aligned places, after zeros, and in the table.
#include "formats/wsdb/wsdb_section_writer.h"

#include <doctest/doctest.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "formats/io/byte_spans.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using wsdb::SectionType;

TEST_CASE("sections of a column, of one item, of none, and of their owner's writing") {
    const testing::ScratchFolder folder;
    const auto file = folder.path("sections");
    auto out = AtomicFile::create(file, false);
    REQUIRE(out.ok());
    wsdb::FileHeader header{};
    REQUIRE(out->append(object_bytes(header)).ok());
    WsdbSectionWriter sections(*out, header);

    const std::vector<std::uint64_t> lengths = {5, 4, 3};
    Spool column(std::uint64_t{1} << 20, folder.path("."));
    REQUIRE(column.append(column_bytes(lengths)).ok());
    REQUIRE(sections.append(SectionType::kLengths, column).ok());
    REQUIRE(sections.append(SectionType::kProvenance, text_bytes("{}")).ok());
    Spool empty(std::uint64_t{1} << 20, folder.path("."));
    REQUIRE(sections.append(SectionType::kHeaders, empty).ok());
    // The parts do not end at the end of a block of checksums.
    const std::string own(3 * wsdb::kChecksumBlockBytes + 5000, 'x');
    REQUIRE(sections.begin(SectionType::kNameIndex).ok());
    for (std::size_t at = 0; at < own.size(); at += 50000)
        REQUIRE(sections.write(text_bytes(std::string_view(own).substr(at, 50000))).ok());
    sections.end();
    REQUIRE(sections.finish().ok());
    REQUIRE(out->commit().ok());

    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    struct Expected {
        SectionType type;
        std::uint64_t offset_bytes, size_bytes;
    };
    const std::uint64_t checksums_at = wsdb::align_up(12288 + own.size(), 4096);
    const std::vector<Expected> expected = {{SectionType::kLengths, 4096, 24},
                                            {SectionType::kProvenance, 8192, 2},
                                            {SectionType::kHeaders, 12288, 0},
                                            {SectionType::kNameIndex, 12288, own.size()},
                                            {SectionType::kChecksums, checksums_at, 6 * 8}};
    REQUIRE(header.section_count == expected.size());
    CHECK(bytes.size() == checksums_at + 6 * 8);
    std::uint64_t end = 4096;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(i);
        const wsdb::SectionEntry& entry = header.sections[i];
        CHECK(entry.type == static_cast<std::uint32_t>(expected[i].type));
        CHECK(entry.flags == 0);
        CHECK(entry.offset_bytes == expected[i].offset_bytes);
        CHECK(entry.size_bytes == expected[i].size_bytes);
        const std::string padding = bytes.substr(end, entry.offset_bytes - end);
        CHECK(std::ranges::all_of(padding, [](char byte) { return byte == 0; }));
        end = entry.offset_bytes + entry.size_bytes;
    }
    CHECK(bytes.substr(8192, 2) == "{}");
    const auto hash_of = [](std::string_view part) { return XXH3_64bits(part.data(), part.size()); };
    const std::string_view block = std::string_view(own).substr(0, wsdb::kChecksumBlockBytes);
    const std::vector<std::uint64_t> checksums = {hash_of(std::string_view(bytes).substr(4096, 24)),
                                                  hash_of("{}"),
                                                  hash_of(block),
                                                  hash_of(block),
                                                  hash_of(block),
                                                  hash_of(block.substr(0, 5000))};
    CHECK(std::memcmp(bytes.data() + checksums_at, checksums.data(), 6 * 8) == 0);
    CHECK(header.checksums_checksum == XXH3_64bits(checksums.data(), 6 * 8));
}
