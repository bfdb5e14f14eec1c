// The external sort. Its order and bytes are the same with much memory and with very little.
#include "formats/io/external_sort.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "libcore/base/random.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;

namespace {

struct Record {
    SortKey key;
    std::string payload;
    bool operator==(const Record&) const = default;
};

std::span<const std::uint8_t> bytes_of(const std::string& text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::vector<Record> random_records(std::uint64_t seed, std::size_t count, std::uint64_t longest) {
    Random random(seed);
    std::vector<Record> records(count);
    for (std::size_t i = 0; i < count; ++i) {
        records[i].key = {random.below(50), i};
        records[i].payload.resize(random.below(longest + 1));
        for (char& c : records[i].payload) c = static_cast<char>(random.below(256));
    }
    return records;
}

struct Sorted {
    std::vector<Record> records;
    std::uint64_t spilled_bytes = 0;
};

Sorted sort_all(const std::vector<Record>& records, std::uint64_t memory_bytes, const std::filesystem::path& folder,
                std::size_t release_every) {
    ExternalSort sort(memory_bytes, folder);
    for (const Record& record : records) {
        const std::string head = record.payload.substr(0, record.payload.size() / 2);
        const std::string tail = record.payload.substr(head.size());
        REQUIRE(sort.add(record.key, {bytes_of(head), bytes_of(tail)}).ok());
    }
    CHECK(sort.items() == records.size());
    REQUIRE(sort.finish().ok());
    Sorted sorted;
    std::vector<SortItem> held;  // payloads have to stay as they are until release()
    const auto take = [&] {
        for (const SortItem& item : held) {
            sorted.records.push_back({item.key, std::string(item.payload.begin(), item.payload.end())});
        }
        held.clear();
        sort.release();
    };
    for (;;) {
        SortItem item;
        const auto more = sort.next(item);
        REQUIRE(more.ok());
        if (!*more) break;
        held.push_back(item);
        if (held.size() == release_every) take();
    }
    take();
    sorted.spilled_bytes = sort.spilled_bytes();
    return sorted;
}

}  // namespace

TEST_CASE("no items in, no items out") {
    const testing::ScratchFolder folder;
    const Sorted sorted = sort_all({}, 1 << 20, folder.path("."), 1);
    CHECK(sorted.records.empty());
    CHECK(sorted.spilled_bytes == 0);
}

TEST_CASE("items that fit in memory are sorted without a file") {
    const testing::ScratchFolder folder;
    const auto records = random_records(1, 5000, 40);
    auto expected = records;
    std::ranges::sort(expected, {}, &Record::key);
    // A folder that does not exist: a temporary file would be an error.
    const Sorted sorted = sort_all(records, 64 << 20, folder.path("absent"), 7);
    CHECK(sorted.spilled_bytes == 0);
    CHECK(sorted.records == expected);
}

TEST_CASE("items that do not fit are merged from runs, in several passes if necessary") {
    const testing::ScratchFolder folder;
    // 12 MB in 1 MiB: about 20 runs, of which 8 are merged at a time.
    const auto records = random_records(2, 60000, 400);
    auto expected = records;
    std::ranges::sort(expected, {}, &Record::key);
    std::uint64_t payload_bytes = 0;
    for (const Record& record : records) payload_bytes += record.payload.size() + 24;
    const Sorted sorted = sort_all(records, 1 << 20, folder.path("."), 100);
    CHECK(sorted.records == expected);
    CHECK_MESSAGE(sorted.spilled_bytes >= 2 * payload_bytes, "a second pass writes everything once more");
    CHECK_MESSAGE(std::filesystem::is_empty(folder.path(".")), "temporary files have no name");
}

TEST_CASE("payloads larger than all memory pass through") {
    const testing::ScratchFolder folder;
    auto records = random_records(3, 40, 300000);
    records[5].payload.assign(3 << 20, 'x');
    auto expected = records;
    std::ranges::sort(expected, {}, &Record::key);
    const Sorted sorted = sort_all(records, 1 << 20, folder.path("."), 3);
    CHECK(sorted.spilled_bytes > 0);
    CHECK(sorted.records == expected);
}

TEST_CASE("keys compare as numbers, the first before the second") {
    const testing::ScratchFolder folder;
    const std::vector<Record> records = {
        {{~std::uint64_t{0}, 0}, "last"}, {{0, 1}, "b"}, {{0, 0}, "a"}, {{256, 0}, "d"}, {{1, 0}, "c"}};
    const Sorted sorted = sort_all(records, 1 << 20, folder.path("."), 2);
    std::string order;
    for (const Record& record : sorted.records) order += record.payload;
    CHECK(order == "abcdlast");
}

TEST_CASE("a folder where no file can be made is an error that says what to do") {
    const testing::ScratchFolder folder;
    ExternalSort sort(1 << 20, folder.path("absent"));
    const std::string payload(100000, 'x');
    Status status;
    for (std::uint64_t i = 0; i < 100 && status.ok(); ++i) status = sort.add({0, i}, {bytes_of(payload)});
    REQUIRE_FALSE(status.ok());
    CHECK(status.message().find(folder.path("absent").string()) != std::string::npos);
    CHECK(status.message().find("TMPDIR") != std::string::npos);
}

TEST_CASE("heads and their payloads, brought in groups, are what comes one by one") {
    const testing::ScratchFolder folder;
    const ThreadPool pool(3);
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{3000}, std::size_t{120'000}}) {
        std::vector<Record> records = random_records(11, count, count > 100'000 ? 20 : 900);
        ExternalSort in_memory(std::uint64_t{64} << 20, folder.path("."), &pool);
        ExternalSort spilled(1 << 20, folder.path("."), &pool);
        for (const Record& record : records) {
            REQUIRE(in_memory.add(record.key, {bytes_of(record.payload)}).ok());
            REQUIRE(spilled.add(record.key, {bytes_of(record.payload)}).ok());
        }
        std::ranges::sort(records, {}, &Record::key);
        for (ExternalSort* sort : {&in_memory, &spilled}) {
            REQUIRE(sort->finish(std::uint64_t{16} << 20).ok());
            SortPayloads loaded;
            std::vector<SortHead> heads;
            std::size_t done = 0;
            Random random(3);
            for (bool more = true; more;) {
                heads.clear();
                for (std::uint64_t i = 0; more && i <= random.below(500); ++i) {
                    SortHead head;
                    const auto next = sort->next_head(head);
                    REQUIRE(next.ok());
                    more = *next;
                    if (more) heads.push_back(head);
                }
                REQUIRE(sort->load(heads, loaded).ok());
                for (std::size_t i = 0; i < heads.size(); ++i, ++done) {
                    REQUIRE(done < records.size());
                    REQUIRE(heads[i].key == records[done].key);
                    REQUIRE(std::string(loaded.payloads[i].begin(), loaded.payloads[i].end()) == records[done].payload);
                }
            }
            CHECK(done == records.size());
        }
        CHECK(in_memory.spilled_bytes() == 0);
        if (count >= 3000) CHECK(spilled.spilled_bytes() > 0);
    }
}

TEST_CASE("less memory than what is held spills in the end, to the same order") {
    const testing::ScratchFolder folder;
    const std::vector<Record> records = random_records(12, 20'000, 200);
    ExternalSort sort(std::uint64_t{16} << 20, folder.path("."));
    for (const Record& record : records) REQUIRE(sort.add(record.key, {bytes_of(record.payload)}).ok());
    CHECK(sort.spilled_bytes() == 0);
    sort.set_memory(1 << 20);
    REQUIRE(sort.finish().ok());
    CHECK(sort.spilled_bytes() > 1'000'000);
    std::vector<Record> expected = records;
    std::ranges::sort(expected, {}, &Record::key);
    for (const Record& record : expected) {
        SortItem item;
        const auto more = sort.next(item);
        REQUIRE((more.ok() && *more));
        REQUIRE(item.key == record.key);
        REQUIRE(std::string(item.payload.begin(), item.payload.end()) == record.payload);
        sort.release();
    }
}
