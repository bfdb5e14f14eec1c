// Queries of a profile search that cannot be read, and those that have no residues.
#include "engines/hmm/hmm_query_reader.h"

#include <doctest/doctest.h>

#include "engines/hmm/hmm_sequence_batch.h"
#include "tests/support/scratch_folder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

constexpr const char* kTwoOfThree =
    ">one\nMKVLAWCDEFGHIKLMNPQRSTVWY\n>two\nMKVLAWCDEFGHIKLMNPQRSTVWAAAG\n>three\nMKVLAW1CDEF\n";

HmmQueryReader reader_of(const ScratchFolder& folder, std::string_view sequences, const ThreadPool& pool) {
    HmmQuerySettings settings;
    settings.file = folder.write("q.fasta", sequences);
    settings.calibration.msv_sequences = settings.calibration.viterbi_sequences = 20;
    settings.calibration.forward_sequences = 20;
    auto reader = HmmQueryReader::open(settings, {}, pool);
    REQUIRE_MESSAGE(reader.ok(), reader.status().message());
    return *std::move(reader);
}

}  // namespace

TEST_CASE("queries before one that cannot be read are returned first") {
    const ScratchFolder folder;
    const ThreadPool pool(1);
    HmmQueryReader reader = reader_of(folder, kTwoOfThree, pool);
    const auto batch = reader.next_batch();
    REQUIRE_MESSAGE(batch.ok(), batch.status().message());
    REQUIRE(batch->size() == 2);
    CHECK((*batch)[1].name == "two");
    for (int again = 0; again < 2; ++again) {
        const auto failed = reader.next_batch();
        REQUIRE_FALSE(failed.ok());
        CHECK(failed.status().message().find("q.fasta: line 6") != std::string::npos);
    }
}

TEST_CASE("sequences to scan before one that cannot be read are returned first") {
    const ScratchFolder folder;
    SessionSettings settings;
    settings.device.kind = DeviceRequest::Kind::kCpu;
    settings.threads = 1;
    const auto machine = *Session::open(settings);
    HmmSequenceReader reader(folder.write("q.fasta", kTwoOfThree), {});
    const auto batch = reader.next_batch(*machine);
    REQUIRE_MESSAGE(batch.ok(), batch.status().message());
    REQUIRE(batch->has_value());
    CHECK((*batch)->size() == 2);
    for (int again = 0; again < 2; ++again) CHECK_FALSE(reader.next_batch(*machine).ok());
}

TEST_CASE("whether the first query has residues") {
    const ScratchFolder folder;
    const ThreadPool pool(1);
    for (const auto& [sequences, is_empty] : {std::pair(">none\n>one\nMKVLAWCDEFGHIKLMNPQRSTVWY\n", true),
                                              std::pair(">one\nMKVLAWCDEFGHIKLMNPQRSTVWY\n>none\n", false)}) {
        HmmQueryReader reader = reader_of(folder, sequences, pool);
        const auto batch = reader.next_batch();
        REQUIRE_MESSAGE(batch.ok(), batch.status().message());
        REQUIRE(batch->size() == 1);
        CHECK((*batch)[0].name == "one");
        CHECK(reader.first_is_empty() == is_empty);
    }
}

TEST_CASE("a file that begins like profiles is read as sequences if nothing else is wanted") {
    const ScratchFolder folder;
    const ThreadPool pool(1);
    HmmQuerySettings settings;
    settings.file = folder.write("q.fasta", "# a comment\n");
    const auto either = HmmQueryReader::open(settings, {}, pool);
    REQUIRE(either.ok());
    CHECK(either->kind() == HmmQueryKind::kProfile);
    settings.takes_profiles = false;
    const auto sequences = HmmQueryReader::open(settings, {}, pool);
    REQUIRE(sequences.ok());
    CHECK(sequences->kind() == HmmQueryKind::kSequence);
}
