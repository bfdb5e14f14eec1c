#include "engines/targets/share.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "engines/targets/chunk.h"
#include "engines/targets/chunk_reader.h"
#include "libcore/base/random.h"
#include "libcore/base/thread_pool.h"
#include "tests/support/make_database.h"
#include "tests/support/random_proteins.h"
#include "tests/support/scratch_folder.h"

namespace warpseq::testing {
namespace {

struct Fixture {
    ScratchFolder folder;
    DatabaseSet databases;

    Fixture() {
        Random random(61);
        std::vector<TestSequence> sequences;
        for (int i = 0; i < 3000; ++i) sequences.push_back({"s", random_residues(random, random.below(400))});
        sequences.push_back({"long", random_residues(random, 30'000)});
        make_database(folder.path("a.wsdb"), sequences);
        sequences.resize(700);
        make_database(folder.path("b.wsdb"), sequences, {.codec = ResidueCodec::kZstd});
        make_database(folder.path("c.wsdb"), {{"empty", {}}});
        databases = *DatabaseSet::open({folder.path("a.wsdb"), folder.path("b.wsdb"), folder.path("c.wsdb")});
    }
};

/// Returns the ranges, with ranges that follow each other joined.
TargetShare joined(const TargetShare& share) {
    TargetShare joined;
    for (const TileRange& range : share) {
        if (!joined.empty() && joined.back().database == range.database &&
            joined.back().first_tile + joined.back().tile_count == range.first_tile) {
            joined.back().tile_count += range.tile_count;
        } else {
            joined.push_back(range);
        }
    }
    return joined;
}

}  // namespace

TEST_CASE("shares are the same whether tiles are looked at one by one, as where some are left out, or not") {
    Fixture all, one_by_one;
    std::vector<TargetMembers> members;
    for (std::size_t d = 0; d < all.databases.size(); ++d)
        members.push_back(TargetMembers::all(all.databases.reader(d).sequence_count()));
    one_by_one.databases.restrict_search(std::move(members));
    for (const std::uint64_t parts : {1u, 2u, 5u, 40u}) {
        for (std::uint64_t part = 0; part < parts; ++part) {
            const TargetShare share = dealt_share(all.databases, part, parts);
            CHECK(share == dealt_share(one_by_one.databases, part, parts));
            CHECK(residues_of(share, all.databases) == residues_of(share, one_by_one.databases));
            CHECK(guided_units(share, all.databases, 10000) == guided_units(share, one_by_one.databases, 10000));
        }
    }
}

TEST_CASE("dealt shares hold every tile once, in order, at block borders") {
    const Fixture fixture;
    for (const std::uint64_t parts : {1U, 2U, 3U, 7U, 64U, 1000U}) {
        CAPTURE(parts);
        std::vector<std::vector<int>> taken;
        for (std::size_t d = 0; d < fixture.databases.size(); ++d)
            taken.emplace_back(fixture.databases.reader(d).tile_count(), 0);
        for (std::uint64_t part = 0; part < parts; ++part) {
            const TargetShare share = dealt_share(fixture.databases, part, parts);
            CHECK(std::ranges::is_sorted(
                share, {}, [](const TileRange& range) { return std::pair(range.database, range.first_tile); }));
            for (const TileRange& range : share) {
                REQUIRE(range.tile_count > 0);
                const WsdbReader& reader = fixture.databases.reader(range.database);
                const std::uint64_t end = range.first_tile + range.tile_count;
                REQUIRE(end <= reader.tile_count());
                CHECK(reader.block_start(range.first_tile) == range.first_tile);
                if (end < reader.tile_count()) CHECK(reader.block_start(end) == end);
                for (std::uint64_t tile = range.first_tile; tile < end; ++tile) ++taken[range.database][tile];
            }
        }
        for (const auto& of_database : taken)
            CHECK(std::ranges::all_of(of_database, [](int times) { return times == 1; }));
    }
    CHECK(dealt_share(fixture.databases, 0, 1).size() >= whole_share(fixture.databases).size());
}

TEST_CASE("shares are about equal where the database can be cut finely") {
    const Fixture fixture;
    const std::uint64_t all = residues_of(whole_share(fixture.databases), fixture.databases);
    CHECK(all == fixture.databases.residue_count());
    for (std::uint64_t part = 0; part < 3; ++part) {
        const std::uint64_t residues = residues_of(dealt_share(fixture.databases, part, 3), fixture.databases);
        CHECK(residues > all / 3 * 9 / 10);
        CHECK(residues < all / 3 * 11 / 10);
    }
}

TEST_CASE("shares follow their weights") {
    const Fixture fixture;
    const std::vector<std::uint32_t> weights = {3, 1, 2};
    const std::uint64_t all = fixture.databases.residue_count();
    std::uint64_t tiles = 0, all_tiles = 0;
    for (std::size_t d = 0; d < fixture.databases.size(); ++d) all_tiles += fixture.databases.reader(d).tile_count();
    for (std::size_t part = 0; part < weights.size(); ++part) {
        const TargetShare share = dealt_share(fixture.databases, part, weights);
        const std::uint64_t residues = residues_of(share, fixture.databases);
        CHECK(residues > all * weights[part] / 6 * 8 / 10);
        CHECK(residues < all * weights[part] / 6 * 12 / 10);
        for (const TileRange& range : share) tiles += range.tile_count;
        CHECK(dealt_share(fixture.databases, part, std::vector<std::uint32_t>(3, 7)) ==
              dealt_share(fixture.databases, part, 3));
    }
    CHECK(tiles == all_tiles);
}

TEST_CASE("guided units have each tile of a share once, and each unit has about half of the rest") {
    const Fixture fixture;
    for (const std::uint64_t parts : {1U, 3U, 1000U}) {
        const TargetShare share = dealt_share(fixture.databases, 0, parts);
        const std::uint64_t all = residues_of(share, fixture.databases);
        for (const std::uint64_t least : {std::uint64_t{1}, all / 8 + 1, all, all * 2 + 1}) {
            const auto units = guided_units(share, fixture.databases, least);
            REQUIRE(!units.empty());
            TargetShare together;
            std::uint64_t left = all;
            for (const TargetShare& unit : units) {
                together.insert(together.end(), unit.begin(), unit.end());
                const std::uint64_t residues = residues_of(unit, fixture.databases);
                if (&unit != &units.back()) CHECK(left >= 2 * least);
                if (unit.size() > 4 && units.size() > 1) CHECK(residues < left * 7 / 10);
                left -= residues;
            }
            CHECK(left == 0);
            std::ranges::sort(together, {}, [](const TileRange& r) { return std::pair(r.database, r.first_tile); });
            CHECK(together == share);
            if (2 * least > all) CHECK(units.size() == 1);
            if (least == 1 && all > 0) CHECK(units.size() == std::bit_width(share.size()));
        }
    }
}

TEST_CASE("chunks of shares are those of the whole, cut at the shares' borders") {
    const Fixture fixture;
    for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{20'000}, std::uint64_t{1} << 40}) {
        const auto all = cut_chunks(fixture.databases, bytes);
        const auto same = chunks_within(whole_share(fixture.databases), all, fixture.databases);
        REQUIRE(same.size() == all.size());
        std::uint64_t sequences = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            CHECK(same[i].first_tile == all[i].first_tile);
            CHECK(same[i].tile_count == all[i].tile_count);
            CHECK(same[i].residues == all[i].residues);
            sequences += all[i].sequence_count;
        }
        CHECK(sequences == fixture.databases.sequence_count());
        CHECK(chunks_within({}, all, fixture.databases).empty());
        for (const std::uint64_t parts : {2U, 7U}) {
            std::uint64_t residues = 0, lanes = 0;
            for (std::uint64_t part = 0; part < parts; ++part) {
                const TargetShare share = joined(dealt_share(fixture.databases, part, parts));
                auto range = share.begin();
                std::uint64_t tile = range->first_tile;
                for (const Chunk& chunk : chunks_within(share, all, fixture.databases)) {
                    if (tile == range->first_tile + range->tile_count) tile = (++range)->first_tile;
                    CHECK(chunk.database == range->database);
                    CHECK(chunk.first_tile == tile);
                    tile += chunk.tile_count;
                    CHECK(tile <= range->first_tile + range->tile_count);
                    residues += chunk.residues;
                    lanes += chunk.sequence_count;
                    CHECK(fixture.databases.reader(chunk.database).tile_of_sequence(chunk.first_sequence) ==
                          chunk.first_tile);
                }
                CHECK(tile == share.back().first_tile + share.back().tile_count);
                CHECK(++range == share.end());
            }
            CHECK(residues == fixture.databases.residue_count());
            CHECK(lanes == fixture.databases.sequence_count());
        }
    }
}

TEST_CASE("ranges that follow each other are one chunk") {
    const Fixture fixture;
    const std::uint64_t tiles = fixture.databases.reader(0).tile_count();
    TargetShare one_by_one;
    for (std::uint64_t tile = 0; tile < tiles; ++tile) one_by_one.push_back({0, tile, 1});
    const auto all = cut_chunks(fixture.databases, 20'000);
    const auto of_first = std::ranges::count(all, std::size_t{0}, &Chunk::database);
    CHECK(of_first > 2);
    const auto chunks = chunks_within(one_by_one, all, fixture.databases);
    REQUIRE(std::ssize(chunks) == of_first);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        CHECK(chunks[i].first_tile == all[i].first_tile);
        CHECK(chunks[i].tile_count == all[i].tile_count);
        CHECK(chunks[i].residues == all[i].residues);
    }
}

TEST_CASE("chunks of a share are scanned together as far as memory allows") {
    const Fixture fixture;
    ThreadPool pool(2);
    for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{20'000}, std::uint64_t{1} << 40}) {
        const auto all = cut_chunks(fixture.databases, bytes);
        const auto whole = group_chunks(fixture.databases, bytes, whole_share(fixture.databases));
        REQUIRE(whole.size() == all.size());
        for (std::size_t i = 0; i < all.size(); ++i) CHECK(whole[i].members.size() == 1);
        const TargetShare share = dealt_share(fixture.databases, 0, 3);
        const auto chunks = chunks_within(share, all, fixture.databases);
        auto next = chunks.begin();
        std::size_t sequences = 0;
        std::vector<std::size_t> databases;
        ChunkReader chunk_reader;
        for (const ChunkGroup& group : group_chunks(fixture.databases, bytes, share)) {
            databases.push_back(group.database);
            CHECK(group.residues == residues_of(group.members));
            std::uint64_t packed = 0, tiles = 0;
            for (const Chunk& chunk : group.members) {
                REQUIRE(next != chunks.end());
                CHECK(chunk.database == group.database);
                CHECK(next->first_tile == chunk.first_tile);
                CHECK(next->tile_count == chunk.tile_count);
                ++next;
                tiles += chunk.tile_count;
                sequences += chunk.sequence_count;
                for (std::uint64_t t = 0; t < chunk.tile_count; ++t)
                    packed += fixture.databases.reader(group.database).tile_bytes(chunk.first_tile + t);
            }
            CHECK((group.members.size() == 1 || packed <= bytes));
            REQUIRE(chunk_reader.read(fixture.databases.reader(group.database), group.members, pool).ok());
            CHECK(chunk_reader.tiles().size() == tiles);
            std::size_t grouped = 0;
            for (const TileGroup& tiles_of_call : group_tiles(chunk_reader.tiles(), 8)) {
                CHECK(tiles_of_call.first == grouped);
                grouped += tiles_of_call.count;
                CHECK((tiles_of_call.count == 8 || grouped == tiles ||
                       chunk_reader.tiles()[tiles_of_call.first].layout == TileLayout::kLinear));
            }
            CHECK(grouped == tiles);
        }
        CHECK(next == chunks.end());
        CHECK(sequences > 0);
        if (bytes > 20'000) CHECK(std::ranges::adjacent_find(databases) == databases.end());  // a group for each
    }
}

}  // namespace warpseq::testing
