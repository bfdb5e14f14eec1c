// The GPU's Forward filter. Its scores differ from the host's by at most the margin. Prints a note
// if there is no GPU.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include "kernels/profile/float_margins_gpu.h"
#include "kernels/profile/forward_backward.h"
#include "kernels/profile/forward_stage_gpu.cuh"
#include "kernels/profile/profile_filters_gpu.h"
#include "libcore/base/random.h"
#include "tests/support/device_pairs.h"
#include "tests/support/random_plan7.h"
#include "tests/support/random_profile.h"
#include "tests/support/tile_builder.h"

using namespace warpseq;
using namespace warpseq::cuda;
using namespace warpseq::testing;

namespace {

/// Sequences, longest first, some of them linear tiles, in device memory.
struct Targets {
    std::vector<Sequence> sequences;
    TileBuilder tiles;
    std::shared_ptr<DeviceTargets> uploaded;

    Targets(std::vector<Sequence> unsorted, std::size_t linear) : sequences(std::move(unsorted)) {
        std::ranges::stable_sort(sequences, std::ranges::greater(), [](const Sequence& s) { return s.size(); });
        linear = std::min(linear, sequences.size());
        for (std::size_t i = 0; i < linear; ++i) tiles.add_linear(sequences[i]);
        for (std::size_t first = linear; first < sequences.size(); first += kTileLanes)
            tiles.add_interleaved(
                std::span(sequences).subspan(first, std::min<std::size_t>(kTileLanes, sequences.size() - first)));
        TargetUploader uploader(0, TargetTables::kLanes);
        auto result = uploader.upload(tiles.views(), nullptr, nullptr);
        REQUIRE_MESSAGE(result.ok(), result.status().message());
        uploaded = *std::move(result);
    }
    const TargetsOnDevice& on_device() const { return static_cast<const TargetsOnDevice&>(*uploaded); }
};

/// Random targets of 1 residue and more, with stops, X and planted copies of the profiles'
/// consensus.
std::vector<Sequence> random_targets(Random& random, std::size_t count, std::size_t longest,
                                     const std::vector<RandomPlan7>& models) {
    std::vector<Sequence> sequences{{kCodeStop}, {kCodeX}, {0}, {kCodeStop, kCodeStop, 5}};
    while (sequences.size() < count) {
        Sequence sequence = random.below(3) == 0 ? random_codes(random, 1 + random.below(longest))
                                                 : random_protein(random, 1 + random.below(longest));
        if (random.below(4) == 0) sequence[random.below(sequence.size())] = kCodeStop;
        if (random.below(3) == 0 && !models.empty())
            sequence =
                planted_target(random, models[random.below(models.size())], 1 + random.below(3), random.below(60));
        sequences.push_back(sequence.empty() ? Sequence{3} : sequence);
    }
    return sequences;
}

struct Comparison {
    std::size_t compared = 0, wrong = 0, scored = 0, infinite = 0;
    double greatest_share = 0, greatest_difference = 0;

    void add(const Comparison& other) {
        compared += other.compared;
        wrong += other.wrong;
        scored += other.scored;
        infinite += other.infinite;
        greatest_share = std::max(greatest_share, other.greatest_share);
        greatest_difference = std::max(greatest_difference, other.greatest_difference);
    }
    void print(const char* what) const {
        std::printf("%s: %zu pairs, %zu of them above 5 nats, %zu left to the host; ", what, compared, scored,
                    infinite);
        std::printf("greatest difference %.3g nats, greatest difference / margin %.3g\n", greatest_difference,
                    greatest_share);
    }
};

/// Compares the scores of every profile and every `keep_one_of`-th target, a different choice of
/// targets for each profile.
Comparison compare(ForwardStage& stage, const Targets& targets, const std::vector<const ForwardProfile*>& profiles,
                   const ForwardShape* shape = nullptr, std::size_t keep_one_of = 1) {
    const ForwardTables tables(profiles, shape);
    std::vector<std::uint32_t> slots;
    for (std::size_t p = 0; p < profiles.size(); ++p) {
        for (std::size_t t = 0; t < targets.sequences.size(); ++t) {
            if ((t + p) % keep_one_of == 0)
                slots.push_back(static_cast<std::uint32_t>(p * targets.sequences.size() + t));
        }
    }
    DevicePairs pairs;
    REQUIRE(pairs.set(targets.on_device(), static_cast<std::uint32_t>(profiles.size()), slots));
    const Status prepared = stage.prepare(tables, nullptr);
    REQUIRE_MESSAGE(prepared.ok(), prepared.message());
    const Status scored = stage.score(targets.on_device(), pairs.list(), pairs.results(), nullptr);
    REQUIRE_MESSAGE(scored.ok(), scored.message());
    const std::vector<float> results = pairs.read(nullptr);
    REQUIRE(results.size() == slots.size());

    Comparison comparison;
    std::size_t next = 0;
    for (std::size_t p = 0; p < profiles.size(); ++p) {
        const auto host = make_forward_backward(runnable_cpu_backends().back(), *profiles[p]);
        const auto workspace = host->make_workspace();
        std::vector<ForwardTask> tasks;
        std::vector<ForwardTask*> pointers;
        const std::size_t first = next;
        for (; next < slots.size() && slots[next] / targets.sequences.size() == p; ++next) {
            const Sequence& target = targets.sequences[slots[next] % targets.sequences.size()];
            ForwardTask& task = tasks.emplace_back();
            task.target = target;
            task.length_model = LengthModel::multihit(target.size());
        }
        for (ForwardTask& task : tasks) pointers.push_back(&task);
        host->forward(pointers, *workspace);
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            const float found = results[first + i];
            ++comparison.compared;
            if (std::isinf(found) && found > 0) {
                ++comparison.infinite;
                continue;
            }
            const double margin =
                static_cast<double>(forward_margin_nats(tasks[i].target.size(), profiles[p]->length, found));
            const double difference = std::abs(static_cast<double>(found) - static_cast<double>(tasks[i].score_nats));
            comparison.wrong += !tasks[i].in_range || !(difference <= margin);
            comparison.scored += found > 5;
            comparison.greatest_difference = std::max(comparison.greatest_difference, difference);
            comparison.greatest_share = std::max(comparison.greatest_share, difference / margin);
        }
    }
    return comparison;
}

std::vector<const ForwardProfile*> pointers_to(const std::vector<RandomPlan7>& models) {
    std::vector<const ForwardProfile*> pointers;
    for (const RandomPlan7& model : models) pointers.push_back(&model.profile);
    return pointers;
}

}  // namespace

TEST_CASE("Forward on the GPU: every shape, full and nearly empty, several profiles in a list") {
    if (!have_gpu()) return;
    Random random(31);
    ForwardStage stage(0, kAmpleScratchBytes);
    Comparison all;
    for (const ForwardShape& shape : forward_shapes()) {
        std::vector<RandomPlan7> models;
        for (const int length : {shape.nodes(), shape.nodes() - 1, 1, shape.nodes() / 2 + 1})
            models.push_back(random_plan7(random, length, length % 2 == 0));
        const Targets targets(random_targets(random, 24, 120, models), 2);
        const Comparison comparison = compare(stage, targets, pointers_to(models), &shape, 2);
        CAPTURE(shape.lanes);
        CAPTURE(shape.warps);
        CAPTURE(shape.nodes_per_thread);
        CAPTURE(shape.targets);
        CHECK(comparison.wrong == 0);
        CHECK(comparison.infinite * 4 < comparison.compared);
        all.add(comparison);
    }
    all.print("every shape");
    CHECK(all.scored > all.compared / 40);
}

TEST_CASE("Forward on the GPU: a model alone, of every length to 600") {
    if (!have_gpu()) return;
    Random random(32);
    ForwardStage stage(0, kAmpleScratchBytes);
    Comparison all;
    for (int length = 1; length <= 600; ++length) {
        const std::vector<RandomPlan7> models{random_plan7(random, length, length % 3 == 0)};
        const Targets targets(random_targets(random, 30, 200, models), static_cast<std::size_t>(length % 3));
        const Comparison comparison = compare(stage, targets, pointers_to(models));
        CAPTURE(length);
        CHECK(comparison.wrong == 0);
        all.add(comparison);
    }
    all.print("lengths 1 to 600");
}

TEST_CASE("Forward on the GPU: long models, those that no registers hold among them") {
    if (!have_gpu()) return;
    Random random(33);
    ForwardStage stage(0, kAmpleScratchBytes);
    Comparison all;
    for (const int length :
         {601, 767, 768, 769, 1024, 1025, 1500, 2048, 2049, 2405, 3000, 3584, 3585, 4095, 4096, 4097, 4200, 5000}) {
        const std::vector<RandomPlan7> models{random_plan7(random, length, length % 3 == 0)};
        const Targets targets(random_targets(random, 16, 400, models), 1);
        const Comparison comparison = compare(stage, targets, pointers_to(models));
        CAPTURE(length);
        CHECK(comparison.wrong == 0);
        all.add(comparison);
    }
    // Several pairs of a list share the memory for their state.
    std::vector<RandomPlan7> models;
    for (const int length : {4200, 4100, 4600, 90}) models.push_back(random_plan7(random, length));
    const Targets targets(random_targets(random, 40, 200, {}), 1);
    const Comparison comparison = compare(stage, targets, pointers_to(models));
    CHECK(comparison.wrong == 0);
    all.add(comparison);
    all.print("long models");
}

TEST_CASE("Forward on the GPU: a batch of many lengths and a target of 40,000 residues") {
    if (!have_gpu()) return;
    Random random(34);
    ForwardStage stage(0, kAmpleScratchBytes);
    std::vector<RandomPlan7> models;
    for (const int length : {48, 7, 100, 200, 400, 48, 800, 1600, 33, 1, 300, 100})
        models.push_back(random_plan7(random, length));
    std::vector<Sequence> sequences = random_targets(random, 200, 900, models);
    sequences.push_back(random_protein(random, 40'000));
    sequences.push_back(planted_target(random, models[4], 40, 300));  // far above the host's rescaling, again and again
    const Targets targets(std::move(sequences), 5);
    const Comparison comparison = compare(stage, targets, pointers_to(models));
    comparison.print("a batch");
    CHECK(comparison.wrong == 0);
    CHECK(comparison.scored > comparison.compared / 50);
}

TEST_CASE("Forward on the GPU: profile HMMs that look like families") {
    if (!have_gpu()) return;
    Random random(35);
    ForwardStage stage(0, kAmpleScratchBytes);
    std::vector<ForwardProfile> profiles;
    std::vector<Sequence> sequences = random_targets(random, 100, 500, {});
    for (const int length : {40, 90, 150, 260, 410, 700, 1200}) {
        const ProfileHmm hmm = random_profile(random, length);
        profiles.push_back(forward_odds(configure_plan7(hmm)));
        for (int copies = 0; copies < 6; ++copies) {
            Sequence sequence = random_protein(random, 1 + random.below(100));
            const Sequence planted = emitted(random, hmm, 1, static_cast<std::size_t>(length));
            sequence.insert(sequence.end(), planted.begin(), planted.end());
            sequences.push_back(std::move(sequence));
        }
    }
    const Targets targets(std::move(sequences), 0);
    std::vector<const ForwardProfile*> pointers;
    for (const ForwardProfile& profile : profiles) pointers.push_back(&profile);
    const Comparison comparison = compare(stage, targets, pointers);
    comparison.print("families");
    CHECK(comparison.wrong == 0);
    CHECK(comparison.scored > comparison.compared / 30);
}

TEST_CASE("Forward on the GPU: a profile without a proven margin is the host's") {
    if (!have_gpu()) return;
    Random random(36);
    ForwardStage stage(0, kAmpleScratchBytes);
    std::vector<RandomPlan7> models{random_plan7(random, 60), random_plan7(random, 60), random_plan7(random, 61)};
    models[1].profile.transitions.enter[30] = 0;
    const Targets targets(random_targets(random, 50, 100, models), 0);
    const Comparison comparison = compare(stage, targets, pointers_to(models));
    CHECK(comparison.wrong == 0);
    CHECK(comparison.infinite >= 50);
    CHECK(comparison.infinite < 75);
}
