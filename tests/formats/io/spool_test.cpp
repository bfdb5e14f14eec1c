// Spooled columns come back byte for byte, from memory and from disk.
#include "formats/io/spool.h"

#include <doctest/doctest.h>
#include <xxhash.h>

#include <vector>

#include "libcore/base/random.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;

TEST_CASE("a spool gives back what was appended, and its checksum") {
    const testing::ScratchFolder folder;
    for (const std::uint64_t memory_bytes : {std::uint64_t{1}, std::uint64_t{1} << 16, std::uint64_t{64} << 20}) {
        CAPTURE(memory_bytes);
        Random random(memory_bytes);
        Spool spool(memory_bytes, folder.path("."));
        std::vector<std::uint8_t> expected;
        for (const std::size_t size : {0u, 1u, 8u, 100000u, 3u, 2000000u, 0u, 65536u, 7u}) {
            std::vector<std::uint8_t> part(size);
            for (auto& byte : part) byte = static_cast<std::uint8_t>(random.below(256));
            REQUIRE(spool.append(part).ok());
            expected.insert(expected.end(), part.begin(), part.end());
        }
        CHECK(spool.size_bytes() == expected.size());
        std::vector<std::uint8_t> found;
        REQUIRE(spool
                    .drain([&](std::span<const std::uint8_t> part) {
                        found.insert(found.end(), part.begin(), part.end());
                        return Status();
                    })
                    .ok());
        CHECK(found == expected);
    }
}

TEST_CASE("an error of the sink stops the draining and comes back") {
    const testing::ScratchFolder folder;
    Spool spool(1 << 16, folder.path("absent"));
    REQUIRE(spool.append(std::vector<std::uint8_t>(100)).ok());
    const Status status = spool.drain([](std::span<const std::uint8_t>) { return Status::io("full"); });
    CHECK(status.message() == "full");
}

TEST_CASE("no room in memory and no folder is an error") {
    const testing::ScratchFolder folder;
    Spool spool(1 << 16, folder.path("absent"));
    const Status status = spool.append(std::vector<std::uint8_t>(1 << 17));
    REQUIRE_FALSE(status.ok());
    CHECK(status.message().find(folder.path("absent").string()) != std::string::npos);
}
