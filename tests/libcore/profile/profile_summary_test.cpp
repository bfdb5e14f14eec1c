// Figures of profiles. The expected values are those that hmmstat of HMMER 3.3.2 passes to printf.
#include "libcore/profile/profile_summary.h"

#include <doctest/doctest.h>

#include <cmath>

#include "formats/profiles/hmm_file.h"
#include "libcore/statistics/null_model.h"
#include "tests/support/golden_folder.h"

namespace warpseq {
namespace {

ProfileHmm golden(const char* name) {
    HmmFileReader reader(testing::golden_folder() / "hmm" / name);
    ProfileHmm hmm;
    REQUIRE(*reader.next(hmm));
    return hmm;
}

/// Returns a profile whose match states emit background residues and follow each other.
ProfileHmm background_profile(int nodes) {
    ProfileHmm hmm;
    hmm.length = nodes;
    const auto count = static_cast<std::size_t>(nodes) + 1;
    hmm.match.assign(count, kBackgroundFrequencies);
    hmm.insert.assign(count, kBackgroundFrequencies);
    hmm.transitions.assign(count, {1, 0, 0, 0.5F, 0.5F, 1, 0});
    return hmm;
}

TEST_CASE("figures have the bits of HMMER's") {
    const ProfileSummary every_field = summary_of(golden("every-field-3f.hmm"));
    CHECK(every_field.relative_entropy_bits == 0x1.4a1c64c352517p+1);
    CHECK(every_field.information_bits == 0x1.18768a1745d18p+1);
    CHECK(every_field.position_entropy_bits == 0x1.3d2eb6d1149e2p+1);
    CHECK(every_field.composition_entropy_bits == 0x1.f1795ap-2F);
    const ProfileSummary small = summary_of(golden("built-small.hmm"));
    CHECK(small.relative_entropy_bits == 0x1.a519524f3bp+0);
    CHECK(small.information_bits == 0x1.89d556aaaaaaap+0);
    CHECK(small.position_entropy_bits == 0x1.5e873927bd32fp+0);
    CHECK(small.composition_entropy_bits == 0x1.0954a6p-2F);
}

TEST_CASE("a profile that emits the background tells nothing") {
    const ProfileSummary summary = summary_of(background_profile(3));
    CHECK(summary.relative_entropy_bits == 0);
    CHECK(std::abs(summary.information_bits) < 1e-6);
    CHECK(std::abs(summary.composition_entropy_bits) < 1e-6F);
    // Each transition from match to match is a little likelier than the null model's.
    CHECK(summary.position_entropy_bits == doctest::Approx(std::log2(351.0 / 350.0)).epsilon(1e-4));
}

TEST_CASE("a profile without transitions between match states has no mean score of them") {
    CHECK(std::isnan(summary_of(background_profile(1)).position_entropy_bits));
    ProfileHmm hmm = background_profile(2);
    hmm.transitions[1] = {0, 1, 0, 1, 0, 1, 0};
    CHECK_FALSE(std::isfinite(summary_of(hmm).position_entropy_bits));
}

}  // namespace
}  // namespace warpseq
