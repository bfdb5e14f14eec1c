// Every Smith-Waterman back end that this processor runs against the scalar reference, on one table
// of cases. Scores have to be equal to the last unit, whatever the width they were computed in.
#include "kernels/smith_waterman/smith_waterman.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "kernels/smith_waterman/smith_waterman_reference.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/random_proteins.h"
#include "tests/support/tile_builder.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

constexpr ResidueCode kCodeW = 18;

// Sequences of one tile, longest first. A linear tile has one.
struct TileSequences {
    TileLayout layout;
    std::vector<Sequence> sequences;
};

struct Expectation {
    bool wants_16_bit = false;  // some score has to have saturated 8 bits
    bool wants_32_bit = false;  // and 16 bits
    bool only_zeros = false;    // no pair scores anything
};

void by_descending_length(std::vector<Sequence>& sequences) {
    std::stable_sort(sequences.begin(), sequences.end(),
                     [](const Sequence& a, const Sequence& b) { return a.size() > b.size(); });
}

TileSequences interleaved(std::vector<Sequence> sequences) {
    by_descending_length(sequences);
    return {TileLayout::kInterleaved, std::move(sequences)};
}

TileSequences linear(Sequence sequence) { return {TileLayout::kLinear, {std::move(sequence)}}; }

// Scores the whole table with every back end, in one call and with one workspace for everything.
void check_all_back_ends(const std::vector<Sequence>& queries, const std::vector<TileSequences>& tiles,
                         const ScoringScheme& scheme, const Expectation& expectation = {}) {
    TileBuilder builder;
    std::vector<const Sequence*> targets;
    std::uint64_t cells = 0;
    for (const TileSequences& tile : tiles) {
        if (tile.layout == TileLayout::kLinear) {
            builder.add_linear(tile.sequences.front());
        } else {
            builder.add_interleaved(tile.sequences);
        }
        for (const Sequence& sequence : tile.sequences) targets.push_back(&sequence);
    }
    std::vector<std::int32_t> expected;
    for (const Sequence& query : queries) {
        for (const Sequence* target : targets) {
            expected.push_back(static_cast<std::int32_t>(reference_smith_waterman_raw(query, *target, scheme)));
            cells += query.size() * target->size();
        }
    }
    const bool any_score = std::any_of(expected.begin(), expected.end(), [](std::int32_t s) { return s != 0; });
    CHECK(any_score == !expectation.only_zeros);

    const std::vector<std::span<const ResidueCode>> query_spans(queries.begin(), queries.end());
    const std::vector<TileView> views = builder.views();
    for (const CpuBackend backend : runnable_cpu_backends()) {
        CAPTURE(std::string(cpu_backend_name(backend)));
        auto scorer = make_smith_waterman_scorer(backend, query_spans, scheme);
        REQUIRE(scorer.ok());
        REQUIRE((*scorer)->backend() == backend);
        auto workspace = (*scorer)->make_workspace();
        for (int repeat = 0; repeat < 2; ++repeat) {  // the second time, the workspace was used before
            std::vector<std::int32_t> scores(expected.size(), -1);
            workspace->counts = {};
            (*scorer)->score(views, *workspace, scores);
            for (std::size_t i = 0; i < scores.size(); ++i) {
                if (scores[i] == expected[i]) continue;
                const std::size_t q = i / targets.size(), t = i % targets.size();
                FAIL("query ", q, " of ", queries[q].size(), " residues, lane ", t, " of ", targets[t]->size(),
                     " residues: ", scores[i], " instead of ", expected[i]);
            }
            CHECK(workspace->counts.cells == cells);
            if (backend == CpuBackend::kReference) continue;
            CHECK((workspace->counts.cells_16_bit > 0) == expectation.wants_16_bit);
            CHECK((workspace->counts.cells_32_bit > 0) == expectation.wants_32_bit);
        }
    }
}

SubstitutionMatrix random_matrix(Random& random, int lowest, int highest) {
    const std::uint64_t scores = static_cast<std::uint64_t>(highest) + static_cast<std::uint64_t>(-lowest) + 1;
    SubstitutionMatrix::Table table{};
    for (auto& row : table) {
        for (auto& score : row) score = static_cast<std::int8_t>(lowest + static_cast<int>(random.below(scores)));
    }
    return SubstitutionMatrix("random", table);
}

SubstitutionMatrix match_mismatch(int match, int mismatch) {
    SubstitutionMatrix::Table table{};
    for (std::size_t q = 0; q < table.size(); ++q) {
        for (std::size_t t = 0; t < table.size(); ++t) {
            table[q][t] = static_cast<std::int8_t>(q == t ? match : mismatch);
        }
    }
    return SubstitutionMatrix("match " + std::to_string(match), table);
}

ScoringScheme blosum62(int open = 11, int extend = 1) { return {builtin_matrix("BLOSUM62").value(), {open, extend}}; }

// Queries, and tiles in which some sequences are related to them.
struct RealLike {
    std::vector<Sequence> queries;
    std::vector<TileSequences> tiles;
};

RealLike real_like(Random& random, const std::vector<std::size_t>& query_residues, std::size_t sequences,
                   std::size_t longest_residues) {
    RealLike data;
    for (const std::size_t residues : query_residues) data.queries.push_back(random_protein(random, residues));
    std::vector<Sequence> targets;
    for (std::size_t s = 0; s < sequences; ++s) {
        Sequence target = random_protein(random, random.below(longest_residues + 1));
        if (s % 3 == 0 && !data.queries.empty()) {
            const Sequence& query = data.queries[random.below(data.queries.size())];
            const Sequence relative = mutated(random, query, 0.3 + 0.7 * random.uniform());
            target.insert(target.begin() + static_cast<std::ptrdiff_t>(random.below(target.size() + 1)),
                          relative.begin(), relative.end());
        }
        targets.push_back(std::move(target));
    }
    by_descending_length(targets);
    for (std::size_t first = 0; first < targets.size(); first += kTileLanes) {
        const std::size_t end = std::min<std::size_t>(first + kTileLanes, targets.size());
        data.tiles.push_back(interleaved({targets.begin() + static_cast<std::ptrdiff_t>(first),
                                          targets.begin() + static_cast<std::ptrdiff_t>(end)}));
    }
    return data;
}

}  // namespace

TEST_CASE("real-like pairs under every built-in matrix") {
    Random random(11);
    const RealLike data = real_like(random, {1, 30, 64, 300}, 70, 400);
    for (const std::string_view name : builtin_matrix_names()) {
        CAPTURE(std::string(name));
        check_all_back_ends(data.queries, data.tiles, {builtin_matrix(name).value(), {11, 1}}, {.wants_16_bit = true});
    }
}

TEST_CASE("gap costs from none to prohibitive") {
    Random random(12);
    const RealLike data = real_like(random, {5, 77, 200}, 40, 300);
    const std::vector<GapCosts> all_costs = {{0, 0},   {0, 1},    {1, 0},     {3, 3},         {10, 10},
                                             {126, 1}, {127, 0},  {127, 1},   {100, 100},     {0, 128},
                                             {254, 1}, {1000, 5}, {40000, 1}, {1'000'000, 0}, {1'000'000, 1'000'000}};
    for (const GapCosts& gaps : all_costs) {
        CAPTURE(gaps.open);
        CAPTURE(gaps.extend);
        check_all_back_ends(data.queries, data.tiles, {builtin_matrix("BLOSUM62").value(), gaps},
                            {.wants_16_bit = true});
    }
}

TEST_CASE("gaps that cost little make gaps next to gaps") {
    Random random(13);
    // Mismatches cost so much that a gap in each sequence is cheaper. So E follows F, and F follows
    // E.
    for (const GapCosts& gaps : {GapCosts{0, 0}, GapCosts{0, 1}, GapCosts{1, 0}, GapCosts{1, 1}, GapCosts{2, 1}}) {
        const RealLike data = real_like(random, {3, 40, 130}, 33, 150);
        CAPTURE(gaps.open);
        CAPTURE(gaps.extend);
        std::vector<TileSequences> tiles = data.tiles;
        tiles.push_back(linear(mutated(random, data.queries[2], 0.5)));
        check_all_back_ends(data.queries, tiles, {match_mismatch(5, -60), gaps}, {.wants_16_bit = true});
    }
}

TEST_CASE("random matrices, any residue code") {
    Random random(14);
    for (int round = 0; round < 12; ++round) {
        const int lowest = -static_cast<int>(random.below(128)), highest = static_cast<int>(random.below(20));
        const ScoringScheme scheme{random_matrix(random, lowest, std::max(highest, 1)),
                                   {static_cast<int>(random.below(30)), static_cast<int>(random.below(6))}};
        std::vector<Sequence> queries, targets;
        for (int q = 0; q < 3; ++q) queries.push_back(random_codes(random, 1 + random.below(150)));
        for (int t = 0; t < 40; ++t) targets.push_back(random_codes(random, random.below(120)));
        targets.push_back(queries[0]);
        // The test expects no widths, because the matrix determines which scores saturate.
        TileBuilder builder;
        std::vector<Sequence> first(targets.begin(), targets.begin() + 20), second(targets.begin() + 20, targets.end());
        const std::vector<TileSequences> tiles = {interleaved(first), interleaved(second), linear(queries[1])};
        std::int64_t highest_raw = 0;
        for (const Sequence& query : queries) {
            for (const TileSequences& tile : tiles) {
                for (const Sequence& target : tile.sequences) {
                    highest_raw = std::max(highest_raw, reference_smith_waterman_raw(query, target, scheme));
                }
            }
        }
        check_all_back_ends(queries, tiles, scheme, {.wants_16_bit = highest_raw > 254});
    }
}

TEST_CASE("exactly at the ends of 8 bits") {
    // With one kind of residue, a match of 1 and no alternative, the score is the shorter length.
    const ScoringScheme scheme{match_mismatch(1, -1), {11, 1}};
    for (const std::size_t residues : {253u, 254u, 255u, 256u}) {
        CAPTURE(residues);
        const Sequence a(residues, 0);
        check_all_back_ends({a}, {interleaved({Sequence(300, 0), a, Sequence(5, 0)})}, scheme,
                            {.wants_16_bit = residues > 254});
        check_all_back_ends({a}, {linear(a)}, scheme, {.wants_16_bit = residues > 254});
    }
    // With a first gap cost above 127, 8 bits are exact only up to 127.
    for (const std::size_t residues : {126u, 127u, 128u}) {
        CAPTURE(residues);
        const Sequence a(residues, 0);
        check_all_back_ends({a}, {interleaved({a, Sequence(5, 0)}), linear(a)}, {scheme.matrix, {200, 1}},
                            {.wants_16_bit = residues > 127});
    }
}

TEST_CASE("exactly at the ends of 16 bits") {
    const ScoringScheme scheme{match_mismatch(127, -1), {11, 1}};
    for (const std::size_t residues : {515u, 516u, 517u}) {  // times 127: 65,405, 65,532, 65,659
        CAPTURE(residues);
        const Sequence a(residues, 3);
        const Expectation expectation{.wants_16_bit = true, .wants_32_bit = residues > 516};
        check_all_back_ends({a}, {interleaved({a, Sequence(5, 3)})}, scheme, expectation);
        check_all_back_ends({a}, {interleaved(std::vector<Sequence>(32, a))}, scheme, expectation);
        check_all_back_ends({a}, {linear(a)}, scheme, expectation);
    }
    const ScoringScheme steps_of_one{match_mismatch(1, -1), {11, 1}};
    for (const std::size_t residues : {65534u, 65535u}) {
        CAPTURE(residues);
        // The reference would take long for this square. One row against a column of the other kind
        // is enough.
        const Sequence query(residues, 3);
        const std::vector<std::span<const ResidueCode>> queries = {query};
        TileBuilder builder;
        builder.add_linear(query);
        for (const CpuBackend backend : {runnable_cpu_backends().back()}) {
            auto scorer = make_smith_waterman_scorer(backend, queries, steps_of_one);
            REQUIRE(scorer.ok());
            auto workspace = (*scorer)->make_workspace();
            std::int32_t score_raw = 0;
            (*scorer)->score(builder.views(), *workspace, {&score_raw, 1});
            CHECK(score_raw == static_cast<std::int32_t>(residues));
            CHECK((workspace->counts.cells_32_bit > 0) == (residues > 65534));
        }
    }
}

TEST_CASE("gap costs clamped in 16 bits") {
    const ScoringScheme scheme{match_mismatch(127, -1), {40'000, 1}};
    for (const std::size_t residues : {257u, 258u, 259u}) {  // times 127: 32,639, 32,766, 32,893
        const Sequence a(residues, 3);
        check_all_back_ends({a}, {interleaved({a, Sequence(5, 3)}), linear(a)}, scheme,
                            {.wants_16_bit = true, .wants_32_bit = residues > 258});
    }
}

TEST_CASE("query lengths around every number of lanes") {
    Random random(15);
    std::vector<Sequence> queries;
    for (const std::size_t lanes : {1u, 4u, 8u, 16u, 32u, 64u, 128u}) {
        for (const std::size_t residues : {lanes - 1, lanes + 0, lanes + 1}) {
            queries.push_back(random_protein(random, residues));
        }
    }
    std::vector<TileSequences> tiles = {interleaved({random_protein(random, 90), random_protein(random, 7)})};
    std::vector<Sequence> relatives;
    relatives.reserve(queries.size());
    for (const Sequence& query : queries) relatives.push_back(mutated(random, query, 0.9));
    tiles.push_back(interleaved(relatives));
    for (const Sequence& query : queries) tiles.push_back(linear(mutated(random, query, 0.8)));
    tiles.push_back(linear(random_protein(random, 500)));
    check_all_back_ends(queries, tiles, blosum62(), {.wants_16_bit = true});
    check_all_back_ends(queries, tiles, blosum62(3, 1), {.wants_16_bit = true});
}

TEST_CASE("sequences of length 0, 1 and around the column block, in every lane") {
    Random random(16);
    const Sequence query = random_protein(random, 60);
    for (const std::size_t longest : {1u, 2u, 5u, 6u, 7u, 8u, 9u, 12u, 16u, 17u, 24u, 25u}) {
        std::vector<Sequence> sequences;
        for (std::size_t lane = 0; lane < kTileLanes; ++lane) {
            const std::size_t residues = longest - std::min(longest - 1, lane % longest);
            const std::size_t from = random.below(query.size() - residues);
            sequences.push_back({query.begin() + static_cast<std::ptrdiff_t>(from),
                                 query.begin() + static_cast<std::ptrdiff_t>(from + residues)});
        }
        check_all_back_ends({query}, {interleaved(sequences)}, blosum62());
    }
    const std::vector<Sequence> some = {{}, {0}, query};
    check_all_back_ends(some, {interleaved(some)}, blosum62(), {.wants_16_bit = true});
}

TEST_CASE("one sequence: gaps across the query from lane to lane") {
    // Two blocks of the query that match next to each other in the target, and a stretch of query
    // between them whose gap is worth its cost or not, by a little. Scores stay within 8 bits,
    // where such gaps cross the lanes of a striped vector.
    Random random(22);
    for (int round = 0; round < 1000; ++round) {
        // The blocks score about the same, 11 and 9 a residue, so that even a small part of the
        // first one's shows.
        const std::size_t first_block = 8 + random.below(11), second_block = first_block * 11 / 9 + random.below(3);
        Sequence query(random.below(150), kCodeX);
        query.insert(query.end(), first_block, kCodeW);
        query.insert(query.end(), 1 + random.below(24), kCodeX);
        query.insert(query.end(), second_block, kCodeC);
        query.insert(query.end(), random.below(150), kCodeX);
        Sequence target(first_block, kCodeW);
        target.insert(target.end(), second_block, kCodeC);
        static constexpr std::array kExtend = {0, 1, 2, 10, 30, 50};
        const ScoringScheme scheme =
            blosum62(static_cast<int>(random.below(20)), kExtend[random.below(kExtend.size())]);
        const bool saturates = reference_smith_waterman_raw(query, target, scheme) > 254;
        check_all_back_ends({query}, {linear(target)}, scheme, {.wants_16_bit = saturates});
    }
}

TEST_CASE("nothing to score") {
    const Sequence empty, one = {0};
    check_all_back_ends({empty}, {interleaved({one, one})}, blosum62(), {.only_zeros = true});
    check_all_back_ends({one, empty}, {interleaved({empty, empty}), linear(empty)}, blosum62(), {.only_zeros = true});
    check_all_back_ends({empty, empty}, {linear(one)}, blosum62(), {.only_zeros = true});
    const Sequence unknown(200, kCodeX);
    check_all_back_ends({unknown}, {interleaved({unknown, unknown}), linear(unknown)}, blosum62(),
                        {.only_zeros = true});
    const ScoringScheme hostile{match_mismatch(-1, -127), {0, 0}};
    check_all_back_ends({unknown}, {interleaved({unknown})}, hostile, {.only_zeros = true});
}

TEST_CASE("1 to 70 lanes in one to three tiles") {
    Random random(17);
    const Sequence query = random_protein(random, 45);
    for (std::size_t lanes = 1; lanes <= 70; ++lanes) {
        CAPTURE(lanes);
        std::vector<TileSequences> tiles;
        std::vector<Sequence> sequences;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            sequences.push_back(lane % 2 ? mutated(random, query, 0.7) : random_protein(random, random.below(60)));
            if (sequences.size() == kTileLanes || lane + 1 == lanes) {
                tiles.push_back(interleaved(sequences));
                sequences.clear();
            }
        }
        tiles.front().sequences.front() = mutated(random, query, 1.0, 0.0);
        by_descending_length(tiles.front().sequences);
        std::vector<Sequence> queries = {query, random_protein(random, 3)};
        std::int64_t highest_raw = 0;
        for (const TileSequences& tile : tiles) {
            for (const Sequence& target : tile.sequences) {
                highest_raw = std::max(highest_raw, reference_smith_waterman_raw(query, target, blosum62()));
            }
        }
        check_all_back_ends(queries, tiles, blosum62(), {.wants_16_bit = highest_raw > 254});
    }
}

TEST_CASE("linear and interleaved tiles mixed") {
    Random random(18);
    RealLike data = real_like(random, {10, 120, 260}, 96, 200);
    for (const std::size_t at : {0u, 1u, 2u, 5u}) {
        Sequence giant = random_protein(random, 3000);
        const Sequence relative = mutated(random, data.queries[at % 3], 0.8);
        giant.insert(giant.begin() + 1500, relative.begin(), relative.end());
        data.tiles.insert(
            data.tiles.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(at, data.tiles.size())),
            linear(giant));
    }
    check_all_back_ends(data.queries, data.tiles, blosum62(), {.wants_16_bit = true});
    check_all_back_ends(data.queries, data.tiles, blosum62(0, 0), {.wants_16_bit = true});
}

TEST_CASE("every share of a tile's lanes saturates") {
    // Where the lanes that saturate 8 bits become many, the whole group is computed again instead
    // of single lanes.
    Random random(19);
    const Sequence query = random_protein(random, 150);
    for (std::size_t saturated = 0; saturated <= kTileLanes; ++saturated) {
        CAPTURE(saturated);
        std::vector<Sequence> sequences;
        for (std::size_t lane = 0; lane < kTileLanes; ++lane) {
            Sequence sequence = random_protein(random, 160);
            if (lane < saturated) sequence = mutated(random, query, 0.95, 0.01);
            sequence.resize(160, kCodeX);
            // Lanes keep their place, since all are of one length; so the saturated ones are spread
            // over both halves.
            sequences.insert(lane % 2 ? sequences.end() : sequences.begin(), sequence);
        }
        check_all_back_ends({query}, {interleaved(sequences), interleaved({random_protein(random, 90)})}, blosum62(),
                            {.wants_16_bit = saturated > 0});
    }
}

TEST_CASE("few sequences, all of them saturating early") {
    // The narrow pass gives up, yet the sequences are too few for the whole group to be worth
    // computing again.
    Random random(21);
    const Sequence query = random_protein(random, 600);
    for (const std::size_t lanes : {1u, 2u, 3u, 4u, 7u, 8u, 9u}) {
        std::vector<Sequence> sequences;
        sequences.reserve(lanes);
        for (std::size_t lane = 0; lane < lanes; ++lane) sequences.push_back(mutated(random, query, 0.95));
        check_all_back_ends({query, random_protein(random, 50)}, {interleaved(sequences)}, blosum62(),
                            {.wants_16_bit = true});
    }
}

TEST_CASE("one giant among short ones, and a long query") {
    Random random(20);
    const Sequence query = random_protein(random, 1200);
    Sequence giant = mutated(random, query, 0.9);
    const Sequence tail = random_protein(random, 4000);
    giant.insert(giant.end(), tail.begin(), tail.end());
    check_all_back_ends({query}, {interleaved({giant, random_protein(random, 20), {}}), linear(giant)}, blosum62(),
                        {.wants_16_bit = true});
}
