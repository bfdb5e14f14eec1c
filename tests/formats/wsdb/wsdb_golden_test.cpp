// Databases that released programs wrote. They stay readable, and each way of damaging one has one
// expected message.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "formats/fasta/fasta.h"
#include "formats/fasta/record_batch.h"
#include "formats/wsdb/wsdb_reader.h"
#include "formats/wsdb/wsdb_validate.h"
#include "tests/support/golden_folder.h"
#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

std::filesystem::path golden(const std::string& name) { return testing::golden_folder() / name; }

std::vector<TestSequence> fasta_records(const std::filesystem::path& file) {
    FastaReader reader({file});
    FastaRecord record;
    std::vector<TestSequence> records;
    for (;;) {
        const auto more = reader.next(record);
        REQUIRE_MESSAGE(more.ok(), more.status().message());
        if (!*more) return records;
        records.push_back({record.header, record.residues});
    }
}

std::string first_fault(const std::filesystem::path& file) {
    ThreadPool pool(1);
    const auto validation = validate_wsdb(file, pool);
    REQUIRE(validation.ok());
    if (validation->faults.empty()) return "sound";
    std::string message = fault_status(file, validation->faults.front()).message();
    REQUIRE(message.starts_with(file.string() + ": "));
    return message.substr(file.string().size() + 2);
}

}  // namespace

TEST_CASE("golden databases of version 2 are read, validated, and hold what today's writer would write") {
    const ScratchFolder folder;
    for (const std::string name : {"tiny", "mixed"}) {
        const auto records = fasta_records(golden(name + ".fasta"));
        for (const std::string codec : {"packed", "zstd"}) {
            const auto file = golden(name + "-v2-" + codec + ".wsdb");
            CAPTURE(file);
            CHECK(first_fault(file) == "sound");
            const auto reader = WsdbReader::open(file);
            REQUIRE_MESSAGE(reader.ok(), reader.status().message());
            REQUIRE(reader->sequence_count() == records.size());
            TileBuffer buffer;
            for (std::uint64_t rank = 0; rank < records.size(); ++rank) {
                const TestSequence& expected = records[reader->input_positions()[rank]];
                const auto header = reader->header(rank);
                REQUIRE(header.ok());
                CHECK(*header == expected.header);
                const auto residues = reader->residues(rank, buffer);
                REQUIRE(residues.ok());
                CHECK(*residues == expected.residues);
                const auto found = reader->find(identifier_of(expected.header));
                REQUIRE(found.ok());
                CHECK(std::ranges::find(*found, rank) != found->end());
            }
            DatabaseSettings settings;
            settings.codec = codec == "packed" ? ResidueCodec::kPacked : ResidueCodec::kZstd;
            make_database(folder.path("today.wsdb"), records, settings);
            const auto today = WsdbReader::open(folder.path("today.wsdb"));
            REQUIRE(today.ok());
            CHECK(today->content_digest() == reader->content_digest());
            CHECK(today->linear_tile_count() == reader->linear_tile_count());
            CHECK(std::ranges::equal(today->input_positions(), reader->input_positions()));
        }
    }
}

TEST_CASE("golden databases with taxa name them, and each way of damaging those has its one expected message") {
    const ScratchFolder folder;
    std::ifstream table(golden("taxa.tsv"));
    std::stringstream expected;
    expected << table.rdbuf();
    for (const std::string codec : {"packed", "zstd"}) {
        const auto file = golden("taxa-v2-" + codec + ".wsdb");
        CAPTURE(file);
        CHECK(first_fault(file) == "sound");
        const auto reader = WsdbReader::open(file);
        REQUIRE_MESSAGE(reader.ok(), reader.status().message());
        const auto tree = reader->taxonomy();
        REQUIRE_MESSAGE(tree.ok(), tree.status().message());
        std::vector<std::string> rows(reader->sequence_count());
        for (std::uint64_t rank = 0; rank < rows.size(); ++rank) {
            std::string_view header;
            const auto read = reader->header(rank);
            REQUIRE(read.ok());
            header = *read;
            std::vector<std::uint32_t> taxids;
            REQUIRE(reader->taxids(rank, count_deflines(header), taxids).ok());
            for (const std::uint32_t taxid : taxids) {
                const Taxon taxon = (*tree)->find(taxid);
                rows[reader->input_positions()[rank]] +=
                    std::string(identifier_of(header)) + "\t" + std::to_string(taxid) + "\t" +
                    std::string(taxon.scientific_name) + "\t" + std::string(taxon.common_name) + "\n";
                header.remove_prefix(std::min(header.find('\x01'), header.size() - 1) + 1);
            }
        }
        std::string found;
        for (const std::string& row : rows) found += row;
        CHECK(found == expected.str());
    }
    const auto good = read_bytes(golden("taxa-v2-packed.wsdb"));
    const std::uint64_t taxids = section_of(good, wsdb::SectionType::kTaxids).offset_bytes;
    const std::uint64_t taxonomy = section_of(good, wsdb::SectionType::kTaxonomy).offset_bytes;
    REQUIRE(taxids == 0x8000);
    REQUIRE(taxonomy == 0x9000);
    struct Damage {
        std::uint64_t offset;
        std::vector<std::uint8_t> bytes;
        std::string_view message;
    };
    // A place of lists, nine numbers, one list: the count 3 and three taxonomy IDs.
    for (const Damage& damage : std::initializer_list<Damage>{
             {0x8000, {1}, "byte 32768: place of the lists of taxonomy IDs of group 0: expected 0, found 1"},
             {0x8008, {1}, "byte 32776: place of the list of taxonomy IDs of sequence 0: expected 0, found 1"},
             {0x802c, {2}, "byte 32812: numbers in all lists of taxonomy IDs: expected 3, found 4"},
             {0x802c, {4}, "byte 32812: number of taxonomy IDs of sequence 0: expected at most 3, found 4"},
             {0x802c, {0}, "byte 32812: number of taxonomy IDs of sequence 0: expected at most 3, found 0"},
             {0x8033, {0x80}, "byte 32816: taxonomy ID of sequence 0: expected at most 2147483647, found 2147493254"},
             {0x8008, {0, 0, 0, 0}, "byte 32812: numbers in all lists of taxonomy IDs: expected 0, found 4"},
             {0x8030,
              {1, 0, 0, 0, 1, 0, 0, 0, 1},
              "byte 32812: list of taxonomy IDs of sequence 0: expected different"},
             {0x800f, {0x80}, "byte 32780: place of the list of taxonomy IDs of sequence 1: expected 4"},
             {0x9000, {'0'}, "byte 36864: section TAXONOMY: expected a tree of taxa"},
             {0x9002, {'7'}, "byte 36864: section TAXONOMY: expected a tree of taxa"},
             {0x9001, {'\n'}, "byte 36864: section TAXONOMY: expected a tree of taxa"},
         }) {
        auto bytes = good;
        for (std::size_t i = 0; i < damage.bytes.size(); ++i) bytes[damage.offset + i] = damage.bytes[i];
        REQUIRE(bytes != good);
        const auto file = folder.path("damaged.wsdb");
        write_bytes(file, bytes);
        CHECK(first_fault(file).find(" is damaged: expected checksum") != std::string::npos);
        put_checksums_right(bytes);
        write_bytes(file, bytes);
        const std::string found = first_fault(file);
        CHECK_MESSAGE(found.starts_with(damage.message), "found: ", found, "\nexpected: ", damage.message);
        // A reader gets an error, or numbers that are taxonomy IDs.
        const auto reader = WsdbReader::open(file);
        REQUIRE(reader.ok());
        CHECK((reader->taxonomy().ok() || damage.offset >= taxonomy));
        for (std::uint64_t rank = 0; rank < reader->sequence_count(); ++rank) {
            std::vector<std::uint32_t> read;
            if (!reader->distinct_taxids(rank, read).ok()) continue;
            for (const std::uint32_t taxid : read) CHECK(taxid <= kMostTaxid);
        }
    }
}

TEST_CASE("each damaged golden database has its one expected message") {
    const ScratchFolder folder;
    const auto good = read_bytes(golden("tiny-v2-packed.wsdb"));
    struct Damage {
        std::size_t offset;
        std::uint8_t value;
        bool right_checksums;
        std::string_view message;
    };
    // The worked example of docs/format.md, changed in one byte each.
    for (const Damage& damage : std::initializer_list<Damage>{
             {1, 'X', false, "byte 0: not a warpseq database: expected the signature 89 57 53 44 0d 0a 1a 0a"},
             {0, 0x09, false, "byte 0: signature (was the file copied as text?): expected the signature"},
             {4, 0x0a, false, "byte 0: signature (was the file copied as text?): expected the signature"},
             {8, 3, false, "byte 8: format version: expected 2 (this program reads no other), found 3"},
             {8, 1, false, "byte 8: format version: expected 2 (this program reads no other), found 1"},
             {24, 4, false, "byte 4088: the header is damaged: expected checksum 0x"},
             {64, 2, true, "byte 64: codec: expected 0 (packed) or 1 (zstd), found 2"},
             {68, 2, true, "byte 68: alphabet: expected 1 (proteins), found 2"},
             {56, 2, true, "byte 56: features that a reader must understand: expected none but 1"},
             {24, 0, true, "byte 24: number of sequences: expected 1 to 2^40, found 0"},
             {40, 2, true, "byte 128: size of section TILE_INDEX: expected 4 items of 24 bytes, found 48"},
             {48, 23, true, "byte 12288: length of sequence 0: expected at most 23"},
             {48, 32, true, "byte 48: length of the longest sequence: expected at most 31, found 32"},
             {101, 1, true, "byte 100: reserved bytes of the header: expected zeros, found something else"},
             {700, 1, true, "byte 680: unused entry of the section table 23: expected zeros, found something else"},
             {0x80, 15, true, "byte 128: type of section 0: expected 1 to 14 (a newer program may know it), found 15"},
             {0x80, 13, true, "byte 132: flags of section TAXIDS: expected 1, found 0"},
             {0x84, 2, true, "byte 132: flags of section TILES: expected 0, found 2"},
             {0x89, 0x20, true, "byte 136: offset of section 0: expected 4096, found 8192"},
             {0x1000, 0x0b, false, "byte 4096: tile 0 is damaged: expected checksum 0x1d08179658dea37d, found 0x"},
             {0x1234, 1, false, "byte 4660: padding before a section: expected 0, found 1"},
             {0x2008, 5, false, "byte 8192: section TILE_INDEX is damaged: expected checksum 0x"},
             {0x2008, 5, true, "byte 8200: residues before of tile 0: expected 0, found 5"},
             {0x2018, 5, true, "byte 8216: offset of tile 1: expected 512, found 5"},
             {0x3004, 8, true, "byte 12292: length of sequence 1: expected at most 7"},
             {0x4000, 2, true, "byte 16392: input position of sequence 2: expected one that no other has, found 2"},
             {0x4008, 3, true, "byte 16392: input position of sequence 2: expected below 3, found 3"},
             {0x5018, 4, true, "byte 20504: first sequence of header block 1: expected 3, which is how many there are"},
             {0x6014, 'P', false, "byte 24576: header block 0 is damaged: expected checksum 0x"},
             {0x7008, 3, true, "byte 28672: name index entry 0: expected a rank below 3, found 3"},
             {0x8000, 2, true, "byte 32768: statistics, number 0: expected 1, found 2"},
             {0x9000, '[', true, "byte 36864: provenance: expected JSON text, found something else"},
             {0xa000, 1, false, "byte 40960: section CHECKSUMS is damaged: expected checksum 0x"},
         }) {
        auto bytes = good;
        REQUIRE(bytes[damage.offset] != damage.value);
        bytes[damage.offset] = damage.value;
        if (damage.right_checksums) put_checksums_right(bytes);
        const auto file = folder.path("damaged.wsdb");
        write_bytes(file, bytes);
        const std::string found = first_fault(file);
        CHECK_MESSAGE(found.starts_with(damage.message), "found: ", found, "\nexpected: ", damage.message);
    }
    for (const auto& [size, message] : {std::pair<std::size_t, std::string_view>{0, "byte 0: the file is empty"},
                                        {100, "byte 100: the file ends inside its header"},
                                        {41015, "byte 16: the file is cut short"},
                                        {41017, "byte 16: bytes behind the database's end"}}) {
        auto bytes = good;
        bytes.resize(size);
        const auto file = folder.path("damaged.wsdb");
        write_bytes(file, bytes);
        const std::string found = first_fault(file);
        CHECK_MESSAGE(found.starts_with(message), found);
    }
}
