// Members: their counts and their places in the input. Sequences that are left out are not read.
#include "engines/targets/target_members.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "engines/targets/chunk.h"
#include "engines/targets/chunk_reader.h"
#include "engines/targets/database_set.h"
#include "engines/targets/share.h"
#include "libcore/base/random.h"
#include "libcore/base/thread_pool.h"
#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

std::vector<TestSequence> random_sequences(Random& random, int count) {
    std::vector<TestSequence> sequences;
    for (int i = 0; i < count; ++i)
        sequences.push_back({"s" + std::to_string(i), random_residues(random, random.below(90))});
    sequences.push_back({"long", random_residues(random, 20'000)});
    return sequences;
}

}  // namespace

TEST_CASE("members are counted in any range") {
    Random random(5);
    for (const std::uint64_t count : {0U, 1U, 63U, 64U, 65U, 128U, 1000U}) {
        CAPTURE(count);
        CHECK(TargetMembers(count).count() == 0);
        CHECK(TargetMembers::all(count).count() == count);
        TargetMembers members(count), others(count);
        std::set<std::uint64_t> ranks, of_both;
        for (std::uint64_t i = 0; i < count / 3; ++i) {
            const std::uint64_t rank = random.below(count);
            members.add(rank);
            ranks.insert(rank);
        }
        for (std::uint64_t rank = 0; rank < count; rank += 2) others.add(rank);
        for (int i = 0; i < 50 && count > 0; ++i) {
            const std::uint64_t first = random.below(count), size = random.below(count - first + 1);
            const auto there =
                static_cast<std::uint64_t>(std::distance(ranks.lower_bound(first), ranks.lower_bound(first + size)));
            CHECK(members.count_in(first, size) == there);
            CHECK(members.has_any(first, size) == (there > 0));
        }
        std::vector<std::uint64_t> listed;
        members.for_each([&](std::uint64_t rank) { listed.push_back(rank); });
        CHECK(listed == std::vector<std::uint64_t>(ranks.begin(), ranks.end()));
        members.keep_common(others);
        for (const std::uint64_t rank : ranks)
            if (rank % 2 == 0) of_both.insert(rank);
        CHECK(members.count() == of_both.size());
        for (const std::uint64_t rank : of_both) CHECK(members.has(rank));
    }
}

TEST_CASE("totals of members, and of the shortest with residues") {
    const ScratchFolder folder;
    make_database(folder.path("a.wsdb"), {{"a", encode_residues("MKV")}, {"b", encode_residues("MKVLA")}, {"c", {}}});
    const auto databases = DatabaseSet::open({folder.path("a.wsdb")});
    REQUIRE(databases.ok());
    TargetMembers members(3);
    members.add(2);  // the empty one: the longest stands first
    CHECK(totals_of(members, databases->reader(0)).sequences == 1);
    CHECK(totals_of(members, databases->reader(0)).shortest_residues == 0);
    members.add(0);
    members.add(0);
    const MemberTotals totals = totals_of(members, databases->reader(0));
    CHECK(totals.sequences == 2);
    CHECK(totals.residues == 5);
    CHECK(totals.shortest_residues == 5);
}

TEST_CASE("a database with removed sequences counts as one without them, and restricted searches count apart") {
    const ScratchFolder folder;
    Random random(7);
    const auto sequences = random_sequences(random, 300);
    make_database(folder.path("a.wsdb"), sequences);
    make_database(folder.path("b.wsdb"), sequences);
    auto reader = WsdbReader::open(folder.path("a.wsdb"));
    REQUIRE(reader.ok());
    Target target{*std::move(reader)};
    target.removed_ranks = {3, 0, 299, 3, 100};
    DatabaseSet databases(folder.path("a.wsdb"), std::move(target));
    const WsdbReader& file = databases.reader(0);
    CHECK(databases.sequence_count() == 297);
    CHECK(databases.sequence_count(0) == 297);
    CHECK(databases.stored_sequence_count() == 301);
    CHECK(databases.searched_totals().sequences == 297);
    CHECK(databases.residue_count() == databases.searched_totals().residues);
    CHECK(databases.residue_count() < file.residue_count());
    CHECK(databases.has_members());
    CHECK_FALSE(databases.is_restricted());
    CHECK_FALSE(databases.has(0, 3, file.input_positions()[3]));
    CHECK(databases.has(0, 4, file.input_positions()[4]));

    std::vector<TargetMembers> members = {TargetMembers(301)};
    for (std::uint64_t rank = 0; rank < 301; rank += 3) members[0].add(rank);
    databases.restrict_search(std::move(members));
    CHECK(databases.is_restricted());
    CHECK(databases.sequence_count() == 297);
    CHECK(databases.searched_totals().sequences == 99);  // 101 without 0 and 3
    std::uint64_t shortest = ~std::uint64_t{0};
    for (std::uint64_t rank = 0; rank < 301; ++rank) {
        const bool is_there = rank != 0 && rank != 3 && rank != 299 && rank != 100;
        CHECK(databases.is_searched(0, rank) == (is_there && rank % 3 == 0));
        if (databases.is_searched(0, rank) && file.lengths_residues()[rank] > 0)
            shortest = std::min<std::uint64_t>(shortest, file.lengths_residues()[rank]);
        std::uint64_t before = 0, searched_before = 0;
        for (std::uint64_t other = 0; other < 301; ++other) {
            if (file.input_positions()[other] >= file.input_positions()[rank]) continue;
            before += databases.present(0)->has(other);
            searched_before += databases.is_searched(0, other);
        }
        CHECK(databases.number_of(0, rank) == before);
        CHECK(databases.searched_before(0, rank) == searched_before);
    }
    CHECK(databases.shortest_searched_residues() == shortest);
}

TEST_CASE("tiles and chunks without a member are not read, and every member is, once") {
    const ScratchFolder folder;
    Random random(9);
    const auto sequences = random_sequences(random, 3000);
    make_database(folder.path("a.wsdb"), sequences);
    make_database(folder.path("b.wsdb"), sequences, {.codec = ResidueCodec::kZstd});
    const ThreadPool pool(2);
    for (const std::uint64_t members_each : {0U, 1U, 5U, 300U, 3001U}) {
        for (const std::uint64_t chunk_bytes : {1U, 5000U, 1U << 30}) {
            CAPTURE(members_each);
            CAPTURE(chunk_bytes);
            auto databases = *DatabaseSet::open({folder.path("a.wsdb"), folder.path("b.wsdb")});
            std::vector<TargetMembers> members(2, TargetMembers(3001));
            for (TargetMembers& of_database : members) {
                for (std::uint64_t i = 0; i < members_each; ++i)
                    of_database.add(members_each == 3001 ? i : random.below(3001));
            }
            databases.restrict_search(members);
            for (const Chunk& chunk : cut_chunks(databases, chunk_bytes))
                CHECK(members[chunk.database].has_any(chunk.first_sequence, chunk.sequence_count));
            for (const std::uint64_t parts : {1U, 3U}) {
                std::vector<std::set<std::uint64_t>> read(2);
                std::uint64_t residues = 0, expected = 0;
                for (std::uint64_t part = 0; part < parts; ++part) {
                    const TargetShare share = dealt_share(databases, part, parts);
                    expected += residues_of(share, databases);
                    ChunkReader reader;
                    for (const ChunkGroup& chunks : group_chunks(databases, chunk_bytes, share)) {
                        REQUIRE(reader.read_searched(databases, chunks, pool).ok());
                        CHECK_FALSE(reader.tiles().empty());
                        for (const TileView& tile : reader.tiles()) {
                            CHECK(members[chunks.database].has_any(tile.first_sequence, tile.lanes()));
                            for (std::uint32_t lane = 0; lane < tile.lanes(); ++lane) {
                                residues += tile.lengths_residues[lane];
                                if (members[chunks.database].has(tile.first_sequence + lane))
                                    CHECK(read[chunks.database].insert(tile.first_sequence + lane).second);
                            }
                        }
                    }
                }
                CHECK(residues == expected);
                for (std::size_t d = 0; d < 2; ++d) CHECK(read[d].size() == members[d].count());
            }
        }
    }
}
