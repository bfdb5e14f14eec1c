// Alignments in log space. They are those of the odds if these do not overflow. Sequences with
// several domains, whose odds overflow, have alignments, too.
#include "kernels/profile/log_space_alignment.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "libcore/base/random.h"
#include "tests/support/random_profile.h"

namespace warpseq::testing {
namespace {

EnvelopeTask task_of(const Sequence& sequence) {
    EnvelopeTask task;
    task.envelope = sequence;
    task.length_model = LengthModel::unihit(sequence.size());
    task.wants_null2 = false;
    task.wants_flanks = true;
    return task;
}

TEST_CASE("one domain: the path that the odds give, and about their probabilities") {
    Random random(5);
    for (const int nodes : {1, 2, 9, 40, 120}) {
        CAPTURE(nodes);
        const ProfileHmm hmm = random_profile(random, nodes);
        const Plan7Profile profile = configure_plan7(hmm);
        const auto kernels = make_forward_backward(CpuBackend::kReference, forward_odds(profile));
        for (int x = 0; x < 5; ++x) {
            Sequence sequence = emitted(random, hmm, 1, static_cast<std::size_t>(nodes));
            for (int flank = 0; flank < 7; ++flank)
                sequence.insert(flank % 2 == 0 ? sequence.begin() : sequence.end(),
                                static_cast<ResidueCode>(random.below(kAminoAcids)));
            EnvelopeTask odds = task_of(sequence), logs = task_of(sequence), *const tasks[] = {&odds};
            kernels->decode_envelopes(tasks, *kernels->make_workspace());
            REQUIRE(odds.in_range);
            REQUIRE(align_in_log_space(profile, logs));
            CHECK(std::abs(odds.forward_nats - logs.forward_nats) < 0.05f);
            CHECK(std::abs(odds.expected_accuracy - logs.expected_accuracy) < 0.5f);
            // Both have the same steps among the nearly certain ones.
            const auto certain = [](const std::vector<TraceStep>& trace) {
                std::vector<TraceStep> steps;
                std::ranges::copy_if(trace, std::back_inserter(steps),
                                     [](const TraceStep& step) { return step.posterior > 0.9f; });
                return steps;
            };
            for (const TraceStep& step : certain(odds.trace)) {
                const auto same = std::ranges::find_if(logs.trace, [&](const TraceStep& other) {
                    return other.state == step.state && other.node == step.node && other.residue == step.residue;
                });
                REQUIRE(same != logs.trace.end());
                CHECK(std::abs(same->posterior - step.posterior) < 0.02f);
            }
            REQUIRE(logs.flank_posteriors.size() == sequence.size());
            for (const TraceStep& step : logs.trace)
                if (step.state != TraceState::kDelete)
                    CHECK(logs.flank_posteriors[static_cast<std::size_t>(step.residue - 1)] == 0);
        }
    }
}

TEST_CASE("many domains: one is chosen, where the odds overflow") {
    Random random(7);
    const ProfileHmm hmm = random_profile(random, 200);
    const Plan7Profile profile = configure_plan7(hmm);
    Sequence sequence;
    for (int copy = 0; copy < 6; ++copy) {
        const Sequence domain = emitted(random, hmm, 1, 200);
        sequence.insert(sequence.end(), domain.begin(), domain.end());
    }
    const auto kernels = make_forward_backward(CpuBackend::kReference, forward_odds(profile));
    EnvelopeTask odds = task_of(sequence), logs = task_of(sequence), *const tasks[] = {&odds};
    kernels->decode_envelopes(tasks, *kernels->make_workspace());
    CHECK_FALSE(odds.in_range);
    REQUIRE(align_in_log_space(profile, logs));
    REQUIRE_FALSE(logs.trace.empty());
    CHECK(logs.trace.front().state == TraceState::kMatch);
    CHECK(logs.trace.back().state == TraceState::kMatch);
    CHECK(std::isfinite(logs.forward_nats));
}

TEST_CASE("targets that cannot be matched cannot be aligned") {
    Random random(8);
    const Plan7Profile profile = configure_plan7(random_profile(random, 20));
    const Sequence stops(5, kCodeStop), none;
    EnvelopeTask task = task_of(stops), empty = task_of(none);
    CHECK_FALSE(align_in_log_space(profile, task));
    CHECK_FALSE(align_in_log_space(profile, empty));
}

}  // namespace
}  // namespace warpseq::testing
