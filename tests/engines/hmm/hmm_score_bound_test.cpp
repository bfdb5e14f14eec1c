#include "engines/hmm/hmm_score_bound.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "engines/hmm/hmm_pipeline.h"
#include "tests/support/random_profile.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr HmmStatistics kUsual{-8.1F, 0.71F, -9.3F, 0.69F, -3.6F, 0.7F};

/// Counts of scores and of their distances from their bounds.
struct Seen {
    std::size_t bounded = 0, unbounded = 0, above_forward = 0;
    float least_slack_bits = kInfinity;
};

HmmPipelineSettings everything_passes(bool null2) {
    HmmPipelineSettings settings;
    settings.max = true;
    settings.f1 = settings.f2 = settings.f3 = 1;
    settings.bias_filter = false;
    settings.null2 = null2;
    return settings;
}

void check_bounds(const HmmPipeline& pipeline, const std::vector<Sequence>& sequences, Seen& seen) {
    const auto workspace = pipeline.forward_backward().make_workspace();
    std::vector<HmmPipeline::Target> targets;
    for (const Sequence& sequence : sequences) {
        HmmCandidate candidate;
        pipeline.score_null_models(sequence, candidate);
        targets.push_back({sequence, candidate});
    }
    std::vector<HmmPipeline::Decoded> decoded = pipeline.find_regions(targets, *workspace);
    for (std::size_t t = 0; t < targets.size(); ++t) {
        if (!decoded[t].regions) continue;
        const HmmScoreBound bound = pipeline.score_bound(*decoded[t].regions, targets[t]);
        const float forward_bits = bits_of(decoded[t].regions->forward_nats - targets[t].candidate.null_nats);
        const bool several = std::ranges::any_of(decoded[t].regions->found.regions, &Region::several_domains);
        HmmRegions* regions[] = {&*decoded[t].regions};
        const auto hits = pipeline.score_regions(std::span(&targets[t], 1), regions, *workspace);
        if (!hits[0]) continue;
        if (std::isinf(bound.most_bits)) {
            ++seen.unbounded;
            continue;
        }
        ++seen.bounded;
        CHECK_FALSE(several);
        CHECK(hits[0]->overlapping_envelopes == 0);
        CHECK(hits[0]->score_bits <= bound.most_bits);
        CHECK(hits[0]->log_pvalue >= bound.least_log_pvalue);
        seen.above_forward += hits[0]->score_bits > forward_bits;
        seen.least_slack_bits = std::min(seen.least_slack_bits, bound.most_bits - hits[0]->score_bits);
    }
}

/// Returns pieces of the model, with or without residues between them.
Sequence pieces(Random& random, const ProfileHmm& hmm, std::uint64_t count, std::uint64_t most_between) {
    Sequence sequence = random_protein(random, random.below(most_between + 1));
    const auto nodes = static_cast<std::size_t>(hmm.length);
    for (; count > 0; --count) {
        const std::size_t first = 1 + random.below(nodes), last = first + random.below(nodes - first + 1);
        const Sequence piece = emitted(random, hmm, first, last);
        sequence.insert(sequence.end(), piece.begin(), piece.end());
        const Sequence between = random_protein(random, random.below(most_between + 1));
        sequence.insert(sequence.end(), between.begin(), between.end());
    }
    return sequence;
}

}  // namespace

TEST_CASE("no score exceeds its bound: one residue, two, repeats, pieces far apart") {
    Random random(31);
    Seen seen;
    for (const bool null2 : {false, true}) {
        for (const int length : {1, 2, 3, 8, 40, 150}) {
            for (int model = 0; model < 6; ++model) {
                ProfileHmm hmm = random_profile(random, length);
                hmm.statistics = kUsual;
                const HmmPipeline pipeline(hmm, everything_passes(null2));
                REQUIRE(bounds_scores(pipeline.forward_profile()));
                std::vector<Sequence> sequences;
                for (const unsigned residues : {1U, 1U, 1U, 2U, 2U, 2U, 3U, 3U, 4U, 5U, 30U})
                    sequences.push_back(random_protein(random, residues));
                for (const unsigned between : {0U, 0U, 2U, 30U, 400U})
                    for (unsigned count = 1; count < 6; ++count)
                        sequences.push_back(pieces(random, hmm, count, between));
                // The whole model, over and over.
                for (const int copies : {1, 2, 3, 9}) {
                    Sequence copy = emitted(random, hmm, 1, static_cast<std::size_t>(length)), repeated;
                    for (int c = 0; c < copies; ++c) repeated.insert(repeated.end(), copy.begin(), copy.end());
                    sequences.push_back(repeated);
                }
                std::erase_if(sequences, [](const Sequence& sequence) { return sequence.empty(); });
                check_bounds(pipeline, sequences, seen);
            }
        }
    }
    MESSAGE(seen.bounded << " with a bound, " << seen.unbounded << " without, " << seen.above_forward
                         << " above Forward, the nearest " << seen.least_slack_bits << " bits below its bound");
    CHECK(seen.bounded > 300);
    CHECK(seen.unbounded > 50);
    CHECK(seen.above_forward > 30);
    CHECK(seen.least_slack_bits < 1.0F);
}

TEST_CASE("there is a bound if envelopes cannot overlap and numbers have a usual size") {
    HmmRegions regions;
    regions.forward_nats = 50;
    regions.found.regions = {{1, 80, false}, {90, 200, false}};
    const float bound = most_score_bits(regions, 300, -6.0F, 100);
    CHECK(bound > bits_of(56.88F));
    CHECK(bound < bits_of(56.98F));
    // Errors grow with cells.
    CHECK(most_score_bits(regions, 3000, -6.0F, 1000) > bound);
    CHECK(most_score_bits(regions, std::uint64_t{1} << 18, -6.0F, 100) < kInfinity);
    CHECK(most_score_bits(regions, (std::uint64_t{1} << 18) + 1, -6.0F, 100) == kInfinity);
    regions.found.regions[1].several_domains = true;
    CHECK(most_score_bits(regions, 300, -6.0F, 100) == kInfinity);
    regions.found.regions[1].several_domains = false;
    for (const float nats : {-20.5F, -kInfinity, kInfinity, std::numeric_limits<float>::quiet_NaN()}) {
        regions.forward_nats = nats;
        CHECK(most_score_bits(regions, 300, -6.0F, 100) == kInfinity);
    }
}

TEST_CASE("there is no bound if the model can hardly be entered at some node") {
    Random random(5);
    ForwardProfile odds = forward_odds(configure_plan7(random_profile(random, 10)));
    CHECK(bounds_scores(odds));
    for (const float enter : {0.0F, 1e-16F, 1.5F}) {
        ForwardProfile other = odds;
        other.transitions.enter[4] = enter;
        CHECK_FALSE(bounds_scores(other));
    }
}
