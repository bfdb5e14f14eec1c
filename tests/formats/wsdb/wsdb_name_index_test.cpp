// The index of names: order, duplicates, different names of one hash, and its section.
#include "formats/wsdb/wsdb_name_index.h"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "formats/io/byte_spans.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;

namespace {

struct Name {
    std::uint64_t hash, rank;
    std::string identifier;
};

/// The text for a name that is not a sequence's first.
constexpr std::string_view kOther = "another name";

struct Written {
    WsdbDuplicates duplicates;
    wsdb::FileHeader header{};
    std::vector<wsdb::NameEntry> entries;
};

Written write(const std::vector<Name>& names) {
    const testing::ScratchFolder folder;
    const auto file = folder.path("names");
    auto out = AtomicFile::create(file, false);
    REQUIRE(out.ok());
    ExternalSort by_name(std::uint64_t{1} << 20, folder.path("."));
    const std::uint8_t first = 1;
    for (const Name& name : names) {
        REQUIRE((name.identifier == kOther
                     ? by_name.add({name.hash, name.rank}, {})
                     : by_name.add({name.hash, name.rank}, {object_bytes(first), text_bytes(name.identifier)}))
                    .ok());
    }
    Written written;
    WsdbSectionWriter sections(*out, written.header);
    const auto duplicates = append_name_index(by_name, 0, sections);
    REQUIRE(duplicates.ok());
    written.duplicates = *duplicates;
    REQUIRE(out->commit().ok());
    std::ifstream in(file, std::ios::binary);
    written.entries.resize(names.size());
    in.read(reinterpret_cast<char*>(written.entries.data()),
            static_cast<std::streamsize>(names.size() * sizeof(wsdb::NameEntry)));
    CHECK(in.good());
    CHECK(in.peek() == std::ifstream::traits_type::eof());
    return written;
}

}  // namespace

TEST_CASE("entries come by hash and rank, and the section is entered") {
    const Written written = write({{9, 0, "c"}, {3, 1, "a"}, {5, 2, "b"}});
    REQUIRE(written.entries.size() == 3);
    CHECK(written.entries[0].rank == 1);
    CHECK(written.entries[1].rank == 2);
    CHECK(written.entries[2].rank == 0);
    CHECK(written.duplicates.sequences == 0);
    CHECK(written.duplicates.example.empty());
    REQUIRE(written.header.section_count == 1);
    const wsdb::SectionEntry& section = written.header.sections[0];
    CHECK(section.type == static_cast<std::uint32_t>(wsdb::SectionType::kNameIndex));
    CHECK(section.size_bytes == 3 * sizeof(wsdb::NameEntry));
}

TEST_CASE("each repetition of a name counts, also after other names of the same hash") {
    const Written written =
        write({{7, 0, "x"}, {7, 1, "y"}, {7, 2, "y"}, {7, 3, "z"}, {7, 4, "x"}, {7, 5, "z"}, {8, 6, "x"}});
    CHECK(written.duplicates.sequences == 3);
    CHECK(written.duplicates.example == "y");
}

TEST_CASE("a first name that is empty, of hash 0, is no repetition") {
    const Written written = write({{0, 0, ""}, {1, 1, "a"}});
    CHECK(written.duplicates.sequences == 0);
    CHECK(write({{0, 0, ""}, {0, 1, ""}}).duplicates.sequences == 1);
}

TEST_CASE("other names of a sequence are entries, and no repetitions") {
    const Written written = write({{5, 0, "a"}, {5, 1, std::string(kOther)}, {5, 2, "a"}, {6, 2, std::string(kOther)}});
    CHECK(written.entries.size() == 4);
    CHECK(written.duplicates.sequences == 1);
}

TEST_CASE("more names than are written at once") {
    std::vector<Name> names;
    for (std::uint64_t rank = 0; rank < 65536 + 3; ++rank) names.push_back({rank ^ 0xffff, rank, "same"});
    const Written written = write(names);
    CHECK(written.header.sections[0].size_bytes == names.size() * sizeof(wsdb::NameEntry));
    for (std::size_t i = 1; i < written.entries.size(); ++i) {
        if (written.entries[i - 1].hash >= written.entries[i].hash) FAIL("entry " << i << " is out of order");
    }
}
