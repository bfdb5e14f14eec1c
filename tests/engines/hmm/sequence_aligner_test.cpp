// Alignments of whole sequences to a profile, on any number of threads. Also, rows of the alignment
// from which a profile was made.
#include "engines/hmm/sequence_aligner.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "engines/hmm/mapped_alignment.h"
#include "libcore/base/random.h"
#include "libcore/profile/aligned_rows.h"
#include "tests/support/hmm_report_samples.h"
#include "tests/support/random_profile.h"

namespace warpseq::testing {
namespace {

std::vector<AlignedSequence> sample_sequences(Random& random, const ProfileHmm& hmm) {
    std::vector<AlignedSequence> sequences(40);
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        sequences[i].name = "s" + std::to_string(i);
        if (i % 10 == 3) continue;  // empty
        sequences[i].residues = emitted(random, hmm, 1, static_cast<std::size_t>(hmm.length));
        if (i % 7 == 2) sequences[i].residues.resize(1 + i);
    }
    return sequences;
}

TEST_CASE("threads and back ends change nothing; every residue has its place") {
    Random random(3);
    const ProfileHmm hmm = random_profile(random, 30);
    std::vector<std::vector<std::string>> all;
    for (const auto& [backend, threads] : {std::pair(CpuBackend::kReference, 1U), std::pair(CpuBackend::kPortable, 1U),
                                           std::pair(CpuBackend::kPortable, 4U)}) {
        Random same(4);
        std::vector<AlignedSequence> sequences = sample_sequences(same, hmm);
        const ThreadPool pool(threads);
        REQUIRE(SequenceAligner(hmm, backend).align(sequences, pool).ok());
        const MultipleAlignment alignment = align_sequences(hmm, sequences, false);
        std::vector<std::string> rows;
        for (std::size_t i = 0; i < sequences.size(); ++i) {
            rows.push_back(alignment.rows[i].residues + alignment.rows[i].posteriors);
            std::string letters;
            for (const char c : alignment.rows[i].residues)
                if (std::isalpha(static_cast<unsigned char>(c)) != 0) letters += static_cast<char>(std::toupper(c));
            CHECK(letters == decode_residues(sequences[i].residues));
        }
        all.push_back(rows);
    }
    CHECK(all[0] == all[1]);
    CHECK(all[0] == all[2]);
}

TEST_CASE("a sequence without any alignment is named, and a stop ends the work") {
    Random random(3);
    const ProfileHmm hmm = random_profile(random, 30);
    std::vector<AlignedSequence> sequences(2);
    sequences[0].residues = encode_residues("ACDEF");
    sequences[1].name = "stops";
    sequences[1].residues = encode_residues("***");
    const ThreadPool pool(1);
    const Status status = SequenceAligner(hmm, CpuBackend::kPortable).align(sequences, pool);
    REQUIRE_FALSE(status.ok());
    CHECK(status.message().find("sequence stops cannot be aligned") != std::string::npos);
    std::stop_source stop;
    stop.request_stop();
    CHECK(SequenceAligner(hmm, CpuBackend::kPortable).align({sequences.data(), 1}, pool, stop.get_token()).code() ==
          StatusCode::kInterrupted);
}

MultipleAlignment training() {
    MultipleAlignment alignment;
    alignment.rows.resize(3);
    const char* const rows[] = {"wA.Cd", "-A-C-", "~~vC~"};
    for (std::size_t i = 0; i < 3; ++i) {
        alignment.rows[i].name = "r" + std::to_string(i);
        alignment.rows[i].residues = rows[i];
    }
    return alignment;
}

TEST_CASE("rows of the training alignment keep their columns") {
    const MultipleAlignment alignment = training();
    ProfileHmm hmm = named_profile("m", "ac");
    hmm.map = {2, 4};
    hmm.checksum = AlignedRows::from(alignment)->checksum();
    const auto mapped = map_alignment(hmm, alignment, "file", "--mapali");
    REQUIRE(mapped.ok());
    const MultipleAlignment again = align_sequences(hmm, *mapped, false);
    CHECK(again.rows[0].residues == "wA.Cd");
    CHECK(again.rows[1].residues == ".A.C.");
    CHECK(again.rows[2].residues == "~~vC~");
    CHECK(again.rows[0].posteriors.empty());
}

TEST_CASE("another alignment, a profile that does not know its own, missing data between residues") {
    MultipleAlignment alignment = training();
    ProfileHmm hmm = named_profile("m", "ac");
    CHECK(map_alignment(hmm, alignment, "f", "--mapali").status().message() ==
          "HMM has no checksum. --mapali unreliable without it.");
    hmm.checksum = AlignedRows::from(alignment)->checksum();
    CHECK(map_alignment(hmm, alignment, "f", "--mapali").status().message() ==
          "HMM has no map. --mapali can't work without it.");
    hmm.map = {2, 9};
    CHECK_FALSE(map_alignment(hmm, alignment, "f", "--mapali").ok());
    hmm.map = {2, 4};
    alignment.rows[0].residues = "wA.Ce";
    CHECK(map_alignment(hmm, alignment, "f", "--mapali").status().message() ==
          "--mapali MSA f isn't same as the one HMM came from (checksum mismatch)");
    alignment.rows[0].residues = "wA~Cd";
    hmm.checksum = AlignedRows::from(alignment)->checksum();
    CHECK(map_alignment(hmm, alignment, "f", "--mapali").status().message().find("missing data") != std::string::npos);
}

}  // namespace
}  // namespace warpseq::testing
