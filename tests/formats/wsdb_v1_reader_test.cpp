// Databases of version 1 become what their FASTA becomes; damaged ones become nothing.
#include "formats/wsdb_v1_reader.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "formats/convert_fasta.h"
#include "tests/support/golden_folder.h"
#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/under_sanitizers.h"
#include "tests/support/wsdb_v1_checksums.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

std::filesystem::path golden(const std::string& name) { return testing::golden_folder() / name; }

struct Content {
    std::vector<TestSequence> sequences;
    std::vector<std::uint64_t> positions;
    bool operator==(const Content&) const = default;
};

Result<Content> content_of(const std::filesystem::path& file) {
    const auto opened = WsdbV1File::open(file);
    if (!opened.ok()) return opened.status();
    Content content;
    WARPSEQ_TRY(read_wsdb_v1(*opened, [&](const WsdbV1Sequence& sequence) {
        content.sequences.push_back(
            {std::string(sequence.header), {sequence.residues.begin(), sequence.residues.end()}});
        content.positions.push_back(sequence.position);
        return Status();
    }));
    return content;
}

void convert(const std::filesystem::path& input, const std::filesystem::path& output, ResidueCodec codec) {
    ConvertOptions options;
    options.inputs = {input};
    options.output = output;
    options.codec = codec;
    options.replace = true;
    options.threads = 2;
    Observer observer;
    const auto report = convert_fasta(options, observer);
    REQUIRE_MESSAGE(report.ok(), report.status().message());
}

/// A file in memory, which is faster than a disk where there are ten thousands.
class MemoryFile {
   public:
    MemoryFile() : descriptor_(::memfd_create("database", MFD_CLOEXEC)) { REQUIRE(descriptor_ >= 0); }
    ~MemoryFile() { ::close(descriptor_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
    void hold(const std::vector<std::uint8_t>& bytes) const {
        REQUIRE(::ftruncate(descriptor_, static_cast<off_t>(bytes.size())) == 0);
        REQUIRE(::pwrite(descriptor_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    }

   private:
    int descriptor_;
};

const std::vector<std::string> kNames = {"tiny-v1-packed.wsdb", "tiny-v1-zstd.wsdb", "mixed-v1-packed.wsdb",
                                         "mixed-v1-zstd.wsdb"};

}  // namespace

TEST_CASE("a database of version 1 becomes, byte for byte, what its FASTA becomes") {
    const ScratchFolder folder;
    for (const std::string& name : kNames) {
        for (const auto codec : {ResidueCodec::kPacked, ResidueCodec::kZstd}) {
            CAPTURE(name);
            const std::string stem = name.substr(0, name.find('-'));
            CHECK(begins_as_wsdb_v1(golden(name)));
            convert(golden(name), folder.path("migrated.wsdb"), codec);
            convert(golden(stem + ".fasta"), folder.path("converted.wsdb"), codec);
            CHECK(!begins_as_wsdb_v1(folder.path("migrated.wsdb")));
            const auto migrated = read_bytes(folder.path("migrated.wsdb"));
            CHECK(migrated == read_bytes(folder.path("converted.wsdb")));
            CHECK(migrated ==
                  read_bytes(golden(stem + (codec == ResidueCodec::kPacked ? "-v2-packed.wsdb" : "-v2-zstd.wsdb"))));
        }
    }
    CHECK(!begins_as_wsdb_v1(golden("tiny.fasta")));
    CHECK(!begins_as_wsdb_v1(golden("tiny-v2-packed.wsdb")));
    CHECK(!begins_as_wsdb_v1(folder.path("nothing-here")));
}

TEST_CASE("every changed byte and every cut of a database of version 1 is an error") {
    const MemoryFile memory;
    const auto file = memory.path();
    for (const std::string& name : kNames) {
        CAPTURE(name);
        const auto good = read_bytes(golden(name));
        // Neighbouring zeros between sections are alike.
        std::size_t tried = 0;
        for (std::size_t at = 0; at < good.size(); ++at) {
            const bool is_padding = good[at] == 0 && at > 0 && good[at - 1] == 0;
            if (at % (is_padding ? std::size_t{97} : fewer<std::size_t>(1, 11)) != 0) continue;
            auto bytes = good;
            bytes[at] ^= static_cast<std::uint8_t>(1u << at % 8);
            memory.hold(bytes);
            const auto content = content_of(file);
            CHECK_MESSAGE(!content.ok(), "byte ", at);
            if (!content.ok()) {
                CHECK(content.status().message().starts_with(file.string() + ": byte "));
                CHECK(content.status().message().find("convert its FASTA again") != std::string::npos);
            }
            ++tried;
        }
        CHECK(tried > 500 / fewer(1, 11));
        for (std::size_t size = 0; size < good.size(); size += size < 5000 ? 613 : 4099) {
            auto bytes = good;
            bytes.resize(size);
            memory.hold(bytes);
            CHECK(!content_of(file).ok());
        }
        auto longer = good;
        longer.push_back(0);
        memory.hold(longer);
        CHECK(!content_of(file).ok());
    }
}

TEST_CASE("a database of version 1 that is wrong under right checksums gives its sequences or an error") {
    const MemoryFile memory;
    const auto file = memory.path();
    for (const std::string& name : kNames) {
        CAPTURE(name);
        const auto good = read_bytes(golden(name));
        const auto expected = content_of(golden(name));
        REQUIRE(expected.ok());
        std::size_t refused = 0;
        for (std::size_t at = 12; at < good.size(); ++at) {
            const bool is_padding = good[at] == 0 && at > 0 && good[at - 1] == 0;
            if (at % (is_padding ? 89 : fewer(1, 11)) != 0) continue;
            constexpr std::array<std::uint8_t, 3> kChanges = {0x01, 0x80, 0xff};
            auto bytes = good;
            bytes[at] ^= kChanges[at % 3];
            put_v1_checksums_right(bytes);
            memory.hold(bytes);
            const auto content = content_of(file);
            if (content.ok()) {
                CHECK_MESSAGE(*content == *expected, "byte ", at);
            } else {
                ++refused;
            }
        }
        CHECK(refused > 300 / fewer(1, 11));
    }
}

TEST_CASE("each damaged database of version 1 has its one expected message") {
    const ScratchFolder folder;
    const auto good = read_bytes(golden("tiny-v1-packed.wsdb"));
    struct Damage {
        std::size_t offset;
        std::uint8_t value;
        bool right_checksums;
        std::string_view message;
    };
    for (const Damage& damage : std::initializer_list<Damage>{
             {8, 3, false, "byte 0: start of the file: expected a warpseq database of version 1, found something else"},
             {24, 4, false, "byte 4088: the header is damaged: expected checksum 0x"},
             {24, 0, true, "byte 24: number of sequences: expected 1 to 2^40, found 0"},
             {40, 2, true, "byte 40: number of tiles: expected 1, found 2"},
             {48, 4, true, "byte 48: number of linear tiles: expected at most the number of sequences, 3, found 4"},
             {56, 32, true, "byte 56: length of the longest sequence: expected at most 31, found 32"},
             {64, 2, true, "byte 64: codec: expected 0 (packed) or 1 (zstd), found 2"},
             {72, 0, true, "byte 72: digest of the content: expected 004d932e41090a377dfce38417e0bb15, found eb4d93"},
             {0x80, 13, true, "byte 128: type of section 0: expected 1 to 12, found 13"},
             {0x89, 0x20, true, "byte 136: offset of section TILES: expected 4096, found 8192"},
             {0x1000, 0x0b, false, "byte 4096: tile 0 is damaged: expected checksum 0x1d08179658dea37d, found 0x"},
             {0x1000, 0x1f, true, "byte 4096: residue codes of tile 0: expected 0 to 26, and 31 behind them, found"},
             {0x1000, 0x0b, true, "byte 72: digest of the content: expected eb4d932e"},
             {0x1300, 1, false, "byte 4608: padding before section TILE_INDEX: expected zeros, found something else"},
             {0x2000, 5, false, "byte 8192: section TILE_INDEX is damaged: expected checksum 0x"},
             {0x2000, 5, true, "byte 8192: offset of tile 0: expected 0, found 5"},
             {0x2008, 5, true, "byte 8200: word rows of tile 0: expected 4, found 5"},
             {0x3008, 25, true, "byte 12296: length of sequence 1: expected at most 24, found 25"},
             {0x4010, 1, true, "byte 16400: input position of sequence 2: expected one that no other has"},
             {0x4010, 3, true, "byte 16400: input position of sequence 2: expected below 3, found 3"},
             {0x5008, 15, true, "byte 72: digest of the content"},
             {0x5008, 27, true, "byte 20488: header offset of sequence 1: expected 0 to 26, found 27"},
             {0x6008, 1, true, "byte 24576: raw offset of header block 0: expected 0, found 1"},
             {0x700a, 'Q', false, "byte 28672: header block 0 is damaged: expected checksum 0x"},
             {0xa000, '[', true, "byte 40960: provenance: expected JSON text, found something else"},
         }) {
        auto bytes = good;
        REQUIRE(bytes[damage.offset] != damage.value);
        bytes[damage.offset] = damage.value;
        if (damage.right_checksums) put_v1_checksums_right(bytes);
        const auto file = folder.path("damaged.wsdb");
        write_bytes(file, bytes);
        const auto content = content_of(file);
        REQUIRE(!content.ok());
        const std::string& message = content.status().message();
        REQUIRE(message.starts_with(file.string() + ": "));
        const std::string found = message.substr(file.string().size() + 2);
        CHECK_MESSAGE(found.starts_with(damage.message), "found: ", found, "\nexpected: ", damage.message);
    }
}
