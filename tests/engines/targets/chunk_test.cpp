#include "engines/targets/chunk.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "engines/devices/gpu_chunks.h"
#include "engines/hit_collector.h"
#include "engines/targets/tile_cuts.h"
#include "formats/wsdb/wsdb_map.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/sparse_database.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

std::vector<TestSequence> some_sequences(Random& random, std::size_t count) {
    std::vector<TestSequence> sequences;
    for (std::size_t i = 0; i < count; ++i)
        sequences.push_back({"s" + std::to_string(i), random_residues(random, random.below(400))});
    return sequences;
}

}  // namespace

TEST_CASE("chunks cover every tile once, in order, and no compressed block twice") {
    const ScratchFolder folder;
    Random random(31);
    for (const ResidueCodec codec : {ResidueCodec::kPacked, ResidueCodec::kZstd}) {
        make_database(folder.path("a.wsdb"), some_sequences(random, 1000), {.codec = codec});
        make_database(folder.path("b.wsdb"), some_sequences(random, 40), {.codec = codec});
        const auto databases = DatabaseSet::open({folder.path("a.wsdb"), folder.path("b.wsdb")});
        REQUIRE(databases.ok());
        for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{20'000}, std::uint64_t{1} << 40}) {
            std::size_t database = 0;
            std::uint64_t tile = 0, residues = 0;
            for (const Chunk& chunk : cut_chunks(*databases, bytes)) {
                if (chunk.database != database) {
                    CHECK(tile == databases->reader(database).tile_count());
                    database = chunk.database;
                    tile = 0;
                }
                const WsdbReader& reader = databases->reader(database);
                CHECK(chunk.first_tile == tile);
                CHECK(reader.block_start(tile) == tile);
                CHECK(reader.tile_of_sequence(chunk.first_sequence) == tile);
                CHECK(chunk.tile_count > 0);
                tile += chunk.tile_count;
                residues += chunk.residues;
            }
            CHECK(database == 1);
            CHECK(tile == databases->reader(1).tile_count());
            CHECK(residues == databases->residue_count());
        }
    }
}

TEST_CASE("the last chunks are cut fine, and all together are the same") {
    const ScratchFolder folder;
    Random random(33);
    for (const ResidueCodec codec : {ResidueCodec::kPacked, ResidueCodec::kZstd}) {
        make_database(folder.path("a.wsdb"), some_sequences(random, 3000), {.codec = codec});
        make_database(folder.path("b.wsdb"), some_sequences(random, 300), {.codec = codec});
        const auto databases = DatabaseSet::open({folder.path("a.wsdb"), folder.path("b.wsdb")});
        REQUIRE(databases.ok());
        const std::vector<Chunk> coarse = cut_chunks(*databases, 40'000);
        const std::uint64_t all = databases->residue_count();
        for (const std::uint64_t residues : {std::uint64_t{0}, std::uint64_t{30'000}, all / 3, 2 * all}) {
            const std::vector<Chunk> fine = with_fine_end(coarse, *databases, residues, 8'000);
            CHECK(residues_of(fine) == all);
            // Chunks before the end that is cut are unchanged.
            std::size_t same = 0;
            const auto is_same = [&](std::size_t i) {
                return fine[i].database == coarse[i].database && fine[i].first_tile == coarse[i].first_tile &&
                       fine[i].tile_count == coarse[i].tile_count && fine[i].residues == coarse[i].residues;
            };
            while (same < coarse.size() && is_same(same)) ++same;
            std::uint64_t cut = 0, pieces = 0;
            for (std::size_t i = same; i < fine.size(); ++i) {
                const WsdbReader& reader = databases->reader(fine[i].database);
                const bool goes_on = i > 0 && fine[i - 1].database == fine[i].database;
                CHECK(fine[i].first_tile == (goes_on ? fine[i - 1].first_tile + fine[i - 1].tile_count : 0));
                CHECK(reader.block_start(fine[i].first_tile) == fine[i].first_tile);
                CHECK(reader.tile_of_sequence(fine[i].first_sequence) == fine[i].first_tile);
                cut += fine[i].residues;
                if (codec == ResidueCodec::kZstd || i == same) continue;
                CHECK(fine[i].residues < 8'000 + 32 * 400);
                pieces += fine[i].residues;
            }
            if (codec == ResidueCodec::kPacked) CHECK((cut == 0) == (residues == 0));
            if (codec == ResidueCodec::kPacked) CHECK(cut >= std::min(residues, all));
            CHECK(cut < residues + 2 * 80'000);
            // Only that end is in small pieces.
            CHECK(pieces <= residues);
            if (codec == ResidueCodec::kPacked && residues < all) CHECK(pieces + 8'000 + 2 * 32 * 400 >= residues);
        }
    }
}

TEST_CASE("chunks end with the block that brings them to so many sequences, and else as without a limit") {
    const ScratchFolder folder;
    Random random(35);
    for (const ResidueCodec codec : {ResidueCodec::kPacked, ResidueCodec::kZstd}) {
        make_database(folder.path("a.wsdb"), some_sequences(random, 3000), {.codec = codec});
        const auto databases = DatabaseSet::open({folder.path("a.wsdb")});
        REQUIRE(databases.ok());
        const WsdbReader& reader = databases->reader(0);
        for (const std::uint64_t most : {std::uint64_t{1}, std::uint64_t{100}, std::uint64_t{5000}}) {
            const std::vector<Chunk> chunks = cut_chunks(*databases, std::uint64_t{1} << 40, most);
            CHECK((chunks.size() > 1) == (most < 3000 && reader.block_start(reader.tile_count() - 1) > 0));
            std::uint64_t sequences = 0;
            for (const Chunk& chunk : chunks) {
                const std::uint64_t last_block = reader.block_start(chunk.first_tile + chunk.tile_count - 1);
                CHECK(first_sequence_of(reader, last_block) - chunk.first_sequence < most);
                const bool is_last = &chunk == &chunks.back();
                CHECK((is_last || chunk.sequence_count >= most));
                CHECK(chunk.first_sequence == sequences);
                sequences += chunk.sequence_count;
            }
            CHECK(sequences == reader.sequence_count());
        }
    }
}

TEST_CASE("chunks are those that adding up tile by tile makes, and so are groups of them") {
    const ScratchFolder folder;
    Random random(33);
    for (const ResidueCodec codec : {ResidueCodec::kPacked, ResidueCodec::kZstd}) {
        auto sequences = some_sequences(random, 9000);
        sequences[3].residues = random_residues(random, 70000);
        for (std::size_t i = 4; i < 400; ++i) sequences[i].residues.clear();
        make_database(folder.path("a.wsdb"), sequences, {.codec = codec});
        const auto databases = DatabaseSet::open({folder.path("a.wsdb")});
        REQUIRE(databases.ok());
        const WsdbReader& reader = databases->reader(0);
        for (int round = 0; round < 40; ++round) {
            const std::uint64_t bytes = 1 + random.below(1u << (1 + random.below(21)));
            CAPTURE(bytes);
            std::vector<Chunk> expected;
            std::uint64_t so_far = 0;
            for (std::uint64_t tile = 0; tile < reader.tile_count(); ++tile) {
                if (tile == 0 || (so_far >= bytes && reader.block_start(tile) == tile)) {
                    expected.push_back({0, tile, 0, first_sequence_of(reader, tile), 0, 0});
                    so_far = 0;
                }
                ++expected.back().tile_count;
                expected.back().residues += reader.tile_residues(tile);
                so_far += reader.tile_bytes(tile);
            }
            const auto chunks = cut_chunks(*databases, bytes);
            REQUIRE(chunks.size() == expected.size());
            for (std::size_t i = 0; i < chunks.size(); ++i) {
                CHECK(chunks[i].first_tile == expected[i].first_tile);
                CHECK(chunks[i].tile_count == expected[i].tile_count);
                CHECK(chunks[i].first_sequence == expected[i].first_sequence);
                CHECK(chunks[i].residues == expected[i].residues);
            }
        }
    }
}

TEST_CASE("the first place of many is found with any guess") {
    for (const std::uint64_t first : {1u, 2u, 7u, 8u, 99u, 100u}) {
        for (const std::uint64_t guess : {0u, 1u, 2u, 8u, 50u, 99u, 100u, 1000u}) {
            std::uint64_t asked = 0;
            const auto is_so = [&](std::uint64_t place) {
                CHECK(place > 0);
                CHECK(place < 100);
                ++asked;
                return place >= first;
            };
            CHECK(first_where(0, 100, guess, is_so) == first);
            CHECK(asked < 16);
        }
    }
    CHECK(first_where(5, 6, 0, [](std::uint64_t) { return false; }) == 6);
}

TEST_CASE("opening a database of 400 million sequences, and cutting it, looks at a few blocks of its columns") {
    const ScratchFolder folder;
    make_sparse_database(folder.path("many.wsdb"), 400'000'000);
    const auto databases = DatabaseSet::open({folder.path("many.wsdb")});
    REQUIRE(databases.ok());
    CHECK(databases->sequence_count() == 400'000'000);
    const auto checked_blocks = [&] {
        std::size_t blocks = 0;
        for (const auto& word : databases->reader(0).map().checked)
            blocks += static_cast<std::size_t>(std::popcount(word.load()));
        return blocks;
    };
    CHECK(checked_blocks() <= 2);  // that of the first length, and that of the last tile
    REQUIRE(databases->reader(0).map().checked.size() * 64 > 150'000);
    const auto chunks = cut_chunks(*databases, std::uint64_t{32} << 20);
    REQUIRE(chunks.size() == 1);
    CHECK(chunks[0].tile_count == 12'500'000);
    CHECK(residues_of(dealt_share(*databases, 1, 8), *databases) == 0);
    CHECK(group_chunks(*databases, 1000, whole_share(*databases)).size() == 1);
    CHECK(preferred_gpu_chunk_bytes(*databases, 1) > 0);
    CHECK(checked_blocks() < 100);
}

TEST_CASE("a score is a hit exactly when its E-value is within the cut-off, and lists of several threads merge") {
    const ScratchFolder folder;
    Random random(32);
    make_database(folder.path("a.wsdb"), some_sequences(random, 300));
    const auto databases = DatabaseSet::open({folder.path("a.wsdb")});
    REQUIRE(databases.ok());
    const auto lengths = databases->reader(0).lengths_residues();
    const std::vector<Query> queries = {{"q", random_residues(random, 200)}, {"r", random_residues(random, 50)}};
    const std::optional<AlignmentStatistics> statistics =
        AlignmentStatistics::find({*builtin_matrix("BLOSUM62"), {11, 1}});
    std::vector<std::int32_t> scores(lengths.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (lengths[i] > 0) scores[i] = static_cast<std::int32_t>(random.below(90));  // one without residues scores 0
    }
    const SearchSpace space{databases->residue_count()};
    for (const double evalue : {0.0, 1e-3, 10.0, std::numeric_limits<double>::infinity()}) {
        HitCollector one(*databases, queries, statistics, space, evalue, 0),
            two(*databases, queries, statistics, space, evalue, 0);
        for (std::size_t query = 0; query < 2; ++query) {
            one.add(query, 0, 0, std::span(scores).first(100));
            two.add(query, 0, 100, std::span(scores).subspan(100));
        }
        // Hits that one collector has moved to the other count once.
        if (evalue == 10.0) {
            CHECK(two.added() > 0);
            two.move_hits_to(one);
            CHECK(two.added() == 0);
        }
        HitCollector* const both[] = {&one, &two};
        const auto hits = take_sorted_hits(both, 2);
        for (std::size_t query = 0; query < 2; ++query) {
            std::size_t expected = 0;
            for (std::size_t i = 0; i < scores.size(); ++i) {
                if (scores[i] <= 0) continue;
                expected += statistics->evalue(scores[i], queries[query].residues.size(), lengths[i],
                                               databases->residue_count()) <= evalue;
            }
            CHECK(hits[query].size() == expected);
            CHECK(std::ranges::is_sorted(hits[query], reported_before));
        }
    }
}
