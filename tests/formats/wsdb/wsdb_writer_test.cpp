// Databases written and read back: every sequence, in both codecs, with any number of threads and
// any amount of memory.
#include "formats/wsdb/wsdb_writer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "formats/fasta/fasta.h"
#include "formats/wsdb/wsdb_map.h"
#include "formats/wsdb/wsdb_reader.h"
#include "formats/wsdb/wsdb_validate.h"
#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/under_sanitizers.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

constexpr ResidueCodec kCodecs[] = {ResidueCodec::kPacked, ResidueCodec::kZstd};

/// Returns everything in a database, in input order.
std::vector<TestSequence> read_back(const WsdbReader& reader) {
    std::vector<TestSequence> sequences(reader.sequence_count());
    TileBuffer buffer;
    for (std::uint64_t rank = 0; rank < reader.sequence_count(); ++rank) {
        auto header = reader.header(rank);
        REQUIRE(header.ok());
        auto residues = reader.residues(rank, buffer);
        REQUIRE(residues.ok());
        sequences[reader.input_positions()[rank]] = {*std::move(header), *std::move(residues)};
    }
    return sequences;
}

void check_sound(const std::filesystem::path& file) {
    ThreadPool pool(2);
    const auto validation = validate_wsdb(file, pool);
    REQUIRE(validation.ok());
    for (const WsdbFault& fault : validation->faults) FAIL_CHECK(fault_status(file, fault).message());
}

/// Returns `count` sequences whose lengths come from `length`.
template <typename Length>
std::vector<TestSequence> random_sequences(std::uint64_t seed, std::size_t count, const Length& length) {
    Random random(seed);
    std::vector<TestSequence> sequences(count);
    for (std::size_t i = 0; i < count; ++i) {
        sequences[i].header = "seq" + std::to_string(i) + (i % 3 == 0 ? " some description" : "");
        sequences[i].residues = random_residues(random, length(random));
    }
    return sequences;
}

void check_round_trip(const std::vector<TestSequence>& sequences) {
    const ScratchFolder folder;
    std::string digest;
    for (const ResidueCodec codec : kCodecs) {
        const auto file = folder.path("database.wsdb");
        const WsdbSummary summary = make_database(file, sequences, {codec, 2, std::uint64_t{1} << 30});
        check_sound(file);
        const auto reader = WsdbReader::open(file);
        REQUIRE_MESSAGE(reader.ok(), reader.status().message());
        CHECK(reader->codec() == codec);
        CHECK(reader->sequence_count() == sequences.size());
        CHECK(reader->content_digest() == summary.content_digest);
        if (digest.empty()) digest = summary.content_digest;
        CHECK_MESSAGE(summary.content_digest == digest, "the digest does not depend on the codec");
        CHECK(std::ranges::is_sorted(reader->lengths_residues(), std::ranges::greater()));
        CHECK(read_back(*reader) == sequences);
        CHECK(summary.file_bytes == std::filesystem::file_size(file));
    }
}

}  // namespace

TEST_CASE("numbers of sequences around a tile's lanes come back") {
    for (const std::size_t count : {1u, 2u, 31u, 32u, 33u, 63u, 64u, 65u, 200u}) {
        CAPTURE(count);
        check_round_trip(random_sequences(count, count, [](Random& random) { return random.below(60); }));
    }
}

TEST_CASE("lengths around a word's residues come back") {
    std::uint64_t next = 0;
    check_round_trip(random_sequences(1, 40, [&](Random&) { return next++; }));
}

TEST_CASE("only empty sequences") {
    check_round_trip(random_sequences(1, 1, [](Random&) { return 0u; }));
    check_round_trip(random_sequences(1, 70, [](Random&) { return 0u; }));
}

TEST_CASE("giants among dwarfs") {
    auto sequences = random_sequences(4, 100, [](Random& random) { return random.below(300); });
    Random random(5);
    sequences[17].residues = random_residues(random, 3'000'000);
    sequences[3].residues = random_residues(random, 100'001);
    sequences[99].residues = random_residues(random, 35'213);
    check_round_trip(sequences);
}

TEST_CASE("several blocks of residues and of headers") {
    auto sequences = random_sequences(6, 6000, [](Random& random) { return 200 + random.below(1000); });
    for (std::size_t i = 0; i < sequences.size(); i += 7) sequences[i].header += std::string(i % 500, 'd');
    check_round_trip(sequences);
}

TEST_CASE("hostile headers: empty, a megabyte, control characters, bytes of no character set") {
    auto sequences = random_sequences(7, 40, [](Random& random) { return random.below(100); });
    sequences[0].header = "";
    sequences[1].header = std::string(1 << 20, 'h');
    sequences[2].header = "id " + std::string(1 << 20, ' ') + "x";
    sequences[3].header = "a\x01gi|2 b";
    sequences[4].header = "\xff\xfe\x80\t\x7f";
    check_round_trip(sequences);
}

TEST_CASE("ties stand in input order") {
    const ScratchFolder folder;
    const auto file = folder.path("database.wsdb");
    make_database(file, random_sequences(8, 500, [](Random& random) { return random.below(4); }));
    const auto reader = WsdbReader::open(file);
    REQUIRE(reader.ok());
    const auto lengths = reader->lengths_residues();
    const auto positions = reader->input_positions();
    for (std::size_t rank = 1; rank < lengths.size(); ++rank) {
        if (lengths[rank] == lengths[rank - 1]) CHECK(positions[rank - 1] < positions[rank]);
    }
}

TEST_CASE("the same bytes with any number of threads, and with memory that forces sorting on disk") {
    const ScratchFolder folder;
    auto sequences = random_sequences(9, 60000, [](Random& random) { return random.below(900); });
    sequences[70].header = "seq5 again";
    for (const ResidueCodec codec : kCodecs) {
        const auto file = folder.path("database.wsdb");
        CHECK(make_database(file, sequences, {codec, 1, std::uint64_t{1} << 30}).spilled_bytes == 0);
        const auto expected = read_bytes(file);
        for (const unsigned threads : fewer<std::vector<unsigned>>({2, 3, 4}, {3})) {
            make_database(file, sequences, {codec, threads, std::uint64_t{1} << 30});
            CHECK(read_bytes(file) == expected);
        }
        const auto summary = make_database(file, sequences, {codec, 2, WsdbWriter::min_memory_bytes(2)});
        // There are 18 MB of packed records, of which the last ones stay in memory.
        CHECK(summary.spilled_bytes > 4'000'000);
        CHECK(read_bytes(file) == expected);
        check_sound(file);
    }
}

TEST_CASE("statistics say what was put in") {
    const ScratchFolder folder;
    const auto file = folder.path("database.wsdb");
    std::vector<TestSequence> sequences = {{"a one", encode_residues("ACDACD")},
                                           {"b", {}},
                                           {"a two", encode_residues("AAX")},
                                           {"c", encode_residues("W")},
                                           {"a", encode_residues("AAAAAAA")}};
    const WsdbSummary summary = make_database(file, sequences);
    CHECK(summary.sequences == 5);
    CHECK(summary.residues == 17);
    CHECK(summary.longest_residues == 7);
    CHECK(summary.shortest_residues == 0);
    CHECK(summary.empty_sequences == 1);
    CHECK(summary.duplicate_identifiers == 2);
    CHECK(summary.duplicate_example == "a");
    CHECK(summary.residue_words == 2 + 1 + 1 + 1);
    CHECK(summary.padding_words == 64 - 5);
    const auto reader = WsdbReader::open(file);
    REQUIRE(reader.ok());
    const auto statistics = reader->map().statistics();
    REQUIRE(statistics.ok());
    CHECK(statistics->composition[0] == 2 + 2 + 7);
    CHECK(statistics->composition[kCodeX] == 1);
    CHECK(statistics->length_histogram[wsdb::histogram_bin(7)] == 2);  // 6 and 7 share a bin
    CHECK(statistics->header_bytes == 5 + 1 + 5 + 1 + 1);
    CHECK(statistics->duplicate_identifiers == 2);
}

TEST_CASE("too little memory is refused with the smallest that will do") {
    const ScratchFolder folder;
    ThreadPool pool(2);
    WsdbWriterOptions options;
    options.memory_bytes = WsdbWriter::min_memory_bytes(2) - 1;
    const auto writer = WsdbWriter::create(folder.path("database.wsdb"), options, pool);
    REQUIRE_FALSE(writer.ok());
    CHECK(writer.status().code() == StatusCode::kUsage);
    CHECK(writer.status().message().find("at least 64M") != std::string::npos);
}

TEST_CASE("a sequence too large for the memory limit is refused with what it needs, and leaves no file") {
    const ScratchFolder folder;
    {
        ThreadPool pool(1);
        WsdbWriterOptions options;
        options.memory_bytes = WsdbWriter::min_memory_bytes(1);
        auto writer = WsdbWriter::create(folder.path("database.wsdb"), options, pool);
        REQUIRE(writer.ok());
        const Status status = writer->add("giant of them all", std::vector<ResidueCode>(20'000'000));
        REQUIRE_FALSE(status.ok());
        CHECK(status.message().find("'giant'") != std::string::npos);
        CHECK(status.message().find("need 185M of memory") != std::string::npos);
        CHECK(status.advice() == Advice::kMemory);
    }
    CHECK(std::filesystem::is_empty(folder.path(".")));
}

TEST_CASE("nothing to write is an error") {
    const ScratchFolder folder;
    ThreadPool pool(1);
    auto writer = WsdbWriter::create(folder.path("database.wsdb"), {}, pool);
    REQUIRE(writer.ok());
    CHECK_FALSE(writer->finish({}).ok());
    CHECK_FALSE(std::filesystem::exists(folder.path("database.wsdb")));
}
