// Jobs that check the content. Of any size and with any number of threads they give the same sums,
// the same digest, and the same faults in the same order.
#include "formats/wsdb/wsdb_content_check.h"

#include <doctest/doctest.h>

#include <memory>

#include "tests/support/make_database.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/under_sanitizers.h"

using namespace warpseq;
using namespace warpseq::testing;
using wsdb::SectionType;

namespace {

/// Returns headers that fill some blocks.
std::vector<TestSequence> some_sequences(std::size_t count) {
    Random random(17);
    std::vector<TestSequence> sequences;
    for (std::size_t i = 0; i < count; ++i) {
        std::string header = "sp|P" + std::to_string(10000 + i) + "|N" + std::to_string(i) + "_X ";
        for (std::size_t letters = 0; letters < 100; ++letters) header += static_cast<char>('a' + random.below(26));
        sequences.push_back({header, random_residues(random, random.below(60))});
    }
    sequences[7].residues = random_residues(random, 3000);
    return sequences;
}

struct Found {
    WsdbContentSummary summary;
    std::vector<WsdbFault> faults;
};

Found check(const std::filesystem::path& file, unsigned threads, std::uint64_t job_residues, bool all) {
    auto map = WsdbReader::Map::map_file(file);
    REQUIRE(map.ok());
    WsdbFaults faults(all);
    REQUIRE((*map)->check_header(faults));
    REQUIRE((*map)->use_blocks(faults));
    REQUIRE((*map)->use_header_blocks(faults));
    const ThreadPool pool(threads);
    WsdbContentOptions options;
    options.job_residues = job_residues;
    std::uint64_t done = 0;
    options.on_progress = [&](std::uint64_t tiles, std::uint64_t total) {
        CHECK(tiles > done);
        CHECK(tiles <= total);
        done = tiles;
    };
    const auto summary = check_wsdb_content(**map, pool, options, faults);
    REQUIRE(summary.ok());
    if (faults.list().empty()) CHECK(done == (*map)->tile_count());
    return {*summary, faults.list()};
}

constexpr std::uint64_t kJobs[] = {1, 30000, std::uint64_t{1} << 30};

}  // namespace

TEST_CASE("jobs of any size sum up the same") {
    const ScratchFolder folder;
    const auto file = folder.path("db.wsdb");
    const auto sequences = some_sequences(fewer(6000, 2000));
    for (const ResidueCodec codec : {ResidueCodec::kPacked, ResidueCodec::kZstd}) {
        make_database(file, sequences, {codec});
        const auto header = header_of(read_bytes(file));
        std::array<std::uint64_t, kResidueTableSize> letters{};
        std::uint64_t header_bytes = 0;
        for (const TestSequence& sequence : sequences) {
            for (const ResidueCode code : sequence.residues) ++letters[code];
            header_bytes += sequence.header.size();
        }
        std::uint64_t sum = 0;
        for (const std::uint64_t job_residues : kJobs) {
            for (const unsigned threads : {1u, 3u}) {
                const Found found = check(file, threads, job_residues, true);
                CHECK(found.faults.empty());
                CHECK(found.summary.digest == header.content_digest);
                CHECK(found.summary.composition == letters);
                CHECK(found.summary.header_bytes == header_bytes);
                CHECK(found.summary.header_blocks > 1);
                CHECK(found.summary.names == 2 * sequences.size());
                if (sum == 0) sum = found.summary.names_sum;
                CHECK(found.summary.names_sum == sum);
            }
        }
    }
}

TEST_CASE("damage is named once, in the same order, whatever the jobs are: tiles before headers") {
    const ScratchFolder folder;
    const auto file = folder.path("db.wsdb");
    for (const ResidueCodec codec : {ResidueCodec::kPacked, ResidueCodec::kZstd}) {
        make_database(file, some_sequences(3000), {codec});
        auto bytes = read_bytes(file);
        for (const auto type :
             {codec == ResidueCodec::kPacked ? SectionType::kTiles : SectionType::kBlocks, SectionType::kHeaders}) {
            const auto section = section_of(bytes, type);
            bytes[section.offset_bytes + section.size_bytes / 4] ^= 16;
            bytes[section.offset_bytes + section.size_bytes - 40] ^= 16;
        }
        write_bytes(file, bytes);
        const auto headers = section_of(bytes, SectionType::kHeaders).offset_bytes;
        const auto all = check(file, 1, std::uint64_t{1} << 30, true).faults;
        REQUIRE(all.size() == (codec == ResidueCodec::kPacked ? 4 : 3));  // one block of zstd
        CHECK(all[all.size() - 3].offset_bytes < headers);
        CHECK(all[all.size() - 2].offset_bytes >= headers);
        for (const std::uint64_t job_residues : kJobs) {
            for (const unsigned threads : {1u, 4u}) {
                const auto again = check(file, threads, job_residues, true).faults;
                REQUIRE(again.size() == all.size());
                for (std::size_t i = 0; i < all.size(); ++i) {
                    CHECK(again[i].offset_bytes == all[i].offset_bytes);
                    CHECK(again[i].what == all[i].what);
                }
                const auto first = check(file, threads, job_residues, false).faults;
                REQUIRE(first.size() == 1);
                CHECK(first[0].offset_bytes == all[0].offset_bytes);
            }
        }
    }
}
