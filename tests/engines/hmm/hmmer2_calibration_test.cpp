// Profiles of HMMER2 with the statistics that HMMER 3.3.2's hmmconvert gives them:
// tests/golden/hmm/every-field-2-as-3f.hmm.
#include "engines/hmm/hmmer2_calibration.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "engines/hmm/hmm_query_reader.h"
#include "formats/profiles/hmm_file.h"
#include "formats/profiles/hmm_writer.h"
#include "libcore/base/thread_pool.h"
#include "tests/support/golden_folder.h"

namespace warpseq {
namespace {

std::vector<ProfileHmm> read(const char* name) {
    HmmFileReader reader(testing::golden_folder() / "hmm" / name);
    std::vector<ProfileHmm> profiles;
    for (ProfileHmm hmm;;) {
        const Result<bool> got = reader.next(hmm);
        REQUIRE_MESSAGE(got.ok(), got.status().message());
        if (!*got) return profiles;
        profiles.push_back(hmm);
    }
}

std::string text_of(const ProfileHmm& hmm) {
    std::string text;
    append_hmm(hmm, text);
    return text;
}

}  // namespace

TEST_CASE("profiles of HMMER2 get the statistics of hmmconvert, on every back end") {
    const std::vector<ProfileHmm> expected = read("every-field-2-as-3f.hmm");
    for (const CpuBackend backend : runnable_cpu_backends()) {
        CAPTURE(cpu_backend_name(backend));
        Hmmer2Calibrator calibrator(backend);
        std::vector<ProfileHmm> profiles = read("every-field-2.hmm");
        REQUIRE(profiles.size() == expected.size());
        for (std::size_t p = 0; p < profiles.size(); ++p) {
            REQUIRE(calibrator.complete(profiles[p]).ok());
            CHECK(text_of(profiles[p]) == text_of(expected[p]));
        }
    }
}

TEST_CASE("profiles of HMMER 3 stay as they are, even without statistics") {
    ProfileHmm hmm = read("every-field-3f.hmm")[0];
    hmm.statistics.reset();
    REQUIRE(Hmmer2Calibrator().complete(hmm).ok());
    CHECK(!hmm.statistics);
}

TEST_CASE("a profile whose match states cannot be entered has no statistics") {
    ProfileHmm hmm = read("every-field-2.hmm")[1];
    hmm.transitions[0] = {0, 0, 1, 1, 0, 1, 0};
    hmm.transitions[1][kDeleteMatch] = 0;
    hmm.transitions[1][kDeleteDelete] = 1;
    const Status status = Hmmer2Calibrator().complete(hmm);
    CHECK(status.message().find("profile 'bare': its transitions lead to no match state") == 0);
}

TEST_CASE("searches calibrate profiles of HMMER2 with HMMER's seed, whatever theirs is") {
    const std::vector<ProfileHmm> expected = read("every-field-2-as-3f.hmm");
    HmmQuerySettings settings;
    settings.file = testing::golden_folder() / "hmm" / "every-field-2.hmm";
    settings.calibration.seed = 7;
    settings.calibration.msv_sequences = 50;
    const ThreadPool pool(2);
    auto reader = HmmQueryReader::open(settings, {}, pool);
    REQUIRE(reader.ok());
    const auto batch = reader->next_batch();
    REQUIRE_MESSAGE(batch.ok(), batch.status().message());
    REQUIRE(batch->size() == expected.size());
    for (std::size_t p = 0; p < expected.size(); ++p) CHECK(text_of((*batch)[p]) == text_of(expected[p]));
}

}  // namespace warpseq
