// What a session decides before any engine runs.
#include "engines/session.h"

#include <doctest/doctest.h>

#include "tests/support/scratch_folder.h"

using namespace warpseq;

TEST_CASE("a GPU is worth opening for much FASTA, or for many queries") {
    constexpr std::uint64_t kMillion = 1'000'000;
    for (const unsigned threads : {1U, 16U}) {
        for (const std::uint64_t query : {0U, 1U, 400U}) {
            CHECK_FALSE(Session::is_worth_a_gpu(query, 0, threads));
            CHECK_FALSE(Session::is_worth_a_gpu(query, 10 * kMillion, threads));
            CHECK(Session::is_worth_a_gpu(query, 10 * kMillion + 1, threads));
        }
        CHECK_FALSE(Session::is_worth_a_gpu(4'000 * threads, kMillion, threads));
        CHECK(Session::is_worth_a_gpu(4'000 * threads, kMillion + 1, threads));
        CHECK(Session::is_worth_a_gpu(4'000 * kMillion * threads + 1, 1, threads));
        CHECK_FALSE(Session::is_worth_a_gpu(~std::uint64_t{0}, 0, threads));
    }
}

TEST_CASE("a session of small FASTA is the CPU's on every machine, unless the queries are many") {
    const testing::ScratchFolder folder;
    SessionSettings settings;
    settings.database_files = {folder.write("targets.fasta", ">a\nMKVLAWCDEF\n")};
    settings.threads = 1;
    const auto session = Session::open(settings);
    REQUIRE(session.ok());
    CHECK((*session)->gpus().empty());
    CHECK((*session)->device_note().empty());
    CHECK((*session)->databases().sequence_count() == 1);
}
