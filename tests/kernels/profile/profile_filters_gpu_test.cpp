// The GPU's profile filters, compared with the host's, through every shape of every kernel. Prints
// a note if there is no GPU.
#include "kernels/profile/profile_filters_gpu.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/gpu/device.h"
#include "kernels/profile/float_margins_gpu.h"
#include "kernels/profile/forward_backward.h"
#include "kernels/profile/msv_filter.h"
#include "kernels/profile/viterbi_filter.h"
#include "libcore/base/random.h"
#include "libcore/profile/plan7_profile.h"
#include "libcore/statistics/null_model.h"
#include "tests/support/gpu.h"
#include "tests/support/random_profile.h"
#include "tests/support/random_proteins.h"
#include "tests/support/tile_builder.h"

using namespace warpseq;
using namespace warpseq::cuda;
using namespace warpseq::testing;

namespace {

/// Computes the recurrence of ssv_kernel_gpu.cuh literally.
std::uint32_t literal_ssv(const MsvProfile& profile, const Sequence& target) {
    const auto length = static_cast<std::size_t>(profile.length);
    std::vector<int> row(length + 1, 0);
    int best = 0;
    for (const ResidueCode residue : target) {
        for (std::size_t k = length; k >= 1; --k) {
            const int score = int{profile.bias} - int{profile.match_costs[residue * length + k - 1]};
            row[k] = std::max(0, row[k - 1] + std::max(score, -127));
            best = std::max(best, row[k]);
        }
    }
    return std::min<std::uint32_t>(static_cast<std::uint32_t>(best), kHighestSsv);
}

/// Targets of many lengths, longest first, a few of them linear, some with pieces of the models.
struct Targets {
    std::vector<Sequence> sequences;
    TileBuilder tiles;

    /// `long_targets` more have 1,500 to 6,000 residues.
    Targets(Random& random, std::size_t count, std::size_t linear, const std::vector<ProfileHmm>& models,
            std::size_t long_targets = 0) {
        for (std::size_t i = 0; i < count + long_targets; ++i) {
            Sequence sequence = random_protein(random, i < count ? random.below(300) : 1500 + random.below(4500));
            if (i % 5 == 0 && !models.empty()) {
                const ProfileHmm& hmm = models[random.below(models.size())];
                const Sequence planted = emitted(random, hmm, 1, static_cast<std::size_t>(hmm.length));
                sequence.insert(sequence.end(), planted.begin(), planted.end());
            }
            sequences.push_back(std::move(sequence));
        }
        std::ranges::stable_sort(sequences, std::ranges::greater(), [](const Sequence& s) { return s.size(); });
        for (std::size_t i = 0; i < std::min(linear, sequences.size()); ++i) tiles.add_linear(sequences[i]);
        for (std::size_t first = linear; first < sequences.size(); first += kTileLanes) {
            tiles.add_interleaved(
                std::span(sequences).subspan(first, std::min<std::size_t>(kTileLanes, sequences.size() - first)));
        }
    }
};

/// Models in all forms.
struct Models {
    std::vector<ProfileHmm> hmms;
    std::vector<MsvProfile> msv;
    std::vector<ViterbiProfile> viterbi;
    std::vector<ForwardProfile> forward;
    std::vector<BiasFilter> bias;

    void add(ProfileHmm hmm) {
        const Plan7Profile profile = configure_plan7(hmm);
        msv.push_back(quantise_msv(profile));
        viterbi.push_back(quantise_viterbi(profile));
        forward.push_back(forward_odds(profile));
        bias.emplace_back(hmm.length, hmm.composition);
        hmms.push_back(std::move(hmm));
    }
    std::size_t size() const { return hmms.size(); }
    std::shared_ptr<const ProfileFilterBatch> batch(std::span<const FilterThresholds> thresholds,
                                                    ProfileFilterBatch::Mode mode,
                                                    const SsvShape* shape = nullptr) const {
        std::vector<FilterProfile> profiles;
        for (std::size_t p = 0; p < size(); ++p) {
            profiles.push_back(
                {&msv[p], &viterbi[p], &forward[p], &bias[p], thresholds.empty() ? FilterThresholds() : thresholds[p]});
        }
        return std::make_shared<const ProfileFilterBatch>(profiles, mode, shape);
    }
};

struct Comparison {
    std::size_t compared = 0, wrong = 0, positive = 0, highest = 0;
};

/// Values by profile, then by target.
std::vector<std::uint32_t> literal_ssv(const Models& models, const Targets& targets) {
    std::vector<std::uint32_t> results;
    for (const MsvProfile& profile : models.msv) {
        for (const Sequence& target : targets.sequences) results.push_back(literal_ssv(profile, target));
    }
    return results;
}

Comparison compare_ssv(ProfileFilterGpu& gpu, const Targets& targets, const Models& models,
                       std::span<const std::uint32_t> all_expected, const SsvShape* shape) {
    const auto uploaded = gpu.upload(targets.tiles.views(), nullptr);
    REQUIRE_MESSAGE(uploaded.ok(), uploaded.status().message());
    const auto results = gpu.score_ssv(models.batch({}, ProfileFilterBatch::Mode::kFilters, shape), **uploaded);
    REQUIRE_MESSAGE(results.ok(), results.status().message());
    Comparison comparison;
    REQUIRE(results->size() == all_expected.size());
    for (std::size_t i = 0; i < all_expected.size(); ++i) {
        const std::uint32_t expected = all_expected[i];
        ++comparison.compared;
        comparison.wrong += (*results)[i] != expected;
        comparison.positive += expected > 20;
        comparison.highest += expected == kHighestSsv;
    }
    return comparison;
}

/// All that the host knows of a pair, from its own kernels.
struct Pair {
    bool exists = false;
    std::int16_t msv = 0, viterbi = 0;
    float null_nats = 0, bias_nats = 0, forward_nats = 0;
};

std::vector<Pair> pairs_of(const Models& models, const Targets& targets) {
    const std::size_t lanes = targets.sequences.size();
    std::vector<Pair> pairs(models.size() * lanes);
    const auto msv = make_msv_filter(CpuBackend::kPortable, models.msv);
    const auto msv_workspace = msv->make_workspace();
    std::vector<std::int16_t> msv_results(pairs.size());
    msv->score(targets.tiles.views(), *msv_workspace, msv_results);
    for (std::size_t p = 0; p < models.size(); ++p) {
        const auto viterbi = make_viterbi_filter(CpuBackend::kPortable, models.viterbi[p]);
        const auto viterbi_workspace = viterbi->make_workspace();
        const auto forward = make_forward_backward(CpuBackend::kPortable, models.forward[p]);
        const auto forward_workspace = forward->make_workspace();
        for (std::size_t t = 0; t < lanes; ++t) {
            const std::span<const ResidueCode> target(targets.sequences[t]);
            if (target.empty()) continue;
            Pair& pair = pairs[p * lanes + t];
            pair.exists = true;
            pair.msv = msv_results[p * lanes + t];
            viterbi->score(std::span(&target, 1), *viterbi_workspace, std::span(&pair.viterbi, 1));
            pair.null_nats = null1_score_nats(target.size());
            pair.bias_nats = models.bias[p].score_nats(target);
            ForwardTask task;
            task.target = target;
            task.length_model = LengthModel::multihit(target.size());
            ForwardTask* const tasks[] = {&task};
            forward->forward(tasks, *forward_workspace);
            pair.forward_nats = task.score_nats;
        }
    }
    return pairs;
}

float msv_bits(const Pair& pair, std::uint64_t residues, float null_nats) {
    return bits_of((pair.msv == kMsvOverflow ? INFINITY : MsvProfile::score_nats(pair.msv, residues)) - null_nats);
}
float viterbi_bits(const Pair& pair, std::uint64_t residues, float null_nats) {
    return bits_of((pair.viterbi == kViterbiOverflow ? INFINITY : ViterbiProfile::score_nats(pair.viterbi, residues)) -
                   null_nats);
}

/// Returns the lowest of the upper `share` of scores.
float quantile(std::vector<float> scores, double share) {
    std::ranges::sort(scores, std::ranges::greater());
    return scores.empty() ? 0
                          : scores[std::min(scores.size() - 1,
                                            static_cast<std::size_t>(share * static_cast<double>(scores.size())))];
}

Models models_of(Random& random, std::initializer_list<int> lengths) {
    Models models;
    for (const int length : lengths) models.add(random_profile(random, length));
    return models;
}

std::unique_ptr<ProfileFilterGpu> open_gpu() {
    auto gpu = ProfileFilterGpu::create(0, kAmpleScratchBytes);
    REQUIRE_MESSAGE(gpu.ok(), gpu.status().message());
    return *std::move(gpu);
}

}  // namespace

TEST_CASE("SSV on the GPU: every shape, models of every kind of length in a batch") {
    if (!have_gpu()) return;
    const auto gpu = open_gpu();
    Random random(17);
    const Models models = models_of(random, {1, 2, 15, 16, 17, 31, 33, 48, 100, 127, 128, 129, 300, 511, 600, 1100});
    const Targets targets(random, 200, 3, models.hmms, 40);
    const std::vector<std::uint32_t> expected = literal_ssv(models, targets);
    for (const SsvShape& shape : ssv_shapes()) {
        CAPTURE(shape.group_threads);
        CAPTURE(shape.rows_per_thread);
        const Comparison comparison = compare_ssv(*gpu, targets, models, expected, &shape);
        CHECK(comparison.wrong == 0);
        CHECK(comparison.positive > comparison.compared / 100);
        CHECK(comparison.highest > 0);
    }
    CHECK(compare_ssv(*gpu, targets, models, expected, nullptr).wrong == 0);
}

TEST_CASE("SSV on the GPU: a model alone, of every length") {
    if (!have_gpu()) return;
    const auto gpu = open_gpu();
    Random random(18);
    const Targets targets(random, 40, 1, {});
    for (int length = 1; length <= 600; ++length) {
        const Models models = models_of(random, {length});
        const Comparison comparison = compare_ssv(*gpu, targets, models, literal_ssv(models, targets), nullptr);
        CAPTURE(length);
        REQUIRE(comparison.wrong == 0);
    }
}

TEST_CASE("Every stage on the GPU over all pairs: the host's integers, Forward within its margin") {
    if (!have_gpu()) return;
    const auto gpu = open_gpu();
    Random random(19);
    const Models models =
        models_of(random, {1, 3, 16, 31, 48, 64, 100, 129, 200, 257, 400, 513, 700, 1025, 1500, 2405});
    const Targets targets(random, 150, 3, models.hmms);
    const auto uploaded = gpu->upload(targets.tiles.views(), nullptr);
    REQUIRE_MESSAGE(uploaded.ok(), uploaded.status().message());
    const auto batch = models.batch({}, ProfileFilterBatch::Mode::kFilters);
    const std::vector<Pair> pairs = pairs_of(models, targets);
    const std::size_t lanes = targets.sequences.size();
    {
        const auto results = gpu->score_msv(batch, **uploaded);
        REQUIRE_MESSAGE(results.ok(), results.status().message());
        std::size_t wrong = 0, overflows = 0;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            wrong += (*results)[i] != pairs[i].msv;
            overflows += pairs[i].msv == kMsvOverflow;
        }
        CHECK(wrong == 0);
        CHECK(overflows > 0);
    }
    {
        const auto results = gpu->score_viterbi(batch, **uploaded);
        REQUIRE_MESSAGE(results.ok(), results.status().message());
        std::size_t wrong = 0, hits = 0;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            wrong += (*results)[i] != pairs[i].viterbi;
            hits += pairs[i].viterbi > 13000;
        }
        CHECK(wrong == 0);
        CHECK(hits > 0);
    }
    {
        const auto results = gpu->score_forward(batch, **uploaded);
        REQUIRE_MESSAGE(results.ok(), results.status().message());
        std::size_t outside = 0;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            if (!pairs[i].exists) continue;
            const float margin = forward_margin_nats(targets.sequences[i % lanes].size(), models.hmms[i / lanes].length,
                                                     pairs[i].forward_nats);
            outside += !(std::fabs((*results)[i] - pairs[i].forward_nats) <= margin);
        }
        CHECK(outside == 0);
    }
}

TEST_CASE("Filtering on the GPU: with what it leaves to the host, the host's decisions") {
    if (!have_gpu()) return;
    const auto gpu = open_gpu();
    Random random(20);
    const Models models = models_of(random, {7, 30, 48, 64, 90, 100, 129, 200, 257, 400, 513, 1100});
    const Targets targets(random, 700, 3, models.hmms);
    const std::size_t lanes = targets.sequences.size();
    const std::vector<Pair> pairs = pairs_of(models, targets);
    // Thresholds that split the pairs at every stage.
    std::vector<FilterThresholds> thresholds(models.size());
    for (std::size_t p = 0; p < models.size(); ++p) {
        std::vector<float> msv, viterbi, forward;
        for (std::size_t t = 0; t < lanes; ++t) {
            const Pair& pair = pairs[p * lanes + t];
            if (!pair.exists) continue;
            msv.push_back(msv_bits(pair, targets.sequences[t].size(), pair.null_nats));
            viterbi.push_back(viterbi_bits(pair, targets.sequences[t].size(), pair.bias_nats));
            forward.push_back(bits_of(pair.forward_nats - pair.bias_nats));
        }
        thresholds[p] = {quantile(msv, 0.5), quantile(msv, 0.1), quantile(viterbi, 0.4), quantile(forward, 0.2), 0, 0};
    }
    const auto uploaded = gpu->upload(targets.tiles.views(), nullptr);
    REQUIRE_MESSAGE(uploaded.ok(), uploaded.status().message());
    using Mode = ProfileFilterBatch::Mode;
    // Half of the pairs pass SSV: with short lists they go through the other filters in several
    // parts.
    for (const auto& [mode, list_share] :
         {std::pair(Mode::kFilters, 1u), std::pair(Mode::kWithoutBias, 1u), std::pair(Mode::kFilters, 8u)}) {
        const bool with_bias = mode == Mode::kFilters;
        CAPTURE(with_bias);
        CAPTURE(list_share);
        gpu->expect(0, list_share);
        const auto outcome = gpu->filter(models.batch(thresholds, mode), **uploaded, {}, true);
        REQUIRE_MESSAGE(outcome.ok(), outcome.status().message());
        REQUIRE(outcome->lane_counts.size() == lanes);
        for (const auto counter :
             {&FilterCounts::passed_msv, &FilterCounts::passed_bias, &FilterCounts::passed_viterbi}) {
            const auto sum = [&](std::span<const FilterCounts> all) {
                std::uint64_t passed = 0;
                for (const FilterCounts& each : all) passed += each.*counter;
                return passed;
            };
            CHECK(sum(outcome->lane_counts) == sum(outcome->counts));
        }
        std::vector<const FilterCandidate*> candidate_of(pairs.size(), nullptr);
        std::vector<FilterCounts> counts(outcome->counts.begin(), outcome->counts.end());
        std::uint64_t last = 0;
        for (const FilterCandidate& candidate : outcome->candidates) {
            const std::uint64_t slot = candidate.profile * lanes + candidate.lane;
            REQUIRE((&candidate == outcome->candidates.data() || slot > last));
            last = slot;
            candidate_of[slot] = &candidate;
        }
        std::vector<FilterCounts> expected(models.size());
        std::size_t unsettled = 0, missed = 0, too_many = 0, survivors = 0, wrong_msv = 0;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const Pair& pair = pairs[i];
            if (!pair.exists) continue;
            const std::uint64_t residues = targets.sequences[i % lanes].size();
            const FilterThresholds& t = thresholds[i / lanes];
            const float filter = with_bias ? pair.bias_nats : pair.null_nats;
            const bool passed_msv = msv_bits(pair, residues, pair.null_nats) >= t.msv_bits;
            const float bits = msv_bits(pair, residues, filter);
            const bool passed_bias = passed_msv && bits >= t.msv_bits;
            const bool passed_viterbi =
                passed_bias && (bits >= t.skip_viterbi_bits || viterbi_bits(pair, residues, filter) >= t.viterbi_bits);
            const bool passed_forward = passed_viterbi && bits_of(pair.forward_nats - filter) >= t.forward_bits;
            FilterCounts& expects = expected[i / lanes];
            expects.passed_msv += passed_msv;
            expects.passed_bias += passed_bias;
            expects.passed_viterbi += passed_viterbi;
            survivors += passed_forward;
            const FilterCandidate* const found = candidate_of[i];
            missed += passed_forward && found == nullptr;
            if (found == nullptr) continue;
            wrong_msv += found->msv != pair.msv;
            if (found->settled) {
                // The margin is only Forward's. A pair far below the threshold must not be sent.
                too_many += !passed_viterbi || bits_of(pair.forward_nats - filter) < t.forward_bits - 1;
            } else {
                ++unsettled;
                counts[i / lanes].passed_bias += passed_bias;
                counts[i / lanes].passed_viterbi += passed_viterbi;
            }
        }
        for (std::size_t p = 0; p < models.size(); ++p) {
            CAPTURE(p);
            CHECK(counts[p].passed_msv == expected[p].passed_msv);
            CHECK(counts[p].passed_bias == expected[p].passed_bias);
            CHECK(counts[p].passed_viterbi == expected[p].passed_viterbi);
        }
        CHECK(missed == 0);
        CHECK(too_many == 0);
        CHECK(wrong_msv == 0);
        CHECK(survivors > 0);
        // Thresholds are scores of pairs, so some pairs score exactly as much. Few others are near.
        CHECK(unsettled < pairs.size() / 20);
        std::printf("%zu pairs, %zu survive, %zu candidates, %zu of them unsettled\n", pairs.size(), survivors,
                    outcome->candidates.size(), unsettled);
    }
}

TEST_CASE("Filtering on the GPU without filters: everything that could be reported comes to the host") {
    if (!have_gpu()) return;
    const auto gpu = open_gpu();
    Random random(21);
    const Models models = models_of(random, {30, 100, 257});
    const Targets targets(random, 400, 2, models.hmms);
    const std::size_t lanes = targets.sequences.size();
    const std::vector<Pair> pairs = pairs_of(models, targets);
    std::vector<FilterThresholds> thresholds(models.size());
    for (FilterThresholds& each : thresholds) each = {0, 0, 0, 0, 2, 1.5f};
    std::vector<float> log_targets(lanes);
    for (std::size_t lane = 0; lane < lanes; ++lane)
        log_targets[lane] = lane % 50 == 0 ? -INFINITY : std::log(static_cast<float>(lane + 1));
    const auto uploaded = gpu->upload(targets.tiles.views(), nullptr);
    REQUIRE_MESSAGE(uploaded.ok(), uploaded.status().message());
    for (const std::uint64_t list_share : {1u, 8u}) {
        CAPTURE(list_share);
        gpu->expect(0, list_share);
        const auto outcome =
            gpu->filter(models.batch(thresholds, ProfileFilterBatch::Mode::kMax), **uploaded, log_targets, false);
        REQUIRE_MESSAGE(outcome.ok(), outcome.status().message());
        std::vector<bool> found(pairs.size());
        for (const FilterCandidate& candidate : outcome->candidates) {
            CHECK(candidate.settled);
            found[candidate.profile * lanes + candidate.lane] = true;
        }
        std::size_t missed = 0, left_out = 0;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            if (!pairs[i].exists) continue;
            const float needed = 2 + 1.5f * log_targets[i % lanes];
            const bool may_be_reported =
                bits_of(pairs[i].forward_nats - pairs[i].null_nats) >= needed || log_targets[i % lanes] < 0;
            missed += may_be_reported && !found[i];
            left_out += !found[i];
        }
        CHECK(missed == 0);
        CHECK(left_out > pairs.size() / 4);
    }
}
