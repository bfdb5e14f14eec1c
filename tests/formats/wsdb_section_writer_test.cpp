// Sections stand at aligned places, behind zeros, and in the table.
#include "formats/wsdb_section_writer.h"

#include <doctest/doctest.h>
#include <xxhash.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "formats/byte_spans.h"
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
    REQUIRE(sections.append(SectionType::kLengths, column, lengths.size()).ok());
    REQUIRE(sections.append(SectionType::kProvenance, text_bytes("{}")).ok());
    Spool empty(std::uint64_t{1} << 20, folder.path("."));
    REQUIRE(sections.append(SectionType::kHeaders, empty, 0).ok());
    const std::string own(5000, 'x');
    REQUIRE(sections.begin().ok());
    REQUIRE(sections.write(text_bytes(own)).ok());
    sections.enter(SectionType::kNameIndex, 7, own.size(), 42);
    REQUIRE(out->commit().ok());

    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    struct Expected {
        SectionType type;
        std::uint64_t offset_bytes, size_bytes, items;
    };
    const std::vector<Expected> expected = {{SectionType::kLengths, 4096, 24, 3},
                                            {SectionType::kProvenance, 8192, 2, 1},
                                            {SectionType::kHeaders, 12288, 0, 0},
                                            {SectionType::kNameIndex, 12288, 5000, 7}};
    REQUIRE(header.section_count == expected.size());
    CHECK(bytes.size() == 12288 + 5000);
    std::uint64_t end = 4096;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(i);
        const wsdb::SectionEntry& entry = header.sections[i];
        CHECK(entry.type == static_cast<std::uint32_t>(expected[i].type));
        CHECK(entry.flags == 0);
        CHECK(entry.offset_bytes == expected[i].offset_bytes);
        CHECK(entry.size_bytes == expected[i].size_bytes);
        CHECK(entry.items == expected[i].items);
        const std::uint64_t checksum = XXH3_64bits(bytes.data() + entry.offset_bytes, entry.size_bytes);
        CHECK(entry.checksum == (i == 3 ? 42 : checksum));
        const std::string padding = bytes.substr(end, entry.offset_bytes - end);
        CHECK(std::ranges::all_of(padding, [](char byte) { return byte == 0; }));
        end = entry.offset_bytes + entry.size_bytes;
    }
    CHECK(bytes.substr(8192, 2) == "{}");
}
