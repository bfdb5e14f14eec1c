// Figures of the content, compared with those of a plain loop over the sequences.
#include "formats/wsdb/wsdb_content_figures.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "libcore/sequence/seg.h"
#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

WsdbContentFigures figures_of(const std::filesystem::path& file, unsigned threads, std::uint64_t memory_bytes,
                              std::size_t largest = 3) {
    const auto reader = WsdbReader::open(file);
    REQUIRE(reader.ok());
    ThreadPool pool(threads);
    WsdbContentFiguresOptions options;
    options.letters = options.low_complexity = options.duplicates = true;
    options.largest_groups = largest;
    options.memory_bytes = memory_bytes;
    options.temporary_folder = file.parent_path();
    const auto figures = wsdb_content_figures(*reader, pool, options);
    REQUIRE_MESSAGE(figures.ok(), figures.status().message());
    return *figures;
}

}  // namespace

TEST_CASE("letters, low complexity and groups of identical sequences") {
    const ScratchFolder folder;
    Random random(6);
    std::vector<std::vector<ResidueCode>> pool_of_sequences;
    for (int i = 0; i < 400; ++i) {
        auto residues = random_residues(random, random.below(90), i % 3 == 0 ? 2 : kResidueCodes);
        if (i % 7 == 0) residues.insert(residues.end(), 30, static_cast<ResidueCode>(i % 20));
        pool_of_sequences.push_back(std::move(residues));
    }
    std::vector<TestSequence> sequences;
    for (int i = 0; i < 30000; ++i) {
        // Some are there often, many once or not at all.
        const std::uint64_t which = std::min(random.below(400), random.below(400));
        auto residues = pool_of_sequences[which];
        if (i % 4 == 0) residues = random_residues(random, 20 + random.below(20));
        sequences.push_back({"s" + std::to_string(i), std::move(residues)});
    }
    WsdbContentFigures expected;
    std::map<std::vector<ResidueCode>, std::uint64_t> groups;
    for (const TestSequence& sequence : sequences) {
        ++groups[sequence.residues];
        for (std::uint8_t code = 0; code < kResidueCodes; ++code) {
            const auto count = static_cast<std::uint64_t>(std::ranges::count(sequence.residues, code));
            expected.letter_residues[code] += count;
            expected.letter_sequences[code] += count > 0 ? 1u : 0u;
        }
        std::uint64_t masked = 0;
        for (const SegStretch& stretch : seg_stretches(sequence.residues, {})) masked += stretch.end - stretch.begin;
        expected.masked_residues += masked;
        expected.masked_sequences += masked > 0 ? 1u : 0u;
        expected.mostly_masked_sequences += masked > 0 && 2 * masked >= sequence.residues.size() ? 1u : 0u;
    }
    REQUIRE(expected.mostly_masked_sequences > 0);
    std::uint64_t most = 0;
    for (const auto& [residues, count] : groups) {
        most = std::max(most, count);
        if (count < 2) continue;
        ++expected.groups;
        expected.group_sequences += count;
        expected.copies += count - 1;
        expected.copy_residues += (count - 1) * residues.size();
    }
    for (const ResidueCodec codec : {ResidueCodec::kPacked, ResidueCodec::kZstd}) {
        const auto file = folder.path("db.wsdb");
        make_database(file, sequences, {codec});
        for (const unsigned threads : {1u, 3u}) {
            for (const std::uint64_t memory_bytes : {std::uint64_t{1} << 20, std::uint64_t{64} << 20}) {
                const auto figures = figures_of(file, threads, memory_bytes);
                CHECK(figures.letter_residues == expected.letter_residues);
                CHECK(figures.letter_sequences == expected.letter_sequences);
                CHECK(figures.masked_residues == expected.masked_residues);
                CHECK(figures.masked_sequences == expected.masked_sequences);
                CHECK(figures.mostly_masked_sequences == expected.mostly_masked_sequences);
                CHECK(figures.groups == expected.groups);
                CHECK(figures.group_sequences == expected.group_sequences);
                CHECK(figures.copies == expected.copies);
                CHECK(figures.copy_residues == expected.copy_residues);
                REQUIRE(figures.largest_groups.size() == 3);
                CHECK(figures.largest_groups[0].sequences == most);
                CHECK(figures.largest_groups[0].sequences >= figures.largest_groups[1].sequences);
            }
        }
    }
}

TEST_CASE("the first of a group is the first of the input") {
    const ScratchFolder folder;
    const std::vector<ResidueCode> twin = {1, 2, 3};
    make_database(folder.path("db.wsdb"),
                  {{"a", {4, 4, 4, 4}}, {"b", {5, 5, 5}}, {"c", twin}, {"d", twin}, {"e", {}}, {"f", {}}, {"g", twin}});
    const auto figures = figures_of(folder.path("db.wsdb"), 2, 1 << 20, 10);
    REQUIRE(figures.largest_groups.size() == 2);
    CHECK(figures.largest_groups[0].sequences == 3);
    CHECK(figures.largest_groups[0].length_residues == 3);
    CHECK(figures.largest_groups[1].length_residues == 0);
    const auto reader = WsdbReader::open(folder.path("db.wsdb"));
    REQUIRE(reader.ok());
    CHECK(*reader->header(figures.largest_groups[0].first_rank) == "c");
    CHECK(*reader->header(figures.largest_groups[1].first_rank) == "e");
}
