// The reader: tiles as kernels see them, look-up by name, and files that it must refuse.
#include "formats/wsdb/wsdb_reader.h"

#include <doctest/doctest.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "formats/wsdb/wsdb_map.h"
#include "formats/wsdb/wsdb_validate.h"
#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

std::vector<TestSequence> mixed_sequences(std::size_t count) {
    Random random(count);
    std::vector<TestSequence> sequences(count);
    for (std::size_t i = 0; i < count; ++i) {
        sequences[i].header = "id" + std::to_string(i) + " text";
        sequences[i].residues = random_residues(random, random.below(500));
    }
    sequences[count / 2].residues = random_residues(random, 20000);
    return sequences;
}

/// Opens a file that must be refused. Returns the message.
std::string refusal(const std::filesystem::path& file) {
    const auto reader = WsdbReader::open(file);
    REQUIRE_FALSE(reader.ok());
    CHECK(reader.status().exit_status() == 1);
    return reader.status().message();
}

/// Calls everything that a reader offers, for one sequence in every `step`. Returns the number of
/// errors.
std::size_t ask_everything(const WsdbReader& reader, std::uint64_t step = 13) {
    TileBuffer buffer;
    HeaderBuffer names;
    std::size_t errors = 0;
    const auto ask = [&errors](const Status& status) { errors += !status.ok(); };
    for (std::uint64_t tile = 0; tile < reader.tile_count(); tile += (step + 1) / 2) {
        const std::uint64_t first = reader.block_start(tile);
        ask(reader.read_tiles(first, tile - first + 1, buffer));
        CHECK(reader.tile_residues(tile) <= kTileLanes * reader.longest_residues());
    }
    for (std::uint64_t rank = 0; rank < reader.sequence_count(); rank += step) {
        ask(reader.residues(rank, buffer).status());
        ask(reader.header(rank, names).status());
        ask(reader.header(rank).status());
        ask(reader.find("id" + std::to_string(rank)).status());
        CHECK(reader.input_positions()[rank] < reader.sequence_count());
        CHECK(reader.lengths_residues()[rank] <= reader.longest_residues());
    }
    ask(reader.map().statistics().status());
    ask(reader.map().provenance().status());
    return errors;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("tiles hold the sequences, both codecs the same words") {
    const ScratchFolder folder;
    const auto sequences = mixed_sequences(3000);
    make_database(folder.path("packed.wsdb"), sequences, {ResidueCodec::kPacked});
    make_database(folder.path("zstd.wsdb"), sequences, {ResidueCodec::kZstd});
    const auto packed = WsdbReader::open(folder.path("packed.wsdb"));
    const auto zstd = WsdbReader::open(folder.path("zstd.wsdb"));
    REQUIRE(packed.ok());
    REQUIRE(zstd.ok());
    REQUIRE(packed->linear_tile_count() == 1);
    CHECK(packed->tile_count() == 1 + (2999 + 31) / 32);
    CHECK(packed->longest_residues() == 20000);
    CHECK_FALSE(packed->file_bytes() == zstd->file_bytes());

    TileBuffer packed_buffer, zstd_buffer;
    for (std::uint64_t tile = 0; tile < packed->tile_count(); tile += 5) {
        const std::uint64_t count = std::min<std::uint64_t>(5, packed->tile_count() - tile);
        REQUIRE(packed->read_tiles(tile, count, packed_buffer).ok());
        REQUIRE(zstd->read_tiles(tile, count, zstd_buffer).ok());
        REQUIRE(packed_buffer.views.size() == count);
        REQUIRE(zstd_buffer.views.size() == count);
        for (std::uint64_t i = 0; i < count; ++i) {
            const TileView& view = packed_buffer.views[i];
            const TileView& other = zstd_buffer.views[i];
            CHECK(std::ranges::equal(view.words, other.words));
            CHECK(reinterpret_cast<std::uintptr_t>(view.words.data()) % kTileAlignmentBytes == 0);
            CHECK(reinterpret_cast<std::uintptr_t>(other.words.data()) % kTileAlignmentBytes == 0);
            CHECK(view.words.size_bytes() == packed->tile_bytes(tile + i));
            CHECK(view.layout == (tile + i < 1 ? TileLayout::kLinear : TileLayout::kInterleaved));
            CHECK(view.word_rows == words_for(view.longest_residues()));
            std::uint64_t residues = 0;
            for (std::uint32_t lane = 0; lane < view.lanes(); ++lane) {
                const std::uint64_t rank = view.first_sequence + lane;
                CHECK(packed->tile_of_sequence(rank) == tile + i);
                std::vector<ResidueCode> found(view.lengths_residues[lane]);
                unpack_lane(view, lane, found.data());
                CHECK(found == sequences[packed->input_positions()[rank]].residues);
                residues += found.size();
            }
            CHECK(residues == packed->tile_residues(tile + i));
        }
    }
    CHECK(packed->block_start(7) == 7);
    CHECK(zstd->block_start(0) == 0);
    CHECK(zstd->block_start(zstd->tile_count() - 1) <= zstd->tile_count() - 1);
}

TEST_CASE("residues of single sequences do not depend on what the buffer held before") {
    const ScratchFolder folder;
    const auto one = mixed_sequences(100);
    auto two = mixed_sequences(100);
    for (auto& sequence : two) std::ranges::reverse(sequence.residues);
    for (const ResidueCodec codec : {ResidueCodec::kPacked, ResidueCodec::kZstd}) {
        make_database(folder.path("one.wsdb"), one, {codec});
        make_database(folder.path("two.wsdb"), two, {codec});
        TileBuffer buffer;
        for (int round = 0; round < 3; ++round) {
            for (const auto* name : {"one.wsdb", "two.wsdb"}) {
                const auto reader = WsdbReader::open(folder.path(name));
                REQUIRE(reader.ok());
                const auto& expected = name == std::string("one.wsdb") ? one : two;
                for (const std::uint64_t rank : {std::uint64_t{50}, std::uint64_t{0}, std::uint64_t{51}}) {
                    const auto residues = reader->residues(rank, buffer);
                    REQUIRE(residues.ok());
                    CHECK(*residues == expected[reader->input_positions()[rank]].residues);
                }
                REQUIRE(reader->read_tiles(0, 2, buffer).ok());
            }
        }
    }
}

TEST_CASE("identifiers are found, all sequences that have one, in input order") {
    const ScratchFolder folder;
    auto sequences = mixed_sequences(1000);
    sequences[10].header = "sp|P68871|HBB_HUMAN Hemoglobin";
    sequences[20].header = "twice";
    sequences[700].header = "twice with a description";
    sequences[30].header = "twice\x01gi|2";
    make_database(folder.path("db.wsdb"), sequences);
    const auto reader = WsdbReader::open(folder.path("db.wsdb"));
    REQUIRE(reader.ok());
    const auto positions_of = [&](std::string_view name) {
        const auto ranks = reader->find(name);
        REQUIRE(ranks.ok());
        std::vector<std::uint64_t> positions;
        for (const std::uint64_t rank : *ranks) positions.push_back(reader->input_positions()[rank]);
        return positions;
    };
    CHECK(positions_of("sp|P68871|HBB_HUMAN") == std::vector<std::uint64_t>{10});
    CHECK(positions_of("P68871") == std::vector<std::uint64_t>{10});
    CHECK(positions_of("HBB_HUMAN") == std::vector<std::uint64_t>{10});
    CHECK(positions_of("tr|P68871|OTHER") == std::vector<std::uint64_t>{10});
    CHECK(positions_of("P68872").empty());
    CHECK(positions_of("twice") == std::vector<std::uint64_t>{20, 30, 700});
    CHECK(positions_of("gi|2") == std::vector<std::uint64_t>{30});
    CHECK(positions_of("2") == std::vector<std::uint64_t>{30});
    CHECK(positions_of("id999") == std::vector<std::uint64_t>{999});
    CHECK(positions_of("id1000").empty());
    CHECK(positions_of("").empty());
}

TEST_CASE("files that are not databases are refused, with name and place") {
    const ScratchFolder folder;
    CHECK(contains(refusal(folder.path("missing.wsdb")), "missing.wsdb: cannot open: No such file"));
    CHECK(contains(refusal(folder.path(".")), "not a regular file"));
    CHECK(contains(refusal(folder.write("empty.wsdb", "")), "empty.wsdb: byte 0: the file is empty"));
    CHECK(contains(refusal(folder.write("fasta.wsdb", ">P1\nMKV\n")), "fasta.wsdb: byte 0: not a warpseq database"));
    CHECK(contains(refusal(folder.write("short.wsdb", "\x89WSD\r\n\x1a\n")), "the file ends inside its header"));
    CHECK(contains(refusal(folder.write("text.wsdb", "\x89WSD\n\x1a\n" + std::string(5000, 'x'))), "copied as text"));
}

TEST_CASE("newer versions: another major is refused, a minor one is read") {
    const ScratchFolder folder;
    const auto file = folder.path("db.wsdb");
    make_database(file, mixed_sequences(50));
    const auto good = read_bytes(file);
    auto bytes = good;
    put<std::uint16_t>(bytes, offsetof(wsdb::FileHeader, version_major), 3);
    put_checksums_right(bytes);
    write_bytes(file, bytes);
    CHECK(contains(refusal(file), "format version: expected 2"));

    bytes = good;
    put<std::uint16_t>(bytes, offsetof(wsdb::FileHeader, version_minor), 7);
    put<std::uint32_t>(bytes, offsetof(wsdb::FileHeader, reserved), 1);
    // A section of a type that only the newer version knows, which may be ignored.
    wsdb::FileHeader header = header_of(bytes);
    const wsdb::SectionEntry checksums = header.sections[header.section_count - 1];
    REQUIRE(checksums.type == static_cast<std::uint32_t>(wsdb::SectionType::kChecksums));
    const std::uint64_t checksums_at = wsdb::align_up(checksums.offset_bytes + 1, 4096);
    bytes.resize(checksums.offset_bytes + 10);
    bytes.resize(checksums_at + checksums.size_bytes + 8);
    header.sections[header.section_count - 1] = {99, wsdb::kSectionMayBeIgnored, checksums.offset_bytes, 10};
    header.sections[header.section_count++] = {checksums.type, 0, checksums_at, checksums.size_bytes + 8};
    header.file_bytes = bytes.size();
    std::memcpy(bytes.data(), &header, sizeof header);
    put_checksums_right(bytes);
    write_bytes(file, bytes);
    CHECK(WsdbReader::open(file).ok());

    header = header_of(bytes);
    header.sections[header.section_count - 2].flags = 0;
    std::memcpy(bytes.data(), &header, sizeof header);
    put_checksums_right(bytes);
    write_bytes(file, bytes);
    CHECK(contains(refusal(file), "type of section"));
}

TEST_CASE("damaged tiles are found when they are read, not before, and others stay readable") {
    const ScratchFolder folder;
    for (const ResidueCodec codec : {ResidueCodec::kPacked, ResidueCodec::kZstd}) {
        const auto file = folder.path("db.wsdb");
        make_database(file, mixed_sequences(20000), {codec});
        auto bytes = read_bytes(file);
        bytes[wsdb::kHeaderBytes + 100] ^= 1;
        write_bytes(file, bytes);
        const auto reader = WsdbReader::open(file);
        REQUIRE(reader.ok());
        TileBuffer buffer;
        const Status status = reader->read_tiles(0, 1, buffer);
        REQUIRE_FALSE(status.ok());
        CHECK(contains(status.message(), "db.wsdb: byte 4096: "));
        CHECK(contains(status.message(), "checksum"));
        CHECK_FALSE(reader->residues(0, buffer).ok());
        CHECK(reader->read_tiles(reader->tile_count() - 1, 1, buffer).ok());
    }
}

TEST_CASE("invalid residue codes under correct checksums are refused") {
    const ScratchFolder folder;
    const auto file = folder.path("db.wsdb");
    make_database(file, mixed_sequences(20000));
    const auto good = read_bytes(file);
    // The first tile is linear, the others are interleaved.
    const auto reader = WsdbReader::open(file);
    REQUIRE(reader.ok());
    for (const std::uint64_t tile : {std::uint64_t{0}, reader->tile_count() / 2}) {
        for (const std::uint32_t code : {27u, 28u, 29u, 30u, 31u}) {
            auto bytes = good;
            const std::uint64_t entry =
                section_of(bytes, wsdb::SectionType::kTileIndex).offset_bytes + tile * sizeof(wsdb::TileEntry);
            const std::uint64_t start = section_of(bytes, wsdb::SectionType::kTiles).offset_bytes +
                                        get<wsdb::TileEntry>(bytes, entry).offset_bytes;
            put(bytes, start, (get<std::uint32_t>(bytes, start) & ~kResidueMask) | code);
            put(bytes, entry + offsetof(wsdb::TileEntry, checksum),
                XXH3_64bits(bytes.data() + start, reader->tile_bytes(tile)));
            put_checksums_right(bytes);
            write_bytes(file, bytes);
            const auto changed = WsdbReader::open(file);
            REQUIRE(changed.ok());
            TileBuffer buffer;
            const Status status = changed->read_tiles(tile, 1, buffer);
            REQUIRE_FALSE(status.ok());
            CHECK(contains(status.message(), "db.wsdb: byte " + std::to_string(start)));
            CHECK(contains(status.message(), "invalid residue codes"));
            CHECK_FALSE(changed->residues(changed->map().first_sequence_of(tile), buffer).ok());
        }
    }
}

TEST_CASE("false numbers under correct checksums are refused") {
    using wsdb::SectionType;
    const ScratchFolder folder;
    for (const ResidueCodec codec : {ResidueCodec::kPacked, ResidueCodec::kZstd}) {
        const auto file = folder.path("db.wsdb");
        make_database(file, mixed_sequences(200), {codec});
        const auto good = read_bytes(file);
        struct Lie {
            SectionType section;
            std::uint64_t offset;
            std::uint64_t value;
            std::string_view message;
        };
        const std::uint64_t huge = ~std::uint64_t{0} - 6;
        // These lies replace 32 bits if the field has 32 bits.
        std::vector<Lie> lies = {{SectionType::kLengths, 4, huge, "length of sequence 1"},
                                 {SectionType::kLengths, 199 * 4, 499, "length of sequence 199"},
                                 {SectionType::kInputPositions, 8, 200, "input position of sequence 2"},
                                 {SectionType::kTileIndex, 24, huge, "offset of tile 1"},
                                 {SectionType::kTileIndex, 32, huge, "residues before of tile 1"},
                                 {SectionType::kTileIndex, 8, 1, "residues before of tile 0"},
                                 {SectionType::kTileIndex, 24 * 8 + 16, 1, "checksum behind the last tile"},
                                 {SectionType::kHeaderBlockIndex, 0, 5, "first sequence of header block 0"},
                                 {SectionType::kHeaderBlockIndex, 8, 5, "offset of header block 0"},
                                 {SectionType::kHeaderBlockIndex, 24, 199, "first sequence of header block 1"},
                                 {SectionType::kHeaderBlockIndex, 32, huge, "offset of header block 1"},
                                 {SectionType::kHeaderBlockIndex, 40, 1, "checksum behind the last header block"}};
        if (codec == ResidueCodec::kZstd) {
            lies.push_back({SectionType::kBlockIndex, 0, 1, "first tile of block 0"});
            lies.push_back({SectionType::kBlockIndex, 24, huge, "first tile of block 1"});
            lies.push_back({SectionType::kBlockIndex, 8, huge, "offset of block 0"});
            lies.push_back({SectionType::kBlockIndex, 32, 7, "offset of block 1"});
        }
        for (const Lie& lie : lies) {
            auto bytes = good;
            const std::uint64_t place = section_of(bytes, lie.section).offset_bytes + lie.offset;
            if (lie.section == SectionType::kLengths || lie.section == SectionType::kInputPositions) {
                put(bytes, place, static_cast<std::uint32_t>(lie.value));
            } else {
                put(bytes, place, lie.value);
            }
            put_checksums_right(bytes);
            write_bytes(file, bytes);
            ThreadPool pool(1);
            const auto validation = validate_wsdb(file, pool);
            REQUIRE(validation.ok());
            REQUIRE(validation->faults.size() == 1);
            CHECK_MESSAGE(contains(validation->faults[0].what, lie.message), validation->faults[0].what);
            // A process that reads everything gets an error, too, and does not read outside of the
            // file.
            if (const auto reader = WsdbReader::open(file); reader.ok()) {
                const std::size_t errors = ask_everything(*reader, 1);
                const bool is_told = errors > 0 || !reader->verify_unchanged(pool).ok();
                CHECK_MESSAGE((is_told || lie.message.starts_with("checksum behind")), lie.message);
            }
        }
        // The header's own numbers.
        for (const std::size_t offset :
             {offsetof(wsdb::FileHeader, header_bytes), offsetof(wsdb::FileHeader, file_bytes),
              offsetof(wsdb::FileHeader, sequences), offsetof(wsdb::FileHeader, residues),
              offsetof(wsdb::FileHeader, linear_tiles), offsetof(wsdb::FileHeader, longest_residues),
              offsetof(wsdb::FileHeader, required_features), offsetof(wsdb::FileHeader, codec),
              offsetof(wsdb::FileHeader, alphabet), offsetof(wsdb::FileHeader, section_count),
              offsetof(wsdb::FileHeader, reserved)}) {
            CAPTURE(offset);
            for (const std::uint32_t value : {std::uint32_t{3}, ~std::uint32_t{0}}) {
                auto bytes = good;
                put(bytes, offset, value);
                put_checksums_right(bytes);
                write_bytes(file, bytes);
                refusal(file);
            }
        }
        // Every field of every entry of the section table.
        const wsdb::FileHeader header = header_of(good);
        for (std::uint32_t i = 0; i < header.section_count + 1; ++i) {
            for (const std::size_t field :
                 {offsetof(wsdb::SectionEntry, type), offsetof(wsdb::SectionEntry, flags),
                  offsetof(wsdb::SectionEntry, offset_bytes), offsetof(wsdb::SectionEntry, size_bytes)}) {
                CAPTURE(i);
                CAPTURE(field);
                auto bytes = good;
                const std::uint64_t place =
                    offsetof(wsdb::FileHeader, sections) + i * sizeof(wsdb::SectionEntry) + field;
                put<std::uint32_t>(bytes, place, get<std::uint32_t>(bytes, place) ^ 0x8001u);
                put_checksums_right(bytes);
                write_bytes(file, bytes);
                refusal(file);
            }
        }
    }
}

TEST_CASE("a frame that claims more than it holds is refused before memory is asked for") {
    const ScratchFolder folder;
    const auto file = folder.path("db.wsdb");
    // There is one long sequence. All sections claim consistently that its length is nearly 2^32.
    // Only the frame shows the true length.
    std::vector<TestSequence> sequences = {{"one", std::vector<ResidueCode>(70000, 3)}};
    make_database(file, sequences, {ResidueCodec::kZstd});
    auto bytes = read_bytes(file);
    const std::uint64_t claim = wsdb::kMaxSequenceResidues - 5;
    put(bytes, offsetof(wsdb::FileHeader, residues), claim);
    put(bytes, offsetof(wsdb::FileHeader, longest_residues), claim);
    put(bytes, section_of(bytes, wsdb::SectionType::kLengths).offset_bytes, static_cast<std::uint32_t>(claim));
    const std::uint64_t behind =
        section_of(bytes, wsdb::SectionType::kTileIndex).offset_bytes + sizeof(wsdb::TileEntry);
    put(bytes, behind + offsetof(wsdb::TileEntry, offset_bytes),
        tile_words(TileLayout::kLinear, claim) * sizeof(std::uint32_t));
    put(bytes, behind + offsetof(wsdb::TileEntry, residues_before), claim);
    put_checksums_right(bytes);
    write_bytes(file, bytes);
    const auto reader = WsdbReader::open(file);
    REQUIRE_MESSAGE(reader.ok(), reader.status().message());
    TileBuffer buffer;
    const Status status = reader->read_tiles(0, 1, buffer);
    REQUIRE_FALSE(status.ok());
    CHECK_MESSAGE(contains(status.message(), "size of block 0"), status.message());
    CHECK(buffer.block.residues.size() < 1'000'000);
}

TEST_CASE("a file that is changed after it was read is an error that names it") {
    const ScratchFolder folder;
    const auto file = folder.path("db.wsdb");
    ThreadPool pool(3);
    for (const ResidueCodec codec : {ResidueCodec::kPacked, ResidueCodec::kZstd}) {
        make_database(file, mixed_sequences(5000), {codec});
        const auto good = read_bytes(file);
        // Time stamps of files advance in steps.
        std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) - std::chrono::seconds(9));
        const auto reader = WsdbReader::open(file);
        REQUIRE(reader.ok());
        CHECK(reader->verify_unchanged(pool).ok());
        TileBuffer buffer;
        const std::uint64_t tile = reader->tile_count() / 2;
        REQUIRE(reader->read_tiles(tile, 1, buffer).ok());
        REQUIRE(reader->find("id7").ok());
        CHECK(reader->verify_unchanged(pool).ok());
        const auto changed = [&](std::uint64_t place) {
            auto bytes = good;
            bytes[place] ^= 1;
            write_bytes(file, bytes);
            const Status status = reader->verify_unchanged(pool);
            if (!status.ok()) {
                CHECK(contains(status.message(), "db.wsdb: was written to while it was read"));
                CHECK(status.exit_status() == 1);
            }
            write_bytes(file, good);
            REQUIRE(reader->verify_unchanged(pool).ok());
            return !status.ok();
        };
        using wsdb::SectionType;
        for (const SectionType type :
             {SectionType::kTileIndex, SectionType::kLengths, SectionType::kInputPositions,
              SectionType::kHeaderBlockIndex, SectionType::kBlockIndex, SectionType::kNameIndex}) {
            if (type == SectionType::kBlockIndex && codec == ResidueCodec::kPacked) continue;
            CAPTURE(section_name(type));
            const wsdb::SectionEntry section = section_of(good, type);
            CHECK(changed(section.offset_bytes));
            // Names were read only in the blocks in which one was looked up.
            if (type != SectionType::kNameIndex) CHECK(changed(section.offset_bytes + section.size_bytes - 1));
        }
        if (codec == ResidueCodec::kPacked) {
            const wsdb::SectionEntry tiles = section_of(good, SectionType::kTiles);
            CHECK(changed(tiles.offset_bytes + reader->map().tiles[tile].offset_bytes));
            CHECK_FALSE(changed(tiles.offset_bytes));  // this tile was not read
        }
        CHECK_FALSE(changed(section_of(good, SectionType::kStatistics).offset_bytes));

        std::filesystem::resize_file(file, wsdb::kHeaderBytes);
        ask_everything(*reader);
        HeaderBuffer unused;
        for (const Status& status : {reader->verify_unchanged(pool), reader->read_tiles(tile, 1, buffer),
                                     reader->header(5, unused).status(), reader->map().statistics().status()}) {
            REQUIRE_FALSE(status.ok());
            CHECK_MESSAGE(contains(status.message(), "db.wsdb: was cut short while it was read"), status.message());
            CHECK(status.exit_status() == 1);
        }
    }
}

TEST_CASE("damage that was there before is told as damage, with its place, and what to do") {
    const ScratchFolder folder;
    const auto file = folder.path("db.wsdb");
    ThreadPool pool(2);
    make_database(file, mixed_sequences(500));
    auto bytes = read_bytes(file);
    const std::uint64_t place = section_of(bytes, wsdb::SectionType::kTiles).offset_bytes;
    bytes[place + 5] ^= 1;
    write_bytes(file, bytes);
    const std::string expected = "db.wsdb: byte " + std::to_string(place) + ": tile 0 is damaged: expected checksum 0x";
    constexpr std::string_view kAdvice = "; inspect salvage writes its undamaged sequences as FASTA";
    const auto is_told = [&](const Status& status) {
        REQUIRE_FALSE(status.ok());
        CHECK_MESSAGE(contains(status.message(), expected), status.message());
        CHECK_MESSAGE(status.message().ends_with(kAdvice), status.message());
    };
    const auto reader = WsdbReader::open(file);
    REQUIRE(reader.ok());
    TileBuffer buffer;
    // A caller that uses the words in place gets the error at the end.
    REQUIRE(reader->locate_tiles(0, 3, buffer).ok());
    is_told(reader->verify_unchanged(pool));
    is_told(reader->changed_status());
    is_told(reader->read_tiles(0, 1, buffer));
    // If the file had been written to since, the reason could not be told.
    std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) - std::chrono::seconds(9));
    CHECK(contains(reader->verify_unchanged(pool).message(), "was written to while it was read"));
    CHECK(contains(reader->changed_status().message(), "was written to while it was read"));
    CHECK(contains(reader->read_tiles(0, 1, buffer).message(), "the file was written to while it was read"));
    // A sound file without a contradiction is reported as neither damaged nor changed.
    make_database(file, mixed_sequences(500));
    const auto sound = WsdbReader::open(file);
    REQUIRE(sound.ok());
    CHECK(contains(sound->changed_status().message(), "inspect validate shows the details"));
}

TEST_CASE("tiles that were checked ahead are not read again, and damaged ones are told as before") {
    const ScratchFolder folder;
    const auto file = folder.path("db.wsdb");
    ThreadPool pool(2);
    make_database(file, mixed_sequences(5000));
    auto bytes = read_bytes(file);
    const std::uint64_t tiles = section_of(bytes, wsdb::SectionType::kTiles).offset_bytes;
    const auto place_of = [&](const WsdbReader& reader, std::uint64_t tile) {
        return tiles + reader.map().tiles[tile].offset_bytes;
    };
    const auto write_byte = [&](std::uint64_t place) {
        bytes[place] ^= 1;
        write_bytes(file, bytes);
    };
    TileBuffer buffer;
    const std::uint64_t last = WsdbReader::open(file)->tile_count() - 1;
    REQUIRE(last > 129);  // so there are several groups of tiles
    for (const std::uint64_t damaged : std::array<std::uint64_t, 3>{0, 64, 129}) {
        CAPTURE(damaged);
        write_byte(place_of(*WsdbReader::open(file), damaged));
        const auto reader = WsdbReader::open(file);
        REQUIRE(reader.ok());
        reader->check_ahead(pool, [] { return true; });
        for (std::uint64_t tile = 0; tile <= last; ++tile)
            REQUIRE(reader->read_tiles(tile, 1, buffer).ok() == (tile != damaged));
        CHECK(contains(reader->read_tiles(damaged, 1, buffer).message(),
                       "tile " + std::to_string(damaged) + " is damaged: expected checksum 0x"));
        write_byte(place_of(*reader, damaged));
    }
    // A later change is found at the end, and by a check that has not been made ahead.
    for (const bool ahead : {true, false}) {
        const auto reader = WsdbReader::open(file);
        REQUIRE(reader.ok());
        reader->check_ahead(pool, [&] { return ahead; });
        write_byte(place_of(*reader, 3));
        CHECK(reader->verify_unchanged(pool).ok());  // tile 3 has not been handed out
        CHECK(reader->read_tiles(3, 1, buffer).ok() == ahead);
        CHECK_FALSE(reader->verify_unchanged(pool).ok());
        write_byte(place_of(*reader, 3));
    }
    // There is nothing to check ahead in a compressed database.
    make_database(file, mixed_sequences(500), {ResidueCodec::kZstd});
    const auto compressed = WsdbReader::open(file);
    REQUIRE(compressed.ok());
    compressed->check_ahead(pool, [] { return true; });
    CHECK(compressed->read_tiles(0, compressed->tile_count(), buffer).ok());
}

TEST_CASE("a file that is cut while it is mapped, and one whose disk fails, are told apart") {
    const ScratchFolder folder;
    const auto file = folder.path("db.wsdb");
    ThreadPool pool(1);
    make_database(file, mixed_sequences(2000));
    const auto reader = WsdbReader::open(file);
    REQUIRE(reader.ok());
    const auto bytes = read_bytes(file);
    std::filesystem::resize_file(file, 8192);
    TileBuffer buffer;
    const Status cut = reader->read_tiles(reader->tile_count() - 1, 1, buffer);
    REQUIRE_FALSE(cut.ok());
    CHECK(contains(cut.message(), "db.wsdb: was cut short while it was read"));
    // The file has its whole size again. As far as the reader can tell, one of its pages cannot be
    // read.
    std::filesystem::resize_file(file, bytes.size());
    const std::string failed = reader->verify_unchanged(pool).message();
    CHECK(contains(failed, "db.wsdb: byte "));
    CHECK(contains(failed, ": cannot be read, its disk has failed there"));
    CHECK(contains(failed, "inspect salvage"));
}

TEST_CASE("a file may be written to at any moment, and nothing is read outside of it") {
    const ScratchFolder folder;
    const auto file = folder.path("db.wsdb");
    ThreadPool pool(2);
    for (const ResidueCodec codec : {ResidueCodec::kPacked, ResidueCodec::kZstd}) {
        make_database(file, mixed_sequences(1000), {codec});
        const auto good = read_bytes(file);
        // Parts come from another database, whose index is consistent.
        make_database(file, mixed_sequences(1500), {codec});
        auto other = read_bytes(file);
        other.resize(good.size());
        Random random(7);
        for (int round = 0; round < 60; ++round) {
            write_bytes(file, good);
            const auto reader = WsdbReader::open(file);
            REQUIRE(reader.ok());
            if (round % 2 == 0) CHECK(ask_everything(*reader) == 0);
            std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
            const auto put_at = [&](std::uint64_t place, const void* bytes, std::uint64_t size) {
                out.seekp(static_cast<std::streamoff>(place));
                out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
            };
            // Random numbers anywhere in the index, or whole parts of the other file.
            for (int change = 0; change < 20; ++change) {
                const auto type = static_cast<wsdb::SectionType>(1 + random.below(wsdb::kKnownSections));
                if (wsdb::SectionEntry entry{}; reader->map().section(type).type != 0) {
                    entry = reader->map().section(type);
                    const std::uint64_t place = entry.offset_bytes + random.below(entry.size_bytes) / 4 * 4;
                    if (round % 3 == 0) {
                        const std::uint64_t end = std::min<std::uint64_t>(good.size(), place + random.below(50000));
                        put_at(place, other.data() + place, end - place);
                    } else {
                        const std::uint64_t value =
                            change % 2 == 0 ? random.below(3000) : ~std::uint64_t{0} >> random.below(64);
                        put_at(place, &value, std::min<std::uint64_t>(8, good.size() - place));
                    }
                }
            }
            out.close();
            const std::size_t errors = ask_everything(*reader);
            const bool is_told = errors > 0 || !reader->verify_unchanged(pool).ok();
            CHECK(is_told);
        }
        // Validate while another thread writes.
        for (int round = 0; round < 20; ++round) {
            write_bytes(file, good);
            std::atomic<bool> stop = false;
            std::thread writer([&] {
                Random places(static_cast<std::uint64_t>(round));
                std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
                while (!stop) {
                    const std::uint64_t place = places.below(good.size() - 5000);
                    out.seekp(static_cast<std::streamoff>(place));
                    const auto& from = places.below(2) == 0 ? good : other;
                    out.write(reinterpret_cast<const char*>(from.data()) + place, 5000);
                    out.flush();
                }
            });
            WsdbValidateOptions all;
            all.all = true;
            for (int again = 0; again < 5; ++again) (void)validate_wsdb(file, pool, all);
            const auto reader = WsdbReader::open(file);
            if (reader.ok()) ask_everything(*reader);
            stop = true;
            writer.join();
        }
    }
}
