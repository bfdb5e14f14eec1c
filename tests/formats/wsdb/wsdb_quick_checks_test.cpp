// Checks that run in large loops. A fault of a single entry must be found.
#include "formats/wsdb/wsdb_quick_checks.h"

#include <doctest/doctest.h>

#include <utility>

#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;
using wsdb::SectionType;

namespace {

bool is_in_order(const std::filesystem::path& file, unsigned threads) {
    auto map = WsdbReader::Map::map_file(file);
    REQUIRE(map.ok());
    WsdbFaults faults(false);
    REQUIRE((*map)->check_header(faults));
    const ThreadPool pool(threads);
    const auto sound = is_order_sound(**map, pool);
    REQUIRE(sound.ok());
    return *sound;
}

}  // namespace

TEST_CASE("input positions are a permutation that ascends for each length") {
    const ScratchFolder folder;
    const auto file = folder.path("db.wsdb");
    Random random(4);
    // There are more positions than a part of 65,536, and lengths of one, two and many sequences.
    std::vector<TestSequence> sequences;
    for (std::size_t i = 0; i < 70000; ++i) {
        const std::uint64_t length = i % 1000 == 0 ? 20 + i / 1000 : random.below(5);
        sequences.push_back({std::to_string(i), random_residues(random, length)});
    }
    make_database(file, sequences);
    const auto good = read_bytes(file);
    const std::uint64_t start = section_of(good, SectionType::kInputPositions).offset_bytes;
    for (const unsigned threads : {1u, 3u}) CHECK(is_in_order(file, threads));
    const auto place_of = [&](std::uint64_t rank) { return start + rank * sizeof(std::uint32_t); };
    for (int round = 0; round < 60; ++round) {
        auto bytes = good;
        const std::uint64_t rank = round == 0 ? 0 : round == 1 ? sequences.size() - 1 : random.below(sequences.size());
        const auto before = get<std::uint32_t>(good, place_of(rank));
        auto other = static_cast<std::uint32_t>(random.below(sequences.size()));
        if (round % 3 == 1) other = (before + 1) % static_cast<std::uint32_t>(sequences.size());
        if (other == before) continue;
        put<std::uint32_t>(bytes, place_of(rank), other);
        write_bytes(file, bytes);
        CAPTURE(rank);
        CAPTURE(other);
        // Another sequence has this position, whether or not the order is right.
        CHECK(!is_in_order(file, 1 + static_cast<unsigned>(round % 3)));
    }
    // Two sequences of one length change places.
    auto bytes = good;
    const std::uint64_t last = sequences.size() - 1;
    put(bytes, place_of(last), get<std::uint32_t>(good, place_of(last - 1)));
    put(bytes, place_of(last - 1), get<std::uint32_t>(good, place_of(last)));
    write_bytes(file, bytes);
    CHECK(!is_in_order(file, 2));
}

TEST_CASE("another name, another sequence or the two of another entry give another sum") {
    Random random(9);
    for (int round = 0; round < 1000; ++round) {
        const wsdb::NameEntry a{random.next(), random.below(1000)}, b{random.next(), random.below(1000)};
        if (a.rank == b.rank) continue;
        CHECK(mixed(a) + mixed(b) != mixed({a.hash, b.rank}) + mixed({b.hash, a.rank}));
        CHECK(mixed(a) != mixed({a.hash, a.rank + 1}));
        CHECK(mixed(a) != mixed({a.hash ^ std::uint64_t{1} << random.below(64), a.rank}));
    }
}
