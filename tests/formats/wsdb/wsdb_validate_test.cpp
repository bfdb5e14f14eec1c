// The validator. It finds every flipped bit, every cut and every false value, and names the place.
#include "formats/wsdb/wsdb_validate.h"

#include <doctest/doctest.h>

#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;
using wsdb::SectionType;

namespace {

std::vector<TestSequence> small_sequences() {
    Random random(11);
    std::vector<TestSequence> sequences;
    for (std::size_t i = 0; i < 70; ++i) {
        sequences.push_back({"id" + std::to_string(i), random_residues(random, 1 + random.below(40))});
    }
    sequences[5].residues = random_residues(random, 2000);
    sequences[6].residues.clear();
    return sequences;
}

std::vector<WsdbFault> faults_of(const std::filesystem::path& file, bool all = false, unsigned threads = 1) {
    ThreadPool pool(threads);
    WsdbValidateOptions options;
    options.all = all;
    const auto validation = validate_wsdb(file, pool, options);
    REQUIRE(validation.ok());
    return validation->faults;
}

}  // namespace

TEST_CASE("a sound database: everything is counted") {
    const ScratchFolder folder;
    for (const ResidueCodec codec : {ResidueCodec::kPacked, ResidueCodec::kZstd}) {
        make_database(folder.path("db.wsdb"), small_sequences(), {codec});
        ThreadPool pool(2);
        const auto validation = validate_wsdb(folder.path("db.wsdb"), pool);
        REQUIRE(validation.ok());
        CHECK(validation->faults.empty());
        const auto count = [&](std::string_view what) {
            for (const auto& entry : validation->counts) {
                if (entry.what.starts_with(what)) return entry.checked;
            }
            FAIL("nothing counted as " << what);
            return std::uint64_t{0};
        };
        CHECK(count("tiles") == 4);
        CHECK(count("headers") == 70);
        CHECK(count("names") == 70);
        CHECK(count("lengths") == 70);
        CHECK(count("input positions") == 70);
        CHECK(count("header blocks") == 1);
        CHECK(count("section checksums") == (codec == ResidueCodec::kPacked ? 7 : 8));
        CHECK(count("bytes of padding") > 0);
    }
}

TEST_CASE("each single flipped bit is found, in content, indexes, header and padding") {
    const ScratchFolder folder;
    const auto file = folder.path("db.wsdb");
    for (const ResidueCodec codec : {ResidueCodec::kPacked, ResidueCodec::kZstd}) {
        make_database(file, small_sequences(), {codec});
        auto bytes = read_bytes(file);
        std::size_t tried = 0;
        // A step that is prime to 8 and to all sizes in the file: every kind of byte and every bit
        // gets its turn.
        for (std::size_t bit = 0; bit < bytes.size() * 8; bit += 1009) {
            bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1u << (bit % 8)));
            write_bytes(file, bytes);
            const auto faults = faults_of(file);
            if (faults.empty())
                FAIL_CHECK("bit " << bit % 8 << " of byte " << bit / 8 << " is flipped and nobody says so");
            bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1u << (bit % 8)));
            ++tried;
        }
        CHECK(tried > 300);
        write_bytes(file, bytes);
        CHECK(faults_of(file).empty());
    }
}

TEST_CASE("cuts and added bytes are found") {
    const ScratchFolder folder;
    const auto file = folder.path("db.wsdb");
    make_database(file, small_sequences());
    const auto good = read_bytes(file);
    for (std::size_t size = 0; size < good.size(); size += 97) {
        write_bytes(file, {good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)});
        CHECK_FALSE(faults_of(file).empty());
    }
    auto longer = good;
    longer.push_back(0);
    write_bytes(file, longer);
    const auto faults = faults_of(file);
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].what == "bytes behind the database's end");
}

TEST_CASE("false values under correct checksums are found, with their place") {
    const ScratchFolder folder;
    const auto file = folder.path("db.wsdb");
    make_database(file, small_sequences());
    const auto good = read_bytes(file);
    const auto fault_after = [&](const auto& change) {
        auto bytes = good;
        change(bytes);
        put_checksums_right(bytes);
        write_bytes(file, bytes);
        const auto faults = faults_of(file);
        REQUIRE(faults.size() == 1);
        return faults[0];
    };
    const auto start = [&](SectionType type) { return section_of(good, type).offset_bytes; };
    const auto fix_tile = [](std::vector<std::uint8_t>& bytes, std::uint64_t tile) {
        const std::uint64_t entry =
            section_of(bytes, SectionType::kTileIndex).offset_bytes + tile * sizeof(wsdb::TileEntry);
        const auto index = get<wsdb::TileEntry>(bytes, entry), next = get<wsdb::TileEntry>(bytes, entry + sizeof index);
        put(bytes, entry + offsetof(wsdb::TileEntry, checksum),
            XXH3_64bits(bytes.data() + section_of(bytes, SectionType::kTiles).offset_bytes + index.offset_bytes,
                        next.offset_bytes - index.offset_bytes));
    };
    WsdbFault fault;

    SUBCASE("an invalid residue code") {
        fault = fault_after([&](auto& bytes) {
            put<std::uint32_t>(bytes, start(SectionType::kTiles),
                               get<std::uint32_t>(bytes, start(SectionType::kTiles)) | 0x1fu);
            fix_tile(bytes, 0);
        });
        CHECK(fault.what == "code of residue 0 of sequence 0");
        CHECK(fault.offset_bytes == start(SectionType::kTiles));
        CHECK(fault.found == "31");
    }
    SUBCASE("a wrong word in the padding of a linear tile") {
        // 2,000 residues are 334 words, 352 with padding.
        fault = fault_after([&](auto& bytes) {
            put<std::uint32_t>(bytes, start(SectionType::kTiles) + 340 * 4, 0);
            fix_tile(bytes, 0);
        });
        CHECK(fault.what == "padding in a word of tile 0");
        CHECK(fault.offset_bytes == start(SectionType::kTiles) + 340 * 4);
        CHECK(fault.expected == std::to_string(kPaddingWord));
        CHECK(fault.found == "0");
    }
    SUBCASE("an unused bit of a word") {
        fault = fault_after([&](auto& bytes) {
            put<std::uint32_t>(bytes, start(SectionType::kTiles) + 4,
                               get<std::uint32_t>(bytes, start(SectionType::kTiles) + 4) | 0x80000000u);
            fix_tile(bytes, 0);
        });
        CHECK(fault.what == "padding in a word of tile 0");
    }
    SUBCASE("another residue, which the digest shows") {
        fault = fault_after([&](auto& bytes) {
            const auto word = get<std::uint32_t>(bytes, start(SectionType::kTiles));
            put<std::uint32_t>(bytes, start(SectionType::kTiles), (word & ~0x1fu) | ((word & 0x1fu) == 0 ? 1u : 0u));
            fix_tile(bytes, 0);
        });
        CHECK(fault.what == "content digest");
    }
    SUBCASE("input positions twice") {
        fault = fault_after([&](auto& bytes) {
            put(bytes, start(SectionType::kInputPositions),
                get<std::uint32_t>(bytes, start(SectionType::kInputPositions) + 4));
        });
        CHECK(fault.what == "input position of sequence 1");
        CHECK(fault.expected == "one that no other has");
    }
    SUBCASE("names in disorder") {
        fault = fault_after([&](auto& bytes) {
            const auto first = get<wsdb::NameEntry>(bytes, start(SectionType::kNameIndex));
            const auto second = get<wsdb::NameEntry>(bytes, start(SectionType::kNameIndex) + 16);
            put(bytes, start(SectionType::kNameIndex), second);
            put(bytes, start(SectionType::kNameIndex) + 16, first);
        });
        CHECK(fault.what == "name index entry 1");
    }
    SUBCASE("a name under another's hash") {
        fault = fault_after([&](auto& bytes) {
            put(bytes, start(SectionType::kNameIndex), get<std::uint64_t>(bytes, start(SectionType::kNameIndex)) - 1);
        });
        CHECK(fault.what.starts_with("name index: sequence "));
    }
    SUBCASE("a name that is not there") {
        fault = fault_after([&](auto& bytes) { put<std::uint64_t>(bytes, start(SectionType::kNameIndex) + 8, 70); });
        CHECK(fault.what == "name index entry 0");
    }
    SUBCASE("statistics that do not add up") {
        fault = fault_after([&](auto& bytes) {
            put<std::uint64_t>(bytes, start(SectionType::kStatistics) + offsetof(wsdb::Statistics, padding_words), 1);
        });
        CHECK(fault.offset_bytes == start(SectionType::kStatistics) + offsetof(wsdb::Statistics, padding_words));
    }
    SUBCASE("a wrong number of duplicates") {
        fault = fault_after([&](auto& bytes) {
            put<std::uint64_t>(bytes,
                               start(SectionType::kStatistics) + offsetof(wsdb::Statistics, duplicate_identifiers), 3);
        });
        CHECK(fault.expected == "0");
        CHECK(fault.found == "3");
    }
    SUBCASE("provenance that is no JSON") {
        fault = fault_after([&](auto& bytes) { put<std::uint8_t>(bytes, start(SectionType::kProvenance), '<'); });
        CHECK(fault.what == "provenance");
    }
}

TEST_CASE("threads look at indexes in pieces of 65,536 entries: disorder at the seam of two is found") {
    const ScratchFolder folder;
    const auto file = folder.path("db.wsdb");
    std::vector<TestSequence> sequences;
    for (std::size_t i = 0; i < 65600; ++i) sequences.push_back({"i" + std::to_string(i), {1}});
    make_database(file, sequences);
    const auto good = read_bytes(file);
    const auto swapped = [&](SectionType type, std::size_t item) {
        auto bytes = good;
        const auto second =
            bytes.begin() + static_cast<std::ptrdiff_t>(section_of(good, type).offset_bytes + 65536 * item);
        std::swap_ranges(second - static_cast<std::ptrdiff_t>(item), second, second);
        put_checksums_right(bytes);
        write_bytes(file, bytes);
        const auto faults = faults_of(file, false, 3);
        REQUIRE(faults.size() == 1);
        return faults[0].what;
    };
    const std::size_t position_bytes = section_of(good, SectionType::kInputPositions).size_bytes / sequences.size();
    CHECK(swapped(SectionType::kInputPositions, position_bytes) == "input position of sequence 65536");
    CHECK(swapped(SectionType::kNameIndex, sizeof(wsdb::NameEntry)) == "name index entry 65536");
    write_bytes(file, good);
    CHECK(faults_of(file, true, 3).empty());
}

TEST_CASE("all faults are named, the same ones with any number of threads") {
    const ScratchFolder folder;
    for (const ResidueCodec codec : {ResidueCodec::kPacked, ResidueCodec::kZstd}) {
        const auto file = folder.path("db.wsdb");
        Random random(3);
        std::vector<TestSequence> sequences;
        for (std::size_t i = 0; i < 9000; ++i)
            sequences.push_back({"i" + std::to_string(i), random_residues(random, random.below(900))});
        make_database(file, sequences, {codec});
        auto bytes = read_bytes(file);
        const auto content = header_of(bytes).sections[0];
        for (const std::uint64_t part : {1u, 3u, 5u, 9u}) {
            bytes[content.offset_bytes + content.size_bytes / 10 * part] ^= 4;
        }
        write_bytes(file, bytes);
        const auto first = faults_of(file);
        REQUIRE(first.size() == 1);
        const auto all = faults_of(file, true);
        // Two of the damaged places are in one block.
        CHECK(all.size() == (codec == ResidueCodec::kPacked ? 4 : 3));
        CHECK(all[0].offset_bytes == first[0].offset_bytes);
        for (const unsigned threads : {2u, 4u}) {
            const auto again = faults_of(file, true, threads);
            REQUIRE(again.size() == all.size());
            for (std::size_t i = 0; i < all.size(); ++i) {
                CHECK(again[i].offset_bytes == all[i].offset_bytes);
                CHECK(again[i].what == all[i].what);
            }
        }
    }
}
