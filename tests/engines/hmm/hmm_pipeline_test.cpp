#include "engines/hmm/hmm_pipeline.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "kernels/profile/filter_verdict_gpu.h"
#include "kernels/profile/msv_filter.h"
#include "libcore/statistics/extreme_value.h"
#include "tests/support/random_profile.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

ProfileHmm profile_with(const HmmStatistics& statistics) {
    Random random(4);
    ProfileHmm hmm = random_profile(random, 60);
    hmm.statistics = statistics;
    return hmm;
}

constexpr HmmStatistics kUsual{-8.1F, 0.71F, -9.3F, 0.69F, -3.6F, 0.7F};

}  // namespace

TEST_CASE("the least bits that pass are where decisions change") {
    const ProfileHmm hmm = profile_with(kUsual);
    for (const auto& [f1, f2, f3] :
         {std::tuple(0.02, 1e-3, 1e-5), std::tuple(0.5, 0.3, 0.2), std::tuple(1e-7, 4e-9, 1e-12)}) {
        HmmPipelineSettings settings;
        settings.f1 = f1;
        settings.f2 = f2;
        settings.f3 = f3;
        const HmmPipeline pipeline(hmm, settings);
        const HmmLeastBits least = pipeline.least_passing_bits();
        const auto check = [](float bits, double pvalue, auto survival) {
            CHECK(std::isfinite(bits));
            CHECK(survival(bits) <= pvalue);
            CHECK(survival(std::nextafter(bits, -kInfinity)) > pvalue);
        };
        const auto msv = [](float bits) { return gumbel_survival(bits, kUsual.msv_mu, kUsual.msv_lambda); };
        check(least.msv, f1, msv);
        check(least.skip_viterbi, f2, msv);
        check(least.viterbi, f2,
              [](float bits) { return gumbel_survival(bits, kUsual.viterbi_mu, kUsual.viterbi_lambda); });
        check(least.forward, f3,
              [](float bits) { return exponential_survival(bits, kUsual.forward_tau, kUsual.forward_lambda); });
    }
}

TEST_CASE("the least bits agree with the pipeline's decisions") {
    const ProfileHmm hmm = profile_with(kUsual);
    for (const bool bias_filter : {false, true}) {
        HmmPipelineSettings settings;
        settings.f2 = 0.01;
        settings.bias_filter = bias_filter;
        const HmmPipeline pipeline(hmm, settings);
        const HmmLeastBits least = pipeline.least_passing_bits();
        Random random(8);
        std::size_t passed = 0, failed = 0, skipped = 0, by_viterbi = 0;
        for (const std::size_t residues : {1U, 2U, 17U, 100U, 361U, 5000U, 40000U}) {
            const Sequence target = random_protein(random, residues);
            const float null_nats = null1_score_nats(residues);
            for (int result = 0; result <= 255; ++result) {
                const float msv_nats = MsvProfile::score_nats(result, residues);
                CHECK((bits_of(msv_nats - null_nats) >= least.msv) ==
                      (result >= pipeline.lowest_passing_msv(HmmTargetLength(residues))));
                CHECK(pipeline.lowest_passing_msv(HmmTargetLength(residues), result) ==
                      pipeline.lowest_passing_msv(HmmTargetLength(residues)));
                if (residues > 1000) continue;
                HmmCandidate candidate;
                bool passed_msv = false;
                const bool passes =
                    pipeline.passes_msv_and_bias(static_cast<std::int16_t>(result), target, candidate, passed_msv);
                CHECK(passed_msv == (bits_of(msv_nats - null_nats) >= least.msv));
                if (!passed_msv) continue;
                const float bits = bits_of(msv_nats - candidate.filter_nats);
                CHECK(passes == (bits >= least.msv));
                CHECK(pipeline.needs_viterbi(candidate) == (bits < least.skip_viterbi));
                (passes ? passed : failed) += 1;
                skipped += !pipeline.needs_viterbi(candidate);
                HmmCandidate same;
                pipeline.score_null_models(target, same);
                CHECK(same.null_nats == candidate.null_nats);
                CHECK(same.filter_nats == candidate.filter_nats);
                const auto viterbi = static_cast<std::int16_t>(random.below(12000));
                const bool passes_viterbi = pipeline.passes_viterbi(viterbi, residues, candidate);
                CHECK(passes_viterbi == (bits_of(ViterbiProfile::score_nats(viterbi, residues) -
                                                 candidate.filter_nats) >= least.viterbi));
                by_viterbi += passes_viterbi;
            }
        }
        CHECK(passed > 100);
        CHECK(skipped > 0);
        CHECK(skipped < passed);
        CHECK(by_viterbi > 0);
        if (bias_filter) CHECK(failed > 0);
    }
}

TEST_CASE("the least bits where everything passes, or only an overflow") {
    HmmPipelineSettings settings;
    settings.f1 = settings.f2 = settings.f3 = 1;
    const ProfileHmm usual = profile_with(kUsual);
    const HmmLeastBits all = HmmPipeline(usual, settings).least_passing_bits();
    CHECK(all.msv == -kInfinity);
    CHECK(all.skip_viterbi == -kInfinity);
    CHECK(all.viterbi == -kInfinity);
    CHECK(all.forward == -kInfinity);

    // So flat that no finite score is unlikely.
    settings.f1 = settings.f2 = settings.f3 = 1e-3;
    const ProfileHmm flat = profile_with({0, 1e-42F, 0, 1e-42F, 0, 1e-42F});
    const HmmLeastBits none = HmmPipeline(flat, settings).least_passing_bits();
    CHECK(none.msv == kInfinity);
    CHECK(none.viterbi == kInfinity);
    CHECK(none.forward == kInfinity);
}

TEST_CASE("nothing passes a probability below 0") {
    const ProfileHmm hmm = profile_with(kUsual);
    HmmPipelineSettings settings;
    settings.f1 = settings.f2 = settings.f3 = -1;
    const HmmLeastBits least = HmmPipeline(hmm, settings).least_passing_bits();
    for (const float bits : {least.msv, least.skip_viterbi, least.viterbi}) CHECK(std::isnan(bits));
    settings.f1 = settings.f2 = settings.f3 = 0;
    const HmmLeastBits only_overflow = HmmPipeline(hmm, settings).least_passing_bits();
    CHECK_FALSE(std::isnan(only_overflow.msv));
}

// kernels/profile/filter_verdict_gpu.h derives this bound. A device without filters leaves out
// targets by it.
TEST_CASE("a hit scores at most so many bits above Forward") {
    Random random(8);
    HmmPipelineSettings settings;
    settings.max = true;
    settings.f1 = settings.f2 = settings.f3 = 1;
    settings.bias_filter = false;
    std::size_t hits = 0, above_forward = 0, below_bound = 0, several = 0;
    float most_gained = 0;
    for (const bool null2 : {false, true}) {
        settings.null2 = null2;
        for (int model = 0; model < 12; ++model) {
            ProfileHmm hmm = random_profile(random, 12 + 9 * model);
            hmm.statistics = kUsual;
            const HmmPipeline pipeline(hmm, settings);
            std::vector<Sequence> sequences;
            for (int t = 0; t < 60; ++t) {
                // The target has up to four pieces of the model, some of them faint, with or
                // without residues between them.
                Sequence sequence = random_protein(random, random.below(40));
                for (std::uint64_t piece = random.below(5); piece > 0; --piece) {
                    const auto nodes = static_cast<std::size_t>(hmm.length);
                    const std::size_t first = 1 + random.below(nodes), last = first + random.below(nodes - first + 1);
                    const Sequence planted = emitted(random, hmm, first, last);
                    sequence.insert(sequence.end(), planted.begin(), planted.end());
                    const Sequence between = random_protein(random, random.below(3) == 0 ? 0 : random.below(60));
                    sequence.insert(sequence.end(), between.begin(), between.end());
                }
                if (!sequence.empty()) sequences.push_back(std::move(sequence));
            }
            const auto workspace = pipeline.forward_backward().make_workspace();
            for (const Sequence& sequence : sequences) {
                HmmCandidate candidate;
                pipeline.score_null_models(sequence, candidate);
                const HmmPipeline::Target target{sequence, candidate};
                const auto finished = pipeline.finish(std::span(&target, 1), *workspace);
                if (!finished[0].hit) continue;
                const HmmHit& hit = *finished[0].hit;
                ForwardTask task;
                task.target = sequence;
                task.length_model = LengthModel::multihit(sequence.size());
                ForwardTask* const tasks[] = {&task};
                pipeline.forward_backward().forward(tasks, *workspace);
                const float gained = hit.score_bits - bits_of(task.score_nats - candidate.null_nats);
                ++hits;
                several += hit.domains.size() > 1;
                above_forward += gained > 0;
                most_gained = std::max(most_gained, gained);
                // There is no bound if envelopes overlap and Forward is high.
                if (hit.overlapping_envelopes > 0 && task.score_nats >= cuda::kHighestNatsForBound) continue;
                ++below_bound;
                CHECK(gained <= cuda::kMostBitsGained);
            }
        }
    }
    MESSAGE(hits << " hits, " << several << " of several domains, " << above_forward << " above Forward, by up to "
                 << most_gained << " bits");
    CHECK(below_bound > 500);
    CHECK(above_forward > 0);
    CHECK(several > 100);
}
