// The host's part of a Smith-Waterman search on GPUs, tested with fake GPUs. Hits must be the CPU
// path's, whatever the GPUs have no room for. Errors are returned, and nothing remains.
#include "engines/sw/sw_gpu_scan.h"

#include <doctest/doctest.h>

#include <fstream>
#include <limits>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "engines/devices/database_pages.h"
#include "formats/wsdb/wsdb_map.h"
#include "tests/support/fake_gpus.h"
#include "tests/support/make_database.h"
#include "tests/support/random_proteins.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/some_members.h"
#include "tests/support/sw_scan_fixture.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

using Fixture = SwScanFixture;
Observer observer;  // shared by all searches

}  // namespace

TEST_CASE("fake GPUs give the CPU's hits, for any limits, chunks and threads") {
    Fixture fixture;
    for (const double evalue : {1e-3, 10.0, std::numeric_limits<double>::infinity()}) {
        for (const std::uint64_t max_hits : {0U, 3U}) {
            for (const unsigned host_threads : {1U, 4U}) {
                for (const std::uint64_t chunk_bytes : {0U, 1'600U, 20'000U}) {
                    fixture.settings.evalue = evalue;
                    fixture.settings.max_hits = max_hits;
                    fixture.settings.host_threads = host_threads;
                    fixture.settings.chunk_bytes = chunk_bytes;
                    FakeMachine machine;
                    CHECK(fixture.compare(machine).saturated == 1);
                }
            }
        }
    }
}

TEST_CASE("sequences that are not searched are no hits, and chunks without others are not copied") {
    for (const std::uint64_t of_ten : {2U, 9U}) {
        Fixture fixture;
        fixture.settings.max_hits = 40;
        fixture.settings.evalue = std::numeric_limits<double>::infinity();
        FakeMachine whole, machine;
        const SwGpuCounts all = fixture.compare(whole);
        const std::vector<TargetMembers> members = some_members(fixture.databases, of_ten);
        fixture.databases.restrict_search(members);
        const SwGpuCounts counts = fixture.compare(machine);
        CHECK(counts.saturated == (members[0].has(0) ? 1 : 0));  // the longest, which scores with itself
        CHECK(counts.chunks <= all.chunks);
        const auto hits =
            (*fixture.open(machine))->submit(fixture.queries, whole_share(fixture.databases), {observer}).get();
        REQUIRE(hits.ok());
        std::size_t seen = 0;
        for (const auto& of_query : *hits) {
            for (const Hit& hit : of_query) CHECK(members[hit.database].has(hit.rank));
            seen += of_query.size();
        }
        CHECK(seen > 100);
    }
    Fixture fixture;
    std::vector<TargetMembers> one;
    for (std::size_t d = 0; d < fixture.databases.size(); ++d)
        one.emplace_back(fixture.databases.reader(d).sequence_count());
    one[2].add(7);
    fixture.databases.restrict_search(std::move(one));
    FakeMachine machine;
    const auto scan = fixture.open(machine);
    REQUIRE(scan.ok());
    REQUIRE((*scan)->submit(fixture.queries, whole_share(fixture.databases), {observer}).get().ok());
    CHECK((*scan)->counts().chunks == 1);
    CHECK(machine.uploads == 1);
}

TEST_CASE("several batches in flight on several GPUs: chunks stay") {
    Fixture fixture;
    fixture.settings.ordinals = {0, 2};
    FakeMachine machine(3);
    const SwGpuCounts counts = fixture.compare(machine, 4);
    CHECK(counts.chunks > 4 * 5);
    CHECK(static_cast<std::uint64_t>(machine.kernels) == counts.chunks);
    CHECK(static_cast<std::uint64_t>(machine.uploads) <= 2 * counts.chunks / 4);
    CHECK(machine.reuses == 0);
    CHECK(machine.gpus[1].kernels == 0);
    CHECK(machine.gpus[0].used_bytes + machine.gpus[2].used_bytes == 0);
}

TEST_CASE("shares that several clients scan at once are parts of the whole, and chunks of any cut may stay") {
    FakeMachine machine(2);
    Fixture fixture;
    fixture.settings.ordinals = {0, 1};
    const auto scan = fixture.open(machine);
    REQUIRE(scan.ok());
    constexpr std::uint64_t kParts = 5;
    std::vector<Result<Hits>> found(kParts, Status::unavailable("nothing yet"));
    std::vector<std::thread> clients;
    for (std::uint64_t part = 0; part < kParts; ++part) {
        clients.emplace_back([&, part] {
            found[part] =
                (*scan)->submit(fixture.queries, dealt_share(fixture.databases, part, kParts), {observer}).get();
        });
    }
    for (std::thread& client : clients) client.join();
    Hits all(fixture.queries.size());
    for (const auto& of_part : found) {
        REQUIRE(of_part.ok());
        for (std::size_t q = 0; q < all.size(); ++q) {
            HitList list(fixture.settings.max_hits);
            for (const Hit& hit : all[q]) list.add(hit);
            for (const Hit& hit : (*of_part)[q]) list.add(hit);
            all[q] = list.take_sorted();
        }
    }
    CHECK(shown(all) == fixture.expected());
}

TEST_CASE("a scan that is stopped ends after the chunks that are being worked on; the next one is whole") {
    Fixture fixture;
    FakeMachine machine;
    machine.gpus[0].delay = std::chrono::milliseconds(20);
    const auto scan = fixture.open(machine);
    REQUIRE(scan.ok());
    std::stop_source stop;
    auto stopped = (*scan)->submit(fixture.queries, whole_share(fixture.databases), {observer, stop.get_token()});
    auto next = (*scan)->submit(fixture.queries, whole_share(fixture.databases), {observer});
    while (machine.kernels == 0) std::this_thread::yield();
    stop.request_stop();
    CHECK(stopped.get().status().code() == StatusCode::kInterrupted);
    CHECK(machine.kernels < 8);
    const auto hits = next.get();
    REQUIRE(hits.ok());
    CHECK(shown(*hits) == fixture.expected());
}

TEST_CASE("a scan that is stopped does not wait for those before it") {
    Fixture fixture;
    FakeMachine machine;
    machine.gpus[0].delay = std::chrono::milliseconds(20);
    const auto scan = fixture.open(machine);
    REQUIRE(scan.ok());
    std::stop_source stop;
    auto first = (*scan)->submit(fixture.queries, whole_share(fixture.databases), {observer});
    auto stopped = (*scan)->submit(fixture.queries, whole_share(fixture.databases), {observer, stop.get_token()});
    stop.request_stop();
    CHECK(stopped.get().status().code() == StatusCode::kInterrupted);
    CHECK(machine.kernels < 8);
    const auto hits = first.get();
    REQUIRE(hits.ok());
    CHECK(shown(*hits) == fixture.expected());
}

TEST_CASE("a limit of memory below a chunk: chunks pass") {
    Fixture fixture;
    fixture.settings.memory.bytes = 1'000;
    FakeMachine machine;
    const SwGpuCounts counts = fixture.compare(machine, 2);
    CHECK(machine.reuses > 5);
    CHECK(static_cast<std::uint64_t>(machine.uploads) == counts.chunks);
    CHECK(counts.copies.bytes > fixture.databases.residue_count());
}

/// The fixture's chunks take 15,488 bytes together, and the largest one takes 4,736. Each of two
/// workers may have room for a chunk that passes. One of them may also have room for a chunk that
/// stayed.
constexpr std::uint64_t kShortOfAll = 14'500;

TEST_CASE("a GPU with less memory than it said: chunks that stay make room, and chunks pass") {
    Fixture fixture;
    FakeMachine machine;
    machine.gpus[0].room_bytes = kShortOfAll;
    fixture.compare(machine, 4);
    CHECK(machine.refused_uploads > 0);
    CHECK(machine.reuses > 0);
    CHECK(machine.gpus[0].most_used_bytes <= kShortOfAll);
}

// The number of chunks that each GPU takes depends on the threads.
TEST_CASE("a GPU with less memory than it said beside one that has it") {
    Fixture fixture;
    fixture.settings.ordinals = {0, 1};
    FakeMachine machine(2);
    machine.gpus[1].room_bytes = kShortOfAll;
    machine.gpus[1].delay = machine.gpus[0].delay = std::chrono::milliseconds(1);
    fixture.compare(machine, 4);
    CHECK(machine.gpus[1].most_used_bytes <= kShortOfAll);
}

TEST_CASE("chunks larger than a GPU's share are cut smaller; if the smallest have no room, it is an error") {
    const ScratchFolder folder;
    Random random(8);
    std::vector<TestSequence> sequences;
    for (int i = 0; i < 900; ++i) sequences.push_back({"r", random_protein(random, 600)});
    const Sequence query = random_protein(random, 12);
    sequences.push_back({"found", query});
    make_database(folder.path("a.wsdb"), sequences);
    Fixture fixture;
    fixture.databases = *DatabaseSet::open({folder.path("a.wsdb")});
    fixture.queries = {{"q", query}};
    fixture.settings.space.database_residues = fixture.databases.residue_count();
    fixture.settings.chunk_bytes = std::uint64_t{4} << 20;
    fixture.settings.evalue = 1000;
    SUBCASE("by the budget") {
        FakeMachine machine;
        fixture.settings.memory.bytes = std::uint64_t{3} << 20;
        CHECK(fixture.compare(machine).chunks >= 3);
    }
    SUBCASE("because there is less memory than was free") {
        FakeMachine machine(2);
        fixture.settings.ordinals = {0, 1};
        machine.gpus[1].largest_reserve_bytes = kLeastGpuChunkBytes;
        CHECK(fixture.compare(machine).chunks >= 3);
        CHECK(machine.reserves > 4);
    }
    SUBCASE("none at all") {
        FakeMachine machine;
        machine.gpus[0].largest_reserve_bytes = kLeastGpuChunkBytes - 1;
        const auto scan = fixture.open(machine);
        REQUIRE_FALSE(scan.ok());
        CHECK(scan.status().message() == "the fake GPU has no memory left");
    }
}

TEST_CASE("a slow GPU beside a quick one changes no hit") {
    Fixture fixture;
    fixture.settings.ordinals = {0, 1};
    FakeMachine machine(2);
    machine.gpus[1].delay = std::chrono::milliseconds(60);
    fixture.compare(machine, 3);
}

TEST_CASE("a GPU that fails, or memory that runs out, at any call: the batch's error, and the next batch is searched") {
    Fixture fixture;
    fixture.settings.ordinals = {0, 1};
    fixture.settings.chunk_bytes = 3'000;
    const std::string wanted = fixture.expected();
    FakeMachine undisturbed(2);
    const auto chunks = static_cast<int>(fixture.compare(undisturbed).chunks);
    REQUIRE(chunks > 3);
    const auto threads = thread_count();
    for (int call = 0; call < chunks; ++call) {
        for (const auto place :
             {&FakeMachine::failing_kernel, &FakeMachine::throwing_kernel, &FakeMachine::throwing_upload}) {
            FakeMachine machine(2);
            machine.*place = call;
            const auto scan = fixture.open(machine);
            REQUIRE(scan.ok());
            const auto failed = (*scan)->submit(fixture.queries, whole_share(fixture.databases), {observer}).get();
            REQUIRE_FALSE(failed.ok());
            if (place == &FakeMachine::failing_kernel) {
                CHECK(failed.status().message() == "the fake GPU fails");
            } else {
                CHECK(failed.status().code() == StatusCode::kOutOfMemory);
            }
            const auto found = (*scan)->submit(fixture.queries, whole_share(fixture.databases), {observer}).get();
            REQUIRE(found.ok());
            const bool same = shown(*found) == wanted;
            CHECK(same);
        }
    }
    CHECK(thread_count() == threads);
}

TEST_CASE("a copy that fails once is made again, where the chunk then passes") {
    Fixture fixture;
    for (const int call : {0, 2, 4}) {
        FakeMachine machine;
        machine.failing_upload = call;
        fixture.compare(machine, 2);
        CHECK(machine.reuses > 0);
    }
}

TEST_CASE("other batches in flight are searched where one fails") {
    Fixture fixture;
    const std::string wanted = fixture.expected();
    FakeMachine machine;
    machine.failing_kernel = 0;
    machine.gpus[0].delay = std::chrono::milliseconds(2);
    const auto scan = fixture.open(machine);
    REQUIRE(scan.ok());
    std::vector<std::future<Result<Hits>>> found;
    for (int i = 0; i < 3; ++i)
        found.push_back((*scan)->submit(fixture.queries, whole_share(fixture.databases), {observer}));
    CHECK_FALSE(found[0].get().ok());
    for (std::size_t i = 1; i < found.size(); ++i) {
        const auto hits = found[i].get();
        REQUIRE(hits.ok());
        const bool same = shown(*hits) == wanted;
        CHECK(same);
    }
}

TEST_CASE("GPUs that are not there, a batch that finds no memory, a search that is given up") {
    Fixture fixture;
    const auto threads = thread_count();
    {
        FakeMachine machine(2);
        fixture.settings.ordinals = {0, 9};
        CHECK_FALSE(fixture.open(machine).ok());
        fixture.settings.ordinals = {0, 1};
        machine.throwing_batch = 0;
        machine.gpus[0].delay = machine.gpus[1].delay = std::chrono::milliseconds(5);
        const auto scan = fixture.open(machine);
        REQUIRE(scan.ok());
        CHECK_THROWS_AS((*scan)->submit(fixture.queries, whole_share(fixture.databases), {observer}), std::bad_alloc);
        CHECK((*scan)->submit(fixture.queries, whole_share(fixture.databases), {observer}).get().ok());
        const auto abandoned = (*scan)->submit(fixture.queries, whole_share(fixture.databases), {observer});
    }
    CHECK(thread_count() == threads);
}

TEST_CASE(
    "chunks that come again are copied from pages, which searches of a session share, others by the host's threads") {
    Fixture fixture;
    FakeMachine machine;
    fixture.settings.pages = std::make_shared<DatabasePages>();
    fixture.settings.resident = std::make_shared<ResidentChunks>();
    fixture.settings.memory.bytes = 1;  // nothing stays
    fixture.compare(machine);
    const int packed = static_cast<int>(fixture.databases.reader(0).tile_count());
    const int compressed = static_cast<int>(fixture.databases.reader(2).tile_count());
    int ranges = machine.ranges, in_pages = machine.tiles_in_pages, copied = machine.tiles_copied;
    CHECK(ranges == 1);  // b is compressed, c has no residues
    CHECK(in_pages == 0);
    const int empty = copied - packed - compressed;  // c's
    CHECK(empty <= 1);
    fixture.compare(machine);
    ranges = machine.ranges;
    in_pages = machine.tiles_in_pages;
    CHECK(ranges == 1);
    CHECK(in_pages == packed);
    CHECK(machine.tiles_copied - copied == compressed + empty);
}

TEST_CASE("damage that is found while a chunk is copied is the error, and the chunk is not copied again") {
    Fixture fixture;
    const auto file = fixture.folder.path("a.wsdb");
    {
        // A letter of the first sequence becomes another one.
        const WsdbReader& reader = fixture.databases.reader(0);
        const auto offset = reader.packed_tiles().data() - reader.map().bytes.data();
        std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
        bytes.seekg(offset);
        const auto byte = static_cast<char>(bytes.get() ^ 1);
        bytes.seekp(offset);
        bytes.put(byte);
    }
    FakeMachine machine;
    const auto scan = fixture.open(machine);
    REQUIRE(scan.ok());
    const auto hits = (*scan)->submit(fixture.queries, whole_share(fixture.databases), {observer}).get();
    REQUIRE_FALSE(hits.ok());
    CHECK(hits.status().message().find("tile 0 is damaged") != std::string::npos);
    CHECK(machine.uploads <= 1 + static_cast<int>(kWorkersPerGpu));
}

TEST_CASE("databases without residues") {
    const ScratchFolder folder;
    make_database(folder.path("empty.wsdb"), {{"void", {}}});
    Fixture fixture;
    fixture.databases = *DatabaseSet::open({folder.path("empty.wsdb")});
    FakeMachine machine;
    const auto scan = fixture.open(machine);
    REQUIRE(scan.ok());
    const auto hits = (*scan)->submit(fixture.queries, whole_share(fixture.databases), {observer}).get();
    REQUIRE(hits.ok());
    CHECK(hits->size() == fixture.queries.size());
    CHECK((*hits)[1].empty());
}

TEST_CASE("searches of one session share a GPU's budget: chunks that stay make room for what the next one works in") {
    FakeMachine machine;  // outlives the chunks that the fixture's settings keep
    Fixture fixture;
    const auto free = [&](int ordinal) { return machine.free_bytes(ordinal); };
    const auto search = [&](SwGpuScan& scan) {
        const auto hits = scan.submit(fixture.queries, whole_share(fixture.databases), {observer}).get();
        REQUIRE_MESSAGE(hits.ok(), hits.status().message());
        CHECK(shown(*hits) == fixture.expected());
    };
    // The bytes in which a search works, and the bytes of all chunks.
    std::uint64_t working = 0, chunks = 0;
    {
        fixture.settings.memory.bytes = std::uint64_t{1} << 24;
        fixture.settings.resident = std::make_shared<ResidentChunks>();
        const auto scan = fixture.open(machine);
        REQUIRE(scan.ok());
        search(**scan);
        chunks = machine.gpus[0].used_bytes;
        working = fixture.settings.memory.bytes -
                  *fixture.settings.resident->plannable_bytes(fixture.settings.ordinals, fixture.settings.memory, free);
    }
    REQUIRE(chunks > 0);
    REQUIRE(working > chunks);
    fixture.settings.resident = std::make_shared<ResidentChunks>();
    fixture.settings.memory.bytes = 2 * working + chunks / 2;
    const auto left = [&] {
        return *fixture.settings.resident->plannable_bytes(fixture.settings.ordinals, fixture.settings.memory, free);
    };
    CHECK(machine.gpus[0].used_bytes == 0);
    const auto first = fixture.open(machine);
    REQUIRE(first.ok());
    search(**first);
    CHECK(machine.gpus[0].used_bytes == chunks);  // all stay
    {
        CHECK(left() == fixture.settings.memory.bytes - working);
        const auto second = fixture.open(machine);
        REQUIRE(second.ok());
        CHECK(machine.gpus[0].used_bytes <= chunks / 2);
        CHECK(left() == chunks / 2);
        search(**second);
        search(**first);
    }
    CHECK(left() == fixture.settings.memory.bytes - working);
    search(**first);
}

TEST_CASE("a later search plans only with the memory that is free then") {
    FakeMachine machine;
    ResidentChunks memory;
    const auto free = [&](int ordinal) { return machine.free_bytes(ordinal); };
    const std::vector<int> gpus = {0};
    const std::uint64_t budget = *memory.plannable_bytes(gpus, {}, free);
    machine.gpus[0].free_bytes /= 4;  // another process takes memory
    CHECK(*memory.plannable_bytes(gpus, {}, free) < budget / 3);
    machine.gpus[0].free_bytes *= 8;
    CHECK(*memory.plannable_bytes(gpus, {}, free) == budget);
}

TEST_CASE("chunks of the shortest peptides have no more scores than memory is planned for") {
    const ScratchFolder folder;
    Random random(9);
    std::vector<TestSequence> peptides;
    for (int i = 0; i < 40'000; ++i) peptides.push_back({"p", random_protein(random, 1 + random.below(6))});
    make_database(folder.path("a.wsdb"), peptides);
    Fixture fixture;
    fixture.databases = *DatabaseSet::open({folder.path("a.wsdb")});
    fixture.queries = {{"q", random_protein(random, 12)}};
    fixture.settings.space.database_residues = fixture.databases.residue_count();
    fixture.settings.evalue = std::numeric_limits<double>::infinity();
    fixture.settings.chunk_bytes = kLeastGpuChunkBytes;
    FakeMachine machine;
    const SwGpuCounts counts = fixture.compare(machine);
    CHECK(counts.chunks > 1);
    const std::uint64_t score_bytes =
        machine.gpus[0].most_lanes * fixture.settings.most_queries * sizeof(std::uint16_t);
    CHECK(score_bytes > 0);
    // There are six bytes for each byte of the chunk, and the scores of the tile that it ends with.
    CHECK(score_bytes <= 6 * kLeastGpuChunkBytes + kTileLanes * fixture.settings.most_queries * sizeof(std::uint16_t));
}
