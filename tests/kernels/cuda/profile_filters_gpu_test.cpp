// The GPU's profile filters against the host's, through every shape of every kernel. Says so where there is no GPU.
#include "kernels/cuda/profile_filters.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "kernels/cuda/device.h"
#include "libcore/plan7_profile.h"
#include "libcore/random.h"
#include "tests/support/random_profile.h"
#include "tests/support/random_proteins.h"
#include "tests/support/tile_builder.h"

using namespace warpseq;
using namespace warpseq::cuda;
using namespace warpseq::testing;

namespace {

bool have_gpu() {
    const auto gpus = list_gpus();
    if (!gpus.ok()) std::printf("skipped: no GPU (%s)\n", gpus.status().message().c_str());
    return gpus.ok();
}

/// The recurrence of ssv_kernel.cuh, literally.
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

    Targets(Random& random, std::size_t count, std::size_t linear, const std::vector<ProfileHmm>& models) {
        for (std::size_t i = 0; i < count; ++i) {
            Sequence sequence = random_protein(random, random.below(300));
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

struct Comparison {
    std::size_t compared = 0, wrong = 0, positive = 0, highest = 0;
};

Comparison compare(ProfileFilterGpu& gpu, const Targets& targets, const std::vector<MsvProfile>& profiles,
                   const SsvShape* shape) {
    std::vector<const MsvProfile*> pointers;
    for (const MsvProfile& profile : profiles) pointers.push_back(&profile);
    const auto batch = std::make_shared<const ProfileFilterBatch>(pointers, shape);
    const auto uploaded = gpu.upload(targets.tiles.views(), nullptr);
    REQUIRE_MESSAGE(uploaded.ok(), uploaded.status().message());
    const auto results = gpu.score_ssv(batch, **uploaded);
    REQUIRE_MESSAGE(results.ok(), results.status().message());
    Comparison comparison;
    for (std::size_t p = 0; p < profiles.size(); ++p) {
        for (std::size_t t = 0; t < targets.sequences.size(); ++t) {
            const std::uint32_t expected = literal_ssv(profiles[p], targets.sequences[t]);
            const std::uint32_t found = (*results)[p * targets.sequences.size() + t];
            ++comparison.compared;
            comparison.wrong += found != expected;
            comparison.positive += expected > 20;
            comparison.highest += expected == kHighestSsv;
        }
    }
    return comparison;
}

}  // namespace

TEST_CASE("SSV on the GPU: every shape, models of every kind of length in a batch") {
    if (!have_gpu()) return;
    auto gpu = ProfileFilterGpu::create(0);
    REQUIRE_MESSAGE(gpu.ok(), gpu.status().message());
    Random random(17);
    std::vector<ProfileHmm> models;
    std::vector<MsvProfile> profiles;
    for (const int length : {1, 2, 15, 16, 17, 31, 33, 48, 100, 127, 128, 129, 300, 511, 600, 1100}) {
        models.push_back(random_profile(random, length));
        profiles.push_back(quantise_msv(configure_plan7(models.back())));
    }
    const Targets targets(random, 200, 3, models);
    for (const SsvShape& shape : ssv_shapes()) {
        CAPTURE(shape.group_threads);
        CAPTURE(shape.rows_per_thread);
        const Comparison comparison = compare(**gpu, targets, profiles, &shape);
        CHECK(comparison.wrong == 0);
        CHECK(comparison.positive > comparison.compared / 100);
        CHECK(comparison.highest > 0);
    }
}

TEST_CASE("SSV on the GPU: a model alone, of every length") {
    if (!have_gpu()) return;
    auto gpu = ProfileFilterGpu::create(0);
    REQUIRE_MESSAGE(gpu.ok(), gpu.status().message());
    Random random(18);
    const Targets targets(random, 40, 1, {});
    for (int length = 1; length <= 600; ++length) {
        const std::vector<MsvProfile> profiles{quantise_msv(configure_plan7(random_profile(random, length)))};
        const Comparison comparison = compare(**gpu, targets, profiles, nullptr);
        CAPTURE(length);
        REQUIRE(comparison.wrong == 0);
    }
}
