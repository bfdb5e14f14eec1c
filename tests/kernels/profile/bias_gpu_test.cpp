// The GPU's bias filter. Its scores differ from the host's by at most the margin. Prints a note if
// there is no GPU.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include "kernels/profile/bias_stage_gpu.cuh"
#include "kernels/profile/float_margins_gpu.h"
#include "libcore/base/random.h"
#include "tests/support/device_pairs.h"
#include "tests/support/random_profile.h"
#include "tests/support/tile_builder.h"

using namespace warpseq;
using namespace warpseq::cuda;
using namespace warpseq::testing;

TEST_CASE("the bias filter on the GPU: lengths 1 to 40,000, repeats of few residues, several profiles in a list") {
    if (!have_gpu()) return;
    Random random(41);
    std::vector<Sequence> sequences{
        {kCodeStop}, {kCodeX}, random_protein(random, 40'000), Sequence(9'000, ResidueCode{2})};
    for (std::size_t length = 1; length <= 700; ++length) {
        Sequence sequence = length % 2 == 0 ? random_protein(random, length) : random_codes(random, length);
        if (length % 3 == 0) {  // a stretch that some composition explains
            const auto code = static_cast<ResidueCode>(random.below(kAminoAcids));
            for (std::size_t i = length / 4; i < length / 2 + 1 && i < length; ++i)
                sequence[i] = random.below(4) == 0 ? ResidueCode{9} : code;
        }
        sequences.push_back(std::move(sequence));
    }
    std::ranges::stable_sort(sequences, std::ranges::greater(), [](const Sequence& s) { return s.size(); });
    TileBuilder tiles;
    for (std::size_t i = 0; i < 5; ++i) tiles.add_linear(sequences[i]);
    for (std::size_t first = 5; first < sequences.size(); first += kTileLanes)
        tiles.add_interleaved(
            std::span(sequences).subspan(first, std::min<std::size_t>(kTileLanes, sequences.size() - first)));
    TargetUploader uploader(0, TargetTables::kLanes);
    const auto uploaded = uploader.upload(tiles.views(), nullptr, nullptr);
    REQUIRE_MESSAGE(uploaded.ok(), uploaded.status().message());
    const auto& targets = static_cast<const TargetsOnDevice&>(**uploaded);

    std::vector<BiasFilter> filters;
    for (const int length : {1, 8, 48, 300, 2405, 1'000'000}) {
        ProfileHmm::Residues composition = random_emission(random, length % 5 == 0 ? 1 : 6);
        if (length == 48) composition.fill(kUnknownComposition);
        filters.emplace_back(length, composition);
    }
    std::vector<const BiasFilter*> pointers;
    for (const BiasFilter& filter : filters) pointers.push_back(&filter);
    std::vector<std::uint32_t> slots;
    for (std::uint32_t slot = 0; slot < filters.size() * sequences.size(); ++slot) {
        if (slot % 7 != 3) slots.push_back(slot);
    }
    DevicePairs pairs;
    REQUIRE(pairs.set(targets, static_cast<std::uint32_t>(filters.size()), slots));
    BiasStage stage(0);
    REQUIRE(stage.prepare(BiasTables(pointers), nullptr).ok());
    REQUIRE(stage.score(targets, pairs.list(), pairs.results(), nullptr).ok());
    const std::vector<float> results = pairs.read(nullptr);
    REQUIRE(results.size() == slots.size());

    std::size_t wrong = 0, biased = 0;
    double greatest_share = 0, greatest_difference = 0;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const Sequence& target = sequences[slots[i] % sequences.size()];
        const float expected = filters[slots[i] / sequences.size()].score_nats(target);
        const double margin = static_cast<double>(bias_margin_nats(target.size(), results[i]));
        const double difference = std::abs(static_cast<double>(results[i]) - static_cast<double>(expected));
        wrong += !(difference <= margin);
        biased += expected > null1_score_nats(target.size()) + 1;
        greatest_difference = std::max(greatest_difference, difference);
        greatest_share = std::max(greatest_share, difference / margin);
    }
    std::printf(
        "bias: %zu pairs, %zu of them biased; greatest difference %.3g nats, greatest difference / margin %.3g\n",
        slots.size(), biased, greatest_difference, greatest_share);
    CHECK(wrong == 0);
    CHECK(biased > slots.size() / 50);
}
