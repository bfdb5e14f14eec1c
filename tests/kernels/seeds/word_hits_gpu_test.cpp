// The pairs that the GPU's word hits give. They are those for which the host's finders leave an
// alignment. Prints a note if there is no GPU.
#include "kernels/seeds/word_hits_gpu.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "kernels/seeds/word_hits.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/gpu.h"
#include "tests/support/random_proteins.h"
#include "tests/support/tile_builder.h"

using namespace warpseq;
using namespace warpseq::cuda;
using namespace warpseq::testing;

namespace {

struct TestQuery {
    Sequence residues;
    std::vector<QueryStretch> stretches;
    std::int32_t x_drop_raw = 16, cutoff_raw = 30;
};

TestQuery whole(Sequence residues, std::int32_t x_drop_raw = 16, std::int32_t cutoff_raw = 30) {
    const auto size = static_cast<std::uint32_t>(residues.size());
    return {std::move(residues), {{0, size}}, x_drop_raw, cutoff_raw};
}

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

struct Rules {
    WordRule rule;
    std::uint32_t window_residues = 40;
    CpuBackend judge = CpuBackend::kReference;
    std::optional<std::uint32_t> diagonals = std::nullopt;
    SubstitutionMatrix matrix = *builtin_matrix("BLOSUM62");
};

/// Checks that the GPU finds exactly the pairs of the reference comparison. Returns their number.
std::size_t compare(WordHitGpu& gpu, const Targets& targets, const std::vector<TestQuery>& queries,
                    const Rules& rules) {
    REQUIRE(word_hits_refusal(rules.rule, rules.window_residues) == nullptr);
    std::vector<WordHitQuery> seed_queries;
    for (const TestQuery& query : queries) {
        REQUIRE(takes_word_hit_query(query.residues.size(), query.x_drop_raw, rules.window_residues));
        seed_queries.push_back({query.residues, query.stretches, query.x_drop_raw, query.cutoff_raw});
    }
    ThreadPool pool(2);
    auto tables = WordHitTables::create(seed_queries, rules.rule, rules.matrix, rules.window_residues, pool,
                                        rules.diagonals.value_or(kUsualDiagonals));
    REQUIRE(tables.ok());
    const auto batch = std::make_shared<const WordHitTables>(*std::move(tables));
    const auto uploaded = gpu.upload(targets.tiles.views(), nullptr);
    REQUIRE_MESSAGE(uploaded.ok(), uploaded.status().message());
    const auto pairs = gpu.find(batch, **uploaded);
    REQUIRE_MESSAGE(pairs.ok(), pairs.status().message());
    std::set<std::pair<std::size_t, std::size_t>> found, expected;
    for (const WordHitPair& pair : *pairs) found.emplace(pair.query, pair.lane);
    CHECK(found.size() == pairs->size());

    WordHitWorkspace workspace;
    std::vector<UngappedAlignment> alignments;
    for (std::size_t q = 0; q < queries.size(); ++q) {
        const auto finder =
            make_word_hit_finder(rules.judge, queries[q].residues, queries[q].stretches, rules.rule, rules.matrix,
                                 {rules.window_residues, queries[q].x_drop_raw, queries[q].cutoff_raw});
        for (std::size_t t = 0; t < targets.sequences.size(); ++t) {
            finder->find(targets.sequences[t], workspace, alignments);
            if (!alignments.empty()) expected.emplace(q, t);
        }
    }
    std::vector<std::pair<std::size_t, std::size_t>> missing, extra;
    std::ranges::set_difference(expected, found, std::back_inserter(missing));
    std::ranges::set_difference(found, expected, std::back_inserter(extra));
    CHECK(missing.size() == 0);
    CHECK(extra.size() == 0);
    return expected.size();
}

std::vector<TestQuery> mixed_queries(Random& random, const Sequence& ancestor) {
    std::vector<TestQuery> queries;
    queries.push_back(whole(mutated(random, ancestor, 0.7)));
    queries.push_back(whole({}));
    queries.push_back(whole({3, 4}));
    queries.push_back(whole(random_codes(random, 60), 12, 20));
    // Words are only in the parts that are not masked, one of them shorter than a word.
    TestQuery masked = whole(mutated(random, ancestor, 0.8), 20, 25);
    const auto size = static_cast<std::uint32_t>(masked.residues.size());
    masked.stretches = {{0, size / 3}, {size / 3 + 1, size / 3 + 3}, {size / 2, size - 4}};
    queries.push_back(masked);
    TestQuery none = masked;
    none.stretches = {};
    queries.push_back(none);
    // Repeats have many hits on neighbouring diagonals.
    Sequence repeats = random_protein(random, 20);
    repeats.insert(repeats.end(), 40, repeats.front());
    for (int i = 0; i < 20; ++i) repeats.insert(repeats.end(), {9, 2, 7});
    queries.push_back(whole(repeats));
    queries.push_back(whole(random_protein(random, 150), 16, 22));
    return queries;
}

Targets mixed_targets(Random& random, const std::vector<TestQuery>& queries, const Sequence& ancestor,
                      std::size_t linear) {
    std::vector<Sequence> targets = {{}, {5}, {5, 6, 7}, queries.front().residues, queries[6].residues};
    for (int i = 0; i < 60; ++i) targets.push_back(random_protein(random, random.below(300)));
    for (int i = 0; i < 10; ++i) targets.push_back(mutated(random, ancestor, 0.5 + 0.04 * i));
    for (int i = 0; i < 6; ++i) targets.push_back(random_codes(random, 20 + random.below(80)));
    Sequence repeats(30, 9);
    for (int i = 0; i < 30; ++i) repeats.insert(repeats.end(), {7, 9, 2});
    targets.push_back(repeats);
    return Targets(std::move(targets), linear);
}

}  // namespace

TEST_CASE("words of every length, thresholds and windows: the reference's pairs") {
    if (!have_gpu()) return;
    auto gpu = WordHitGpu::create(0);
    REQUIRE_MESSAGE(gpu.ok(), gpu.status().message());
    Random random(31);
    const Sequence ancestor = random_protein(random, 130);
    const std::vector<TestQuery> queries = mixed_queries(random, ancestor);
    const Targets targets = mixed_targets(random, queries, ancestor, 3);
    const SubstitutionMatrix matrix = *builtin_matrix("BLOSUM62");
    std::size_t pairs = 0;
    for (const int residues : {2, 3, 4}) {
        for (const double threshold : {0.0, 11.0, 13.0, 16.0, 60.0}) {
            const WordRule rule = WordRule::uncompressed(matrix, residues, threshold);
            if (word_hits_refusal(rule, 40) != nullptr) continue;
            for (const std::uint32_t window : {0u, 7u, 40u, 200u}) {
                CAPTURE(residues);
                CAPTURE(threshold);
                CAPTURE(window);
                // With few diagonals the queries take several blocks.
                for (const std::uint32_t diagonals : {1024u, 8192u})
                    pairs += compare(**gpu, targets, queries, {rule, window, CpuBackend::kReference, diagonals});
            }
        }
    }
    CHECK(pairs > 2000);
}

TEST_CASE("other matrices") {
    if (!have_gpu()) return;
    auto gpu = WordHitGpu::create(0);
    REQUIRE(gpu.ok());
    Random random(32);
    const Sequence ancestor = random_protein(random, 130);
    const std::vector<TestQuery> queries = mixed_queries(random, ancestor);
    const Targets targets = mixed_targets(random, queries, ancestor, 0);
    std::size_t pairs = 0;
    for (const char* name : {"PAM30", "BLOSUM45", "PAM250"}) {
        const SubstitutionMatrix matrix = *builtin_matrix(name);
        CAPTURE(name);
        pairs += compare(**gpu, targets, queries,
                         {WordRule::uncompressed(matrix, 3, 14), 40, CpuBackend::kReference, std::nullopt, matrix});
    }
    CHECK(pairs > 50);
}

TEST_CASE("long targets and queries: states move on with the target") {
    if (!have_gpu()) return;
    auto gpu = WordHitGpu::create(0);
    REQUIRE(gpu.ok());
    Random random(33);
    const WordRule rule = WordRule::uncompressed(*builtin_matrix("BLOSUM62"), 3, 11);
    std::vector<TestQuery> queries;
    for (int i = 0; i < 20; ++i)
        queries.push_back(whole(random_protein(random, 20 + random.below(900)), 16,
                                34 + static_cast<std::int32_t>(random.below(12))));
    queries.push_back(whole(random_protein(random, 9000), 16, 48));
    queries.push_back(whole(Sequence(300, 0), 16, 200));
    std::vector<Sequence> targets;
    for (const std::size_t residues : {8190u, 8192u, 8225u, 16385u, 40000u})
        targets.push_back(random_protein(random, residues));
    // There are relatives at the places where positions are counted anew. One is as long as the
    // longest query.
    Sequence line = random_protein(random, 8100);
    for (int i = 0; i < 6; ++i) {
        const Sequence relative = mutated(random, queries[static_cast<std::size_t>(i)].residues, 0.6);
        line.insert(line.end(), relative.begin(), relative.end());
    }
    line.insert(line.end(), queries[20].residues.begin(), queries[20].residues.end());
    line.insert(line.end(), 9000, 0);
    targets.push_back(line);
    for (const std::uint32_t window : {0u, 40u}) {
        CHECK(compare(**gpu, Targets(targets, 4), queries, {rule, window, CpuBackend::kPortable}) > 40);
    }
}

TEST_CASE("pairs beyond the room for them are not lost") {
    if (!have_gpu()) return;
    auto gpu = WordHitGpu::create(0, {.pairs_expected = 10});
    REQUIRE(gpu.ok());
    Random random(34);
    const Sequence ancestor = random_protein(random, 130);
    const std::vector<TestQuery> queries = mixed_queries(random, ancestor);
    const Targets targets = mixed_targets(random, queries, ancestor, 1);
    CHECK(compare(**gpu, targets, queries, {WordRule::uncompressed(*builtin_matrix("BLOSUM62"), 3, 11)}) > 10);
}

TEST_CASE("many short queries: more than a block takes") {
    if (!have_gpu()) return;
    auto gpu = WordHitGpu::create(0);
    REQUIRE(gpu.ok());
    Random random(35);
    std::vector<TestQuery> queries;
    std::vector<Sequence> targets;
    for (int i = 0; i < 600; ++i) queries.push_back(whole(random_protein(random, random.below(20)), 16, 24));
    for (int i = 0; i < 40; ++i) targets.push_back(mutated(random, queries[random.below(600)].residues, 0.9));
    for (int i = 0; i < 40; ++i) targets.push_back(random_protein(random, 200));
    CHECK(compare(**gpu, Targets(targets, 0), queries,
                  {WordRule::uncompressed(*builtin_matrix("BLOSUM62"), 3, 11), 5}) > 10);
}

TEST_CASE("nothing to search for, nothing to search in") {
    if (!have_gpu()) return;
    auto gpu = WordHitGpu::create(0);
    REQUIRE(gpu.ok());
    const Rules rules{WordRule::uncompressed(*builtin_matrix("BLOSUM62"), 3, 11)};
    CHECK(compare(**gpu, Targets({{}, {}}, 0), {whole({})}, rules) == 0);
    CHECK(compare(**gpu, Targets({{1, 2, 3, 4}}, 0), {}, rules) == 0);
}

TEST_CASE("small: both rules") {  // small enough for compute-sanitizer's racecheck
    if (!have_gpu()) return;
    auto gpu = WordHitGpu::create(0);
    REQUIRE(gpu.ok());
    Random random(36);
    const Sequence ancestor = random_protein(random, 60);
    const std::vector<TestQuery> queries = mixed_queries(random, ancestor);
    const Targets targets = mixed_targets(random, queries, ancestor, 1);
    for (const std::uint32_t window : {0u, 40u}) {
        CHECK(compare(**gpu, targets, queries,
                      {WordRule::uncompressed(*builtin_matrix("BLOSUM62"), 3, 11), window, CpuBackend::kReference,
                       1024}) > 10);
    }
}
