// The decisions of a GPU's filters, on the host.
#include "kernels/profile/filter_verdict_gpu.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/profile/msv_filter_reference.h"
#include "tests/support/random_profile.h"
#include "tests/support/random_proteins.h"

using namespace warpseq;
using namespace warpseq::cuda;
using namespace warpseq::testing;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

/// SSV as ssv_kernel_gpu.cuh counts it.
int from_begin(const MsvProfile& profile, const Sequence& target) {
    const auto length = static_cast<std::size_t>(profile.length);
    std::vector<int> row(length + 1, 0);
    int best = 0;
    for (const ResidueCode residue : target) {
        for (std::size_t k = length; k >= 1; --k) {
            row[k] = std::max(0, row[k - 1] + profile.bias - profile.match_costs[residue * length + k - 1]);
            best = std::max(best, row[k]);
        }
    }
    return std::min(best, 255);
}

}  // namespace

TEST_CASE("the MSV result that SSV gives is the reference's, or undecided where that is") {
    Random random(3);
    std::size_t decided = 0, undecided = 0, overflows = 0;
    for (const int length : {1, 5, 40, 200, 2000}) {
        const ProfileHmm hmm = random_profile(random, length);
        const MsvProfile profile = quantise_msv(configure_plan7(hmm));
        for (int t = 0; t < 60; ++t) {
            Sequence target = random_protein(
                random, 1 + random.below(t % 10 == 0 ? 30'000 / static_cast<std::uint64_t>(length) + 1 : 300));
            for (std::uint64_t copies = random.below(4); copies > 0; --copies) {
                const auto nodes = static_cast<std::size_t>(length);
                const Sequence planted = emitted(random, hmm, 1, 1 + random.below(std::min<std::uint64_t>(nodes, 60)));
                target.insert(target.end(), planted.begin(), planted.end());
            }
            const auto expected = reference_ssv(profile, target);
            const std::int16_t found = msv_of_ssv({profile.bias, profile.enter, profile.end},
                                                  MsvProfile::move(target.size()), from_begin(profile, target));
            CHECK(found == expected.value_or(kUndecided));
            ++(expected ? decided : undecided);
            overflows += found == kMsvOverflow;
        }
    }
    CHECK(decided > 50);
    CHECK(undecided > 20);
    CHECK(overflows > 0);
}

TEST_CASE("a score about a threshold: sure, unsure, and what is not finite") {
    // The limit is 10 bits.
    const float nats = 10 * std::log(2.0F) - 5, null_nats = -5;
    CHECK(judge(nats, null_nats, 9.99F, 0) == Verdict::kPasses);
    CHECK(judge(nats, null_nats, 10.01F, 0) == Verdict::kFails);
    CHECK(judge(nats, null_nats, 10, 0) == Verdict::kUnsure);
    CHECK(judge(nats, null_nats, 9.99F, 0.1F) == Verdict::kUnsure);
    CHECK(judge(nats, null_nats, 10.01F, 0.1F) == Verdict::kUnsure);
    CHECK(judge(nats, null_nats, 9, 0.1F) == Verdict::kPasses);
    CHECK(judge(nats, null_nats, 11, 0.1F) == Verdict::kFails);
    // The cases are: everything passes, only an overflow does, and nothing does.
    CHECK(judge(nats, null_nats, -kInfinity, 0.1F) == Verdict::kPasses);
    CHECK(judge(-kInfinity, null_nats, -kInfinity, 0.1F) == Verdict::kPasses);
    CHECK(judge(nats, null_nats, kInfinity, 0.1F) == Verdict::kFails);
    CHECK(judge(kInfinity, null_nats, kInfinity, 0.1F) == Verdict::kPasses);
    CHECK(judge(kInfinity, null_nats, 20, 0.1F) == Verdict::kPasses);
    CHECK(judge(-kInfinity, null_nats, 20, 0.1F) == Verdict::kFails);
    CHECK(judge(kInfinity, null_nats, kNan, 0.1F) == Verdict::kFails);
    CHECK(judge(nats, null_nats, kNan, kInfinity) == Verdict::kFails);
    // The cases are no proven margin, no score of the null model, and no score.
    CHECK(judge(nats, null_nats, 0, kInfinity) == Verdict::kUnsure);
    CHECK(judge(nats, null_nats, 1000, kInfinity) == Verdict::kUnsure);
    CHECK(judge(nats, kInfinity, 0, 0) == Verdict::kUnsure);
    CHECK(judge(kInfinity, kInfinity, 0, 0) == Verdict::kUnsure);
    CHECK(judge(kNan, null_nats, 0, 0) == Verdict::kUnsure);
}
