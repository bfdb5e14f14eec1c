// The GPU's Smith-Waterman scores, compared with the host's, through every shape of the kernel.
// Prints a note if there is no GPU.
#include "kernels/smith_waterman/smith_waterman_gpu.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "kernels/gpu/device.h"
#include "kernels/seeds/word_hits_gpu.h"
#include "kernels/smith_waterman/smith_waterman.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/gpu.h"
#include "tests/support/random_proteins.h"
#include "tests/support/tile_builder.h"

using namespace warpseq;
using namespace warpseq::cuda;
using namespace warpseq::testing;

namespace {

/// Targets by descending length. The first `linear` are in linear tiles, and the rest are
/// interleaved.
struct Targets {
    std::vector<Sequence> sequences;
    TileBuilder tiles;

    Targets(std::vector<Sequence> unsorted, std::size_t linear) : sequences(std::move(unsorted)) {
        std::ranges::stable_sort(sequences, std::ranges::greater(), [](const Sequence& s) { return s.size(); });
        for (std::size_t i = 0; i < std::min(linear, sequences.size()); ++i) tiles.add_linear(sequences[i]);
        for (std::size_t first = linear; first < sequences.size(); first += kTileLanes) {
            tiles.add_interleaved(
                std::span(sequences).subspan(first, std::min<std::size_t>(kTileLanes, sequences.size() - first)));
        }
    }
};

/// Counts the scores that differ from the host's, with saturation taken into account. Also tells
/// whether the scores are not all zero.
struct Comparison {
    std::size_t compared = 0, wrong = 0, saturated = 0, positive = 0;
};

Comparison compare(SmithWatermanGpu& gpu, const Targets& targets, const std::vector<Sequence>& queries,
                   const ScoringScheme& scheme, const KernelShape* shape) {
    const std::vector<std::span<const ResidueCode>> spans(queries.begin(), queries.end());
    const auto batch = std::make_shared<const SmithWatermanBatch>(spans, scheme, shape);
    const auto uploaded = gpu.upload(targets.tiles.views(), nullptr);
    REQUIRE_MESSAGE(uploaded.ok(), uploaded.status().message());
    const auto scores = gpu.score(batch, **uploaded);
    REQUIRE_MESSAGE(scores.ok(), scores.status().message());

    const auto scorer = make_smith_waterman_scorer(runnable_cpu_backends().back(), spans, scheme);
    REQUIRE(scorer.ok());
    std::vector<std::int32_t> expected(queries.size() * targets.sequences.size());
    const auto workspace = (*scorer)->make_workspace();
    (*scorer)->score(targets.tiles.views(), *workspace, expected);
    REQUIRE(scores->size() == expected.size());
    Comparison result;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        ++result.compared;
        const bool saturated = expected[i] >= kSaturatedScore;
        result.saturated += saturated;
        result.positive += expected[i] > 0;
        result.wrong += saturated ? (*scores)[i] < kSaturatedScore : (*scores)[i] != expected[i];
    }
    return result;
}

/// Compares the scores of `count` giants of about `longest` residues among 500 short sequences with
/// the host's. The giants are in linear tiles, and then in interleaved ones. Queries have up to
/// 1,400 residues, so they need several passes; where that would keep the host busy for minutes,
/// the longest query is left out.
void check_giants(SmithWatermanGpu& gpu, Random& random, std::uint64_t count, std::uint64_t longest) {
    CAPTURE(count);
    CAPTURE(longest);
    const ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    std::vector<Sequence> sequences;
    for (std::uint64_t i = 0; i < count; ++i) sequences.push_back(random_protein(random, longest - 7 * i));
    for (int i = 0; i < 500; ++i) sequences.push_back(random_protein(random, 20 + random.below(400)));
    const bool is_large = count * longest > 10'000'000;
    std::vector<std::uint64_t> lengths = {375, 40};
    if (!is_large) lengths.insert(lengths.begin(), 1'400);
    std::vector<Sequence> queries;
    for (const std::uint64_t residues : lengths) {
        // A piece of the first giant goes through the query, so that its score comes from several
        // passes.
        Sequence query = random_protein(random, residues);
        const std::size_t piece = std::min<std::size_t>(residues / 2, 190);
        std::copy_n(sequences[0].begin() + 5'000, piece, query.begin() + static_cast<std::ptrdiff_t>(residues / 4));
        queries.push_back(std::move(query));
    }
    for (const std::size_t linear : {std::size_t{0}, static_cast<std::size_t>(count)}) {
        CAPTURE(linear);
        const Targets targets(sequences, linear);
        for (std::size_t some = queries.size(); some > 0; --some) {
            CAPTURE(some);
            const Comparison result = compare(
                gpu, targets, {queries.begin(), queries.begin() + static_cast<std::ptrdiff_t>(some)}, scheme, nullptr);
            CHECK(result.wrong == 0);
            CHECK(result.saturated == 0);
            CHECK(result.positive > 500);
        }
    }
}

}  // namespace

TEST_CASE("every shape of the kernel gives the host's scores") {
    if (!have_gpu()) return;
    auto gpu = SmithWatermanGpu::create(0);
    REQUIRE_MESSAGE(gpu.ok(), gpu.status().message());
    Random random(21);
    const ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    const std::vector<Sequence> queries = {random_protein(random, 1),   random_protein(random, 300),
                                           random_protein(random, 0),   random_protein(random, 47),
                                           random_protein(random, 701), random_protein(random, 64)};
    std::vector<Sequence> targets = {{}, {}, {5}};
    for (int i = 0; i < 150; ++i) targets.push_back(random_protein(random, random.below(500)));
    targets.push_back(queries[1]);  // 300 residues against themselves
    targets.push_back(random_protein(random, 3000));
    for (const KernelShape& shape : kernel_shapes()) {
        CAPTURE(shape.group_threads);
        CAPTURE(shape.rows_per_thread);
        // Shapes of fewer than eight threads have no kernel for several passes.
        std::vector<Sequence> batch = queries;
        if (shape.group_threads != kMostGroupThreads) {
            batch = {random_protein(random, static_cast<std::uint64_t>(shape.group_threads * shape.rows_per_thread)),
                     queries[2]};
            if (shape.pairing == Pairing::kTwoQueries) batch.push_back(random_protein(random, 9));
        }
        for (const std::size_t linear : {0u, 1u, 6u}) {
            const Comparison result = compare(**gpu, Targets(targets, linear), batch, scheme, &shape);
            CHECK(result.wrong == 0);
            CHECK(result.positive > 100);
        }
    }
}

TEST_CASE("small: lanes that the GPU gathers from targets for word hits have the scores of the host") {
    if (!have_gpu()) return;
    auto gpu = SmithWatermanGpu::create(0);
    auto seeds = WordHitGpu::create(0);
    REQUIRE(gpu.ok());
    REQUIRE(seeds.ok());
    Random random(27);
    const ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    std::vector<Sequence> sequences = {{}, {}, {5}};
    for (int i = 0; i < 150; ++i) sequences.push_back(random_protein(random, random.below(90)));
    const Targets targets(sequences, 5);
    const auto uploaded = (*seeds)->upload(targets.tiles.views(), nullptr);
    REQUIRE_MESSAGE(uploaded.ok(), uploaded.status().message());
    const Sequence query = random_protein(random, 50);
    const std::span<const ResidueCode> span(query);
    const auto batch = std::make_shared<const SmithWatermanBatch>(std::span(&span, 1), scheme);
    const auto scorer = make_smith_waterman_scorer(runnable_cpu_backends().back(), std::span(&span, 1), scheme);
    REQUIRE(scorer.ok());
    std::vector<std::int32_t> expected(targets.sequences.size());
    (*scorer)->score(targets.tiles.views(), *(*scorer)->make_workspace(), expected);
    std::shared_ptr<DeviceTargets> gathered;
    for (const std::size_t step : {1u, 2u, 3u, 5u, 153u}) {
        for (const std::size_t most : {1u, 31u, 32u, 33u, 153u}) {
            std::vector<TargetLane> lanes;
            for (std::size_t lane = step / 2; lane < targets.sequences.size() && lanes.size() < most; lane += step)
                lanes.push_back(
                    {static_cast<std::uint32_t>(lane), static_cast<std::uint32_t>(targets.sequences[lane].size())});
            auto again = (*gpu)->gather(**uploaded, lanes, std::move(gathered));
            REQUIRE_MESSAGE(again.ok(), again.status().message());
            gathered = *std::move(again);
            REQUIRE(gathered->lanes() == lanes.size());
            const auto scores = (*gpu)->score(batch, *gathered);
            REQUIRE_MESSAGE(scores.ok(), scores.status().message());
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < lanes.size(); ++i) wrong += (*scores)[i] != expected[lanes[i].lane];
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("small: every kernel") {  // small enough for compute-sanitizer's racecheck
    if (!have_gpu()) return;
    auto gpu = SmithWatermanGpu::create(0);
    REQUIRE(gpu.ok());
    Random random(25);
    const ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    std::vector<Sequence> targets;
    for (int i = 0; i < 40; ++i) targets.push_back(random_protein(random, 20 + random.below(60)));
    for (const KernelShape& shape : kernel_shapes()) {
        const auto rows = static_cast<std::size_t>(shape.group_threads * shape.rows_per_thread);
        // With two passes borders are kept. Only kernels of whole groups can do that.
        for (const std::size_t residues : {rows, 2 * rows}) {
            if (residues > rows && shape.group_threads != kMostGroupThreads) continue;
            const Comparison result =
                compare(**gpu, Targets(targets, 3), {random_protein(random, residues)}, scheme, &shape);
            CHECK(result.wrong == 0);
            CHECK(result.positive > 0);
        }
    }
}

TEST_CASE("numbers of sequences around a tile, lengths around a word, and the plan of choice") {
    if (!have_gpu()) return;
    auto gpu = SmithWatermanGpu::create(0);
    REQUIRE(gpu.ok());
    Random random(22);
    const ScoringScheme scheme{*builtin_matrix("BLOSUM50"), {13, 2}};
    for (const std::size_t count : {1u, 2u, 31u, 32u, 33u, 64u, 65u, 200u}) {
        for (const std::uint64_t longest : {1u, 5u, 6u, 7u, 20u, 400u}) {
            std::vector<Sequence> targets;
            for (std::size_t i = 0; i < count; ++i)
                targets.push_back(random_protein(random, random.below(longest + 1)));
            targets.front() = random_protein(random, longest);
            for (const std::vector<Sequence>& queries :
                 {std::vector<Sequence>{random_protein(random, 120)},
                  std::vector<Sequence>{random_protein(random, 40), random_protein(random, 900)}}) {
                CHECK(compare(**gpu, Targets(targets, 0), queries, scheme, nullptr).wrong == 0);
            }
        }
    }
}

TEST_CASE("saturated scores are seen, all gap costs and letters hold") {
    if (!have_gpu()) return;
    auto gpu = SmithWatermanGpu::create(0);
    REQUIRE(gpu.ok());
    Random random(23);
    std::vector<Sequence> targets;
    for (int i = 0; i < 70; ++i) {
        targets.push_back(random_codes(random, random.below(700)));
    }
    Sequence longest = random_protein(random, 2500);
    targets.push_back(longest);
    targets.push_back(Sequence(500, kCodeX));
    const std::vector<Sequence> queries = {longest, targets[3], Sequence(100, kCodeX),
                                           Sequence(longest.begin(), longest.begin() + 400)};
    for (const char* matrix : {"BLOSUM62", "PAM30", "PAM250"}) {
        for (const GapCosts gaps : {GapCosts{11, 1}, GapCosts{0, 0}, GapCosts{0, 1}, GapCosts{5, 0}, GapCosts{3000, 1},
                                    GapCosts{1'000'000, 1'000'000}}) {
            const Comparison result =
                compare(**gpu, Targets(targets, 1), queries, {*builtin_matrix(matrix), gaps}, nullptr);
            CHECK(result.wrong == 0);
            CHECK(result.saturated > 0);
        }
    }
}

TEST_CASE("giant sequences, with queries of several passes") {
    if (!have_gpu()) return;
    auto gpu = SmithWatermanGpu::create(0);
    REQUIRE(gpu.ok());
    Random random(25);
    for (const std::uint64_t longest : {10'000u, 35'000u, 100'000u, 1'000'000u}) {
        for (const std::uint64_t count : {1u, 10u, 100u}) check_giants(**gpu, random, count, longest);
    }
}

// Each warp takes several units in a pass here. Only the long units tell the next pass how far they
// are, and the others tell that they are done. Lengths go through those of long tiles: 128 words of
// six residues.
TEST_CASE("many targets, with queries of several passes") {
    if (!have_gpu()) return;
    auto gpu = SmithWatermanGpu::create(0);
    REQUIRE(gpu.ok());
    Random random(26);
    const ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    const Sequence query = random_protein(random, 700);
    std::vector<Sequence> sequences;
    for (std::uint64_t residues = 700; residues < 860; ++residues)
        sequences.push_back(random_protein(random, residues));
    for (int i = 0; i < 150'000; ++i) sequences.push_back(random_protein(random, 1 + random.below(40)));
    sequences.push_back(Sequence(query.begin() + 150, query.begin() + 500));
    sequences.push_back(query);
    const Targets targets(sequences, 0);
    for (const std::vector<Sequence>& queries : {std::vector<Sequence>{query}, {query, random_protein(random, 400)}}) {
        const Comparison result = compare(**gpu, targets, queries, scheme, nullptr);
        CHECK(result.wrong == 0);
        CHECK(result.saturated == 1);  // the query itself
        CHECK(result.positive > 100'000);
    }
}

TEST_CASE("memory of an earlier chunk is used again") {
    if (!have_gpu()) return;
    auto gpu = SmithWatermanGpu::create(0);
    REQUIRE(gpu.ok());
    Random random(24);
    const ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    const std::vector<Sequence> queries = {random_protein(random, 50), random_protein(random, 60)};
    const std::vector<std::span<const ResidueCode>> spans(queries.begin(), queries.end());
    const auto batch = std::make_shared<const SmithWatermanBatch>(spans, scheme);
    std::shared_ptr<DeviceTargets> reuse;
    for (const std::size_t count : {100u, 3u, 150u}) {
        std::vector<Sequence> sequences;
        for (std::size_t i = 0; i < count; ++i) sequences.push_back(random_protein(random, 200));
        const Targets targets(sequences, 0);
        const auto uploaded = gpu->get()->upload(targets.tiles.views(), reuse);
        REQUIRE(uploaded.ok());
        reuse = *uploaded;
        CHECK(reuse->lanes() == count);
        const auto scores = gpu->get()->score(batch, *reuse);
        REQUIRE(scores.ok());
        const auto scorer = make_smith_waterman_scorer(CpuBackend::kReference, spans, scheme);
        std::vector<std::int32_t> expected(2 * count);
        const auto workspace = (*scorer)->make_workspace();
        (*scorer)->score(targets.tiles.views(), *workspace, expected);
        CHECK(std::ranges::equal(*scores, expected));
    }
}
