// Salvage of damaged databases. The saved sequences are those that were written, under their own
// names. Losses are reported.
#include "formats/wsdb/wsdb_salvage.h"

#include <doctest/doctest.h>

#include <map>

#include "formats/wsdb/wsdb_reader.h"
#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;
using wsdb::SectionType;

namespace {

struct Saved {
    WsdbSalvage facts;
    std::vector<TestSequence> sequences;
};

/// 2,000 sequences in 63 tiles, of which one is linear; headers in several blocks.
std::vector<TestSequence> some_sequences() {
    Random random(21);
    std::vector<TestSequence> sequences;
    for (std::size_t i = 0; i < 2000; ++i)
        sequences.push_back({"id" + std::to_string(i) + " " + std::string(150 + i % 100, 'x'),
                             random_residues(random, 1 + random.below(300))});
    sequences[70].residues = random_residues(random, 3000);
    sequences[71].residues.clear();
    return sequences;
}

/// Returns all sequences, with headers in the order of the database.
std::vector<TestSequence> read_all(const std::filesystem::path& file) {
    const auto reader = WsdbReader::open(file);
    REQUIRE(reader.ok());
    std::vector<TestSequence> sequences;
    TileBuffer tiles;
    HeaderBuffer headers;
    for (std::uint64_t rank = 0; rank < reader->sequence_count(); ++rank)
        sequences.push_back({*reader->header(rank, headers), *reader->residues(rank, tiles)});
    return sequences;
}

class Damage {
   public:
    explicit Damage(ResidueCodec codec) : file_(folder_.path("db.wsdb")) {
        make_database(file_, some_sequences(), {codec});
        good_ = read_bytes(file_);
        expected_ = read_all(file_);
    }
    const std::vector<std::uint8_t>& good() const { return good_; }
    std::uint64_t start(SectionType type) const { return section_of(good_, type).offset_bytes; }
    std::uint64_t size(SectionType type) const { return section_of(good_, type).size_bytes; }

    /// Salvages these bytes, and compares the result with what was written.
    Saved salvage(const std::vector<std::uint8_t>& bytes) const {
        write_bytes(file_, bytes);
        Saved saved;
        const auto facts = salvage_wsdb(file_, [&](std::string_view header, std::span<const ResidueCode> residues) {
            saved.sequences.push_back({std::string(header), {residues.begin(), residues.end()}});
            return Status();
        });
        REQUIRE_MESSAGE(facts.ok(), facts.status().message());
        saved.facts = *facts;
        CHECK(facts->saved_sequences == saved.sequences.size());
        std::vector<bool> is_lost(expected_.size()), is_unnamed(expected_.size());
        std::uint64_t lost = 0, unnamed = 0, residues = 0;
        for (const WsdbLoss& loss : facts->losses) {
            CHECK_FALSE(loss.why.empty());
            for (std::uint64_t rank = loss.first_rank; rank < loss.first_rank + loss.sequences; ++rank) {
                REQUIRE(rank < expected_.size());
                CHECK_FALSE((loss.names_alone ? is_unnamed : is_lost)[rank]);
                (loss.names_alone ? is_unnamed : is_lost)[rank] = true;
                ++(loss.names_alone ? unnamed : lost);
            }
            residues += loss.residues;
        }
        CHECK(facts->lost_sequences == lost);
        CHECK(facts->lost_names == unnamed);
        CHECK(facts->lost_residues == residues);
        std::size_t next = 0;
        for (std::size_t rank = 0; rank < expected_.size() && !facts->header_is_lost; ++rank) {
            if (is_lost[rank]) continue;
            REQUIRE(next < saved.sequences.size());
            if (saved.sequences[next].residues != expected_[rank].residues) FAIL_CHECK("residues of rank " << rank);
            const std::string name =
                is_unnamed[rank] ? "salvaged_rank_" + std::to_string(rank) : expected_[rank].header;
            if (saved.sequences[next].header != name)
                FAIL_CHECK("header of rank " << rank << " is " << saved.sequences[next].header.substr(0, 20));
            ++next;
        }
        if (!facts->header_is_lost) CHECK(next == saved.sequences.size());
        return saved;
    }
    Saved with_byte(std::uint64_t place, std::uint64_t bytes_wrong = 1) const {
        auto bytes = good_;
        for (std::uint64_t i = 0; i < bytes_wrong; ++i) bytes[place + i] ^= 0x55;
        return salvage(bytes);
    }

   private:
    ScratchFolder folder_;
    std::filesystem::path file_;
    std::vector<std::uint8_t> good_;
    std::vector<TestSequence> expected_;
};

constexpr std::array<ResidueCodec, 2> kCodecs = {ResidueCodec::kPacked, ResidueCodec::kZstd};

}  // namespace

TEST_CASE("everything in a whole database is saved") {
    for (const ResidueCodec codec : kCodecs) {
        const Damage damage(codec);
        const Saved saved = damage.salvage(damage.good());
        CHECK(saved.facts.is_whole());
        CHECK(saved.sequences.size() == 2000);
        CHECK(saved.facts.losses.empty());
    }
}

TEST_CASE("tiles of empty sequences alone are saved") {
    const ScratchFolder folder;
    for (const ResidueCodec codec : kCodecs) {
        for (const int with_residues : {0, 32, 40, 64}) {
            std::vector<TestSequence> sequences;
            for (int i = 0; i < with_residues; ++i) sequences.push_back({"p", encode_residues("MKVLAC")});
            for (int i = 0; i < 70; ++i) sequences.push_back({"e", {}});
            make_database(folder.path("empty.wsdb"), sequences, {.codec = codec});
            const auto saved = salvage_wsdb(folder.path("empty.wsdb"), [](auto, auto) { return Status(); });
            REQUIRE(saved.ok());
            CHECK(saved->is_whole());
            CHECK(saved->saved_sequences == sequences.size());
        }
    }
}

TEST_CASE("a damaged tile costs its own sequences, a damaged block its own") {
    const Damage packed(ResidueCodec::kPacked);
    // The first tile is linear: one sequence.
    CHECK(packed.with_byte(packed.start(SectionType::kTiles)).facts.lost_sequences == 1);
    const Saved saved = packed.with_byte(packed.start(SectionType::kTiles) + packed.size(SectionType::kTiles) / 2);
    CHECK(saved.facts.lost_sequences == 32);
    REQUIRE(saved.facts.losses.size() == 1);
    CHECK(saved.facts.losses[0].why.find("is damaged") != std::string::npos);
    CHECK(saved.facts.losses[0].residues > 32);

    const Damage zstd(ResidueCodec::kZstd);
    CHECK(zstd.with_byte(zstd.start(SectionType::kBlocks) + 1000).facts.lost_sequences > 0);
}

TEST_CASE("damaged lengths cost nothing, a damaged entry of the index of tiles at most its tile") {
    for (const ResidueCodec codec : kCodecs) {
        const Damage damage(codec);
        for (const std::uint64_t rank :
             {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{40}, std::uint64_t{64}, std::uint64_t{1999}})
            CHECK(damage.with_byte(damage.start(SectionType::kLengths) + rank * 4).facts.is_whole());
        for (const std::uint64_t tile : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{30}, std::uint64_t{62}}) {
            const std::uint64_t entry = damage.start(SectionType::kTileIndex) + tile * sizeof(wsdb::TileEntry);
            CHECK(damage.with_byte(entry + offsetof(wsdb::TileEntry, offset_bytes)).facts.is_whole());
            CHECK(damage.with_byte(entry + offsetof(wsdb::TileEntry, residues_before)).facts.is_whole());
            const auto lost = damage.with_byte(entry + offsetof(wsdb::TileEntry, checksum)).facts.lost_sequences;
            CHECK(lost > 0);
            CHECK(lost <= 32);
            CHECK(damage.with_byte(entry, sizeof(wsdb::TileEntry)).facts.lost_sequences == lost);
        }
    }
    // In packed tiles, padding gives all of a tile's lengths.
    const Damage packed(ResidueCodec::kPacked);
    CHECK(packed.with_byte(packed.start(SectionType::kLengths), packed.size(SectionType::kLengths)).facts.is_whole());
}

TEST_CASE("damaged headers cost names") {
    const Damage damage(ResidueCodec::kPacked);
    const Saved saved = damage.with_byte(damage.start(SectionType::kHeaders) + 20);
    CHECK(saved.facts.lost_sequences == 0);
    CHECK(saved.facts.lost_names > 0);
    CHECK(saved.facts.lost_names < 2000);
    CHECK(saved.sequences[0].header == "salvaged_rank_0");
    // These numbers of the index are also known from elsewhere.
    const std::uint64_t index = damage.start(SectionType::kHeaderBlockIndex);
    for (std::uint64_t block = 0; block < 3; ++block) {
        const std::uint64_t entry = index + block * sizeof(wsdb::HeaderBlockEntry);
        CHECK(damage.with_byte(entry + offsetof(wsdb::HeaderBlockEntry, first_sequence)).facts.is_whole());
        CHECK(damage.with_byte(entry + offsetof(wsdb::HeaderBlockEntry, offset_bytes)).facts.is_whole());
    }
    CHECK(damage.with_byte(index + offsetof(wsdb::HeaderBlockEntry, checksum)).facts.lost_names > 0);
}

TEST_CASE("sections that sequences do not need may be lost; single bytes of the header are corrected") {
    const Damage damage(ResidueCodec::kPacked);
    for (const SectionType type : {SectionType::kNameIndex, SectionType::kStatistics, SectionType::kProvenance,
                                   SectionType::kInputPositions, SectionType::kChecksums}) {
        CHECK(damage.with_byte(damage.start(type), damage.size(type)).facts.is_whole());
    }
    for (const std::size_t place :
         {std::size_t{0}, offsetof(wsdb::FileHeader, sequences), offsetof(wsdb::FileHeader, linear_tiles),
          offsetof(wsdb::FileHeader, sections) + 9, offsetof(wsdb::FileHeader, checksum) + 3}) {
        const Saved saved = damage.with_byte(place);
        CHECK(saved.facts.is_whole());
        CHECK_FALSE(saved.facts.header_damage.empty());
    }
    const Saved saved = damage.with_byte(offsetof(wsdb::FileHeader, content_digest), 16);
    CHECK(saved.facts.header_is_lost);
    CHECK(saved.sequences.size() == 2000);
}

TEST_CASE("from a database that is cut anywhere, all proven sequences are saved") {
    for (const ResidueCodec codec : kCodecs) {
        const Damage damage(codec);
        std::uint64_t before = 0;
        for (std::size_t tenth = 1; tenth <= 20; ++tenth) {
            const std::size_t size = std::max<std::size_t>(damage.good().size() * tenth / 20, 4096);
            const Saved saved =
                damage.salvage({damage.good().begin(), damage.good().begin() + static_cast<std::ptrdiff_t>(size)});
            CHECK(saved.facts.saved_sequences + saved.facts.lost_sequences == 2000);
            CHECK(saved.facts.saved_sequences >= before);
            before = saved.facts.saved_sequences;
        }
        CHECK(before == 2000);
    }
}

TEST_CASE("bits flipped all over: nothing false is handed out") {
    for (const ResidueCodec codec : kCodecs) {
        const Damage damage(codec);
        Random random(5);
        for (int round = 0; round < 60; ++round) {
            auto bytes = damage.good();
            for (std::uint64_t flips = 1 + random.below(30); flips > 0; --flips)
                bytes[4096 + random.below(bytes.size() - 4096)] ^= static_cast<std::uint8_t>(1u << random.below(8));
            const Saved saved = damage.salvage(bytes);
            CHECK(saved.facts.saved_sequences + saved.facts.lost_sequences == 2000);
        }
        for (int round = 0; round < 10; ++round) {
            auto bytes = damage.good();
            const std::uint64_t at = 4096 + random.below(bytes.size() - 4096),
                                size = std::min<std::uint64_t>(4096, bytes.size() - at);
            std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), size, std::uint8_t{0});
            damage.salvage(bytes);
        }
    }
}

TEST_CASE("sizes that a header only claims cost no time") {
    const Damage damage(ResidueCodec::kPacked);
    for (const SectionType type : {SectionType::kHeaderBlockIndex, SectionType::kTileIndex, SectionType::kLengths}) {
        auto bytes = damage.good();
        auto header = header_of(bytes);
        for (wsdb::SectionEntry& entry : header.sections) {
            if (entry.type == static_cast<std::uint32_t>(type)) entry.size_bytes = std::uint64_t{1} << 60;
        }
        header.checksum = XXH3_64bits(&header, offsetof(wsdb::FileHeader, checksum));
        std::memcpy(bytes.data(), &header, sizeof header);
        bytes[section_of(bytes, SectionType::kHeaders).offset_bytes + 20] ^= 1;
        const Saved saved = damage.salvage(bytes);
        CHECK(saved.facts.lost_sequences == 0);
        CHECK(saved.facts.lost_names > 0);
    }
}

TEST_CASE("a file that is not a database is an error") {
    const ScratchFolder folder;
    const auto error_of = [&](const std::vector<std::uint8_t>& bytes) {
        write_bytes(folder.path("x"), bytes);
        const auto facts =
            salvage_wsdb(folder.path("x"), [](std::string_view, std::span<const ResidueCode>) { return Status(); });
        return facts.ok() ? std::string() : facts.status().message();
    };
    CHECK(error_of({}).find("not a warpseq database") != std::string::npos);
    CHECK(error_of(std::vector<std::uint8_t>(10000, '>')).find("not a warpseq database") != std::string::npos);
    make_database(folder.path("db.wsdb"), some_sequences());
    auto bytes = read_bytes(folder.path("db.wsdb"));
    put<std::uint16_t>(bytes, offsetof(wsdb::FileHeader, version_major), 77);
    put_checksums_right(bytes);
    CHECK(error_of(bytes).find("format version 77") != std::string::npos);
    bytes.resize(4000);
    CHECK(error_of(bytes).find("ends inside its header") != std::string::npos);
}
