// Targets that are restricted to sequences that follow each other in their input.
#include "formats/wsdb/target_records.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/scratch_folder.h"

namespace warpseq {
namespace {

// The order of the database is by length, so it is another one.
constexpr std::string_view kFasta = ">a\nM\n>b\nMKVL\n>c x\nMK\n>b\nMKVLHC\n>d\nMKV\n";

/// Returns the names of the sequences that are left, in the order of the input, or the error.
std::string left_of(const TargetRecords& records, std::string_view text = kFasta, std::string_view name = "f.fasta") {
    const testing::ScratchFolder folder;
    const ThreadPool pool(2);
    Observer silent;
    TargetSettings settings;
    settings.format.kind = SequenceFileKind::kAsHmmer;
    settings.records = records;
    auto targets = open_targets(folder.write(name, text), settings, pool, silent);
    if (!targets.ok()) return targets.status().message();
    REQUIRE(targets->size() == 1);
    const Target& target = targets->front();
    std::vector<std::pair<std::uint64_t, std::string>> left;
    for (std::uint64_t rank = 0; rank < target.reader.sequence_count(); ++rank) {
        if (std::ranges::find(target.removed_ranks, rank) != target.removed_ranks.end()) continue;
        const auto header = target.reader.header(rank);
        REQUIRE(header.ok());
        left.emplace_back(std::uint64_t{target.reader.input_positions()[rank]}, header->substr(0, 1));
    }
    std::ranges::sort(left);
    std::string names;
    for (const auto& [position, letter] : left) names += letter;
    return names;
}

TEST_CASE("a number of sequences, from the beginning or from a name on") {
    CHECK(left_of({}) == "abcbd");
    CHECK(left_of({.most = 3}) == "abc");
    CHECK(left_of({.most = 5}) == "abcbd");
    CHECK(left_of({.most = ~std::uint64_t{0}}) == "abcbd");
    CHECK(left_of({.first = "c"}) == "cbd");
    CHECK(left_of({.first = "b", .most = 2}) == "bc");  // the first of two
    CHECK(left_of({.first = "d", .most = 9}) == "d");
    CHECK(left_of({.first = "x"}).find("restrictdb_stkey to x") != std::string::npos);
}

TEST_CASE("accessions are names, too") {
    CHECK(left_of({.first = "P2"}, "ID   a;\nAC   P1;\nSQ   x\nMK\n//\nID   b;\nAC   P2;\nSQ   x\nMKV\n//\n") == "b");
}

}  // namespace
}  // namespace warpseq
