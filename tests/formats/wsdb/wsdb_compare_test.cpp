// Differences between two databases. They are compared with short lists, which can be checked by
// hand, and with counts of multisets.
#include "formats/wsdb/wsdb_compare.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "formats/fasta/fasta.h"
#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

struct Compared {
    WsdbComparison counts;
    std::vector<std::string> lines;
};

Compared compare(const ScratchFolder& folder, const std::vector<TestSequence>& before,
                 const std::vector<TestSequence>& after, unsigned threads = 2,
                 std::uint64_t memory_bytes = std::uint64_t{64} << 20) {
    make_database(folder.path("a.wsdb"), before);
    make_database(folder.path("b.wsdb"), after, {ResidueCodec::kZstd});
    const auto a = WsdbReader::open(folder.path("a.wsdb")), b = WsdbReader::open(folder.path("b.wsdb"));
    REQUIRE(a.ok());
    REQUIRE(b.ok());
    ThreadPool pool(threads);
    Compared compared;
    WsdbCompareOptions options;
    options.memory_bytes = memory_bytes;
    options.temporary_folder = folder.path("");
    options.on_difference = [&](const WsdbDifference& difference) {
        constexpr std::array<const char*, kWsdbChanges> kNames = {"header", "residues", "renamed", "removed", "added"};
        compared.lines.push_back(std::string(kNames[static_cast<std::size_t>(difference.change)]) + " " +
                                 difference.identifier_before + " " + difference.identifier_after);
        return Status();
    };
    const auto counts = compare_wsdb(*a, *b, pool, options);
    REQUIRE_MESSAGE(counts.ok(), counts.status().message());
    compared.counts = *counts;
    // Without a list the counts are the same.
    options.on_difference = nullptr;
    const auto again = compare_wsdb(*a, *b, pool, options);
    REQUIRE(again.ok());
    CHECK(again->same == counts->same);
    CHECK(again->changes == counts->changes);
    return compared;
}

std::vector<ResidueCode> letters(std::string_view text) { return encode_residues(text); }

}  // namespace

TEST_CASE("each kind of change, in the order of the input") {
    const ScratchFolder folder;
    const auto compared = compare(folder,
                                  {{"gone", letters("MK")},
                                   {"same text", letters("MKVL")},
                                   {"text old", letters("MKVLA")},
                                   {"changed", letters("MKVLAC")},
                                   {"old_name", letters("MKVLACDEFGHIKLMNPQ")},
                                   {"empty", {}}},
                                  {{"new_2", letters("AAAAAAAAAAAA")},
                                   {"new_1", letters("AA")},
                                   {"empty", {}},
                                   {"new_name", letters("MKVLACDEFGHIKLMNPQ")},
                                   {"changed", letters("MKVLAX")},
                                   {"text new", letters("MKVLA")},
                                   {"same text", letters("MKVL")}});
    CHECK(compared.counts.same == 2);
    CHECK(compared.lines == std::vector<std::string>{"removed gone ", "header text text", "residues changed changed",
                                                     "renamed old_name new_name", "added  new_2", "added  new_1"});
    for (std::size_t change = 0; change < kWsdbChanges; ++change)
        CHECK(compared.counts.changes[change] == (change == 4 ? 2 : 1));
}

TEST_CASE("equal digests are believed only where the content has them") {
    const ScratchFolder folder;
    Random random(5);
    std::vector<TestSequence> sequences;
    for (int i = 0; i < 700; ++i)
        sequences.push_back({"id" + std::to_string(i), random_residues(random, 10 + random.below(40), 20)});
    for (const ResidueCodec codec : {ResidueCodec::kPacked, ResidueCodec::kZstd}) {
        const auto good = folder.path("good.wsdb"), bad = folder.path("bad.wsdb");
        make_database(good, sequences, {codec});
        const auto bytes = read_bytes(good);
        const auto error_of = [&](const std::vector<std::uint8_t>& changed) {
            write_bytes(bad, changed);
            const auto a = WsdbReader::open(good), b = WsdbReader::open(bad);
            REQUIRE(a.ok());
            if (!b.ok()) return b.status().message();
            const ThreadPool pool(2);
            const auto compared = compare_wsdb(*a, *b, pool, {}), backwards = compare_wsdb(*b, *a, pool, {});
            CHECK(compared.ok() == backwards.ok());
            return compared.ok() ? std::string(compared->is_same() ? "same" : "differ") : compared.status().message();
        };
        CHECK(error_of(bytes) == "same");
        for (const auto type :
             {wsdb::SectionType::kTiles, wsdb::SectionType::kBlocks, wsdb::SectionType::kHeaders,
              wsdb::SectionType::kLengths, wsdb::SectionType::kTileIndex, wsdb::SectionType::kHeaderBlockIndex}) {
            if (type == (codec == ResidueCodec::kPacked ? wsdb::SectionType::kBlocks : wsdb::SectionType::kTiles))
                continue;
            CAPTURE(wsdb::section_name(type));
            const auto section = section_of(bytes, type);
            auto changed = bytes;
            std::fill_n(changed.begin() + static_cast<std::ptrdiff_t>(section.offset_bytes), section.size_bytes, 0);
            const std::string error = error_of(changed);
            CHECK_MESSAGE(error.find("bad.wsdb: byte ") != std::string::npos, error);
        }
        // This database has other content under the same digest, and correct checksums.
        auto others = sequences;
        others[300].residues[4] = others[300].residues[4] == 0 ? 1 : 0;
        make_database(bad, others, {codec});
        auto lying = read_bytes(bad);
        wsdb::FileHeader header = header_of(lying);
        header.content_digest = header_of(bytes).content_digest;
        put(lying, 0, header);
        put_checksums_right(lying);
        const std::string error = error_of(lying);
        CHECK_MESSAGE(error.find("content digest: expected ") != std::string::npos, error);
    }
}

TEST_CASE("all records may wait for a partner at once") {
    const ScratchFolder folder;
    // There are 30,000 sequences of one identifier, and all differ. The longest on this side is as
    // long as the shortest on that side.
    std::array<std::vector<TestSequence>, 2> sides;
    for (std::size_t side = 0; side < 2; ++side) {
        for (std::uint64_t i = 0; i < 30'000; ++i) {
            std::vector<ResidueCode> residues = {static_cast<ResidueCode>(side)};
            for (std::uint64_t n = i; n > 0; n /= 20) residues.push_back(static_cast<ResidueCode>(n % 20));
            sides[side].push_back({"same", std::move(residues)});
        }
    }
    sides[1].resize(21'000);
    for (int i = 0; i < 5'000; ++i) sides[1].push_back({"same", {5}});
    const auto compared = compare(folder, sides[0], sides[1], 2, 1);
    CHECK(compared.counts.same == 0);
    CHECK(compared.counts.count(WsdbChange::kResidues) == 26'000);
    CHECK(compared.counts.count(WsdbChange::kRemoved) == 4'000);
    CHECK(compared.lines.size() == 30'000);
    // Twins wait while other records come, because in the second database many records precede
    // them.
    std::array<std::vector<TestSequence>, 2> twins;
    twins[0].assign(20'000, {"twin", {1, 2, 3}});
    twins[0].insert(twins[0].end(), 9'000, {"other", {1}});
    twins[1].assign(10'000, {"long", {1, 2, 3, 4}});
    twins[1].insert(twins[1].end(), 15'000, {"twin", {1, 2, 3}});
    const auto few = compare(folder, twins[0], twins[1], 2, 1);
    CHECK(few.counts.same == 15'000);
    CHECK(few.counts.count(WsdbChange::kRemoved) == 14'000);
    CHECK(few.counts.count(WsdbChange::kAdded) == 10'000);
}

TEST_CASE("the same content in another order is the same") {
    const ScratchFolder folder;
    const std::vector<TestSequence> one = {
        {"a", letters("MKV")}, {"b 1", letters("MKV")}, {"a", letters("MKV")}, {"c", letters("M")}};
    auto other = one;
    std::ranges::reverse(other);
    const auto compared = compare(folder, one, other);
    CHECK(compared.counts.is_same());
    CHECK(compared.counts.same == 4);
}

TEST_CASE("identifiers and sequences that are there several times count as often") {
    const ScratchFolder folder;
    SUBCASE("one of three twins is left") {
        const auto compared =
            compare(folder, {{"t", letters("MK")}, {"t", letters("MK")}, {"t", letters("MK")}}, {{"t", letters("MK")}});
        CHECK(compared.counts.same == 1);
        CHECK(compared.lines == std::vector<std::string>{"removed t ", "removed t "});
    }
    SUBCASE("records with the same residues are paired first") {
        const auto compared = compare(folder, {{"t", letters("MK")}, {"t", letters("MKV")}},
                                      {{"t", letters("MKW")}, {"t", letters("MK")}});
        CHECK(compared.counts.same == 1);
        CHECK(compared.lines == std::vector<std::string>{"residues t t"});
    }
    SUBCASE("a twin gets a name of its own") {
        const auto compared =
            compare(folder, {{"t", letters("MK")}, {"t", letters("MK")}}, {{"t", letters("MK")}, {"u", letters("MK")}});
        CHECK(compared.lines == std::vector<std::string>{"renamed t u"});
    }
}

TEST_CASE("random databases: counts of multisets, the same backwards, with any threads and memory") {
    const ScratchFolder folder;
    Random random(8);
    for (int round = 0; round < 12; ++round) {
        const std::uint64_t names = 1 + random.below(40), texts = 1 + random.below(3), kinds = 1 + random.below(60);
        std::array<std::vector<TestSequence>, 2> sides;
        for (auto& side : sides) {
            for (std::uint64_t i = 1 + random.below(round == 0 ? 40000 : 150); i > 0; --i) {
                const std::uint64_t kind = random.below(kinds);
                std::vector<ResidueCode> residues(kind % 11, static_cast<ResidueCode>(kind % 20));
                side.push_back({"id" + std::to_string(random.below(names)) + " t" + std::to_string(random.below(texts)),
                                residues});
            }
        }
        std::array<std::map<std::string, std::array<std::int64_t, 2>>, 3>
            in_common;  // by all, identifier and residues, identifier
        for (std::size_t side = 0; side < 2; ++side) {
            for (const TestSequence& sequence : sides[side]) {
                const std::string residues(sequence.residues.begin(), sequence.residues.end());
                const std::string name(identifier_of(sequence.header));
                ++in_common[0][sequence.header + "|" + residues][side];
                ++in_common[1][name + "|" + residues][side];
                ++in_common[2][name][side];
            }
        }
        std::array<std::uint64_t, 3> pairs{};
        for (std::size_t key = 0; key < 3; ++key)
            for (const auto& [text, count] : in_common[key])
                pairs[key] += static_cast<std::uint64_t>(std::min(count[0], count[1]));
        const auto compared = compare(folder, sides[0], sides[1], 3, round == 0 ? 1 << 20 : 64 << 20);
        const WsdbComparison& counts = compared.counts;
        CHECK(counts.same == pairs[0]);
        CHECK(counts.count(WsdbChange::kHeader) == pairs[1] - pairs[0]);
        CHECK(counts.count(WsdbChange::kResidues) == pairs[2] - pairs[1]);
        CHECK(pairs[2] + counts.count(WsdbChange::kRenamed) + counts.count(WsdbChange::kRemoved) == sides[0].size());
        CHECK(pairs[2] + counts.count(WsdbChange::kRenamed) + counts.count(WsdbChange::kAdded) == sides[1].size());
        CHECK(compared.lines.size() == sides[0].size() + counts.count(WsdbChange::kAdded) - counts.same);
        const auto backwards = compare(folder, sides[1], sides[0], 1).counts;
        CHECK(backwards.same == counts.same);
        CHECK(backwards.count(WsdbChange::kResidues) == counts.count(WsdbChange::kResidues));
        CHECK(backwards.count(WsdbChange::kRenamed) == counts.count(WsdbChange::kRenamed));
        CHECK(backwards.count(WsdbChange::kAdded) == counts.count(WsdbChange::kRemoved));
    }
}

TEST_CASE("a damaged tile is an error") {
    const ScratchFolder folder;
    Random random(2);
    make_database(folder.path("a.wsdb"), {{"a", random_residues(random, 50)}});
    make_database(folder.path("b.wsdb"), {{"a", random_residues(random, 50)}});
    auto bytes = read_bytes(folder.path("b.wsdb"));
    bytes[section_of(bytes, wsdb::SectionType::kTiles).offset_bytes] ^= 1;
    write_bytes(folder.path("b.wsdb"), bytes);
    const auto a = WsdbReader::open(folder.path("a.wsdb")), b = WsdbReader::open(folder.path("b.wsdb"));
    REQUIRE(b.ok());
    ThreadPool pool(1);
    const auto counts = compare_wsdb(*a, *b, pool, {});
    CHECK_FALSE(counts.ok());
    CHECK(counts.status().message().find("b.wsdb") != std::string::npos);
}
