// Composition-based statistics of a pair: its letters, its masked residues, and pairs that are not
// adjusted.
#include "engines/composition/adjusted_pair.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "kernels/smith_waterman/local_alignment.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/random_proteins.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

const ScoringScheme kScheme{*builtin_matrix("BLOSUM62"), {11, 1}};
const AlignmentStatistics kStatistics = *AlignmentStatistics::find(kScheme);
const CompositionAdjuster kAdjuster =
    CompositionAdjuster::create(kScheme.matrix, CompositionMode::kConditional).value();

Sequence copy_of(std::span<const ResidueCode> residues) { return {residues.begin(), residues.end()}; }

}  // namespace

TEST_CASE("a query's U is C, its O is X, and a target's letters stay") {
    AdjustedPair pair(kAdjuster, kScheme, kStatistics);
    pair.set_query(encode_residues("MKUOXBZ"));
    CHECK(copy_of(pair.query()) == encode_residues("MKCXXBZ"));
    pair.set_target(encode_residues("MKUOXBZ"));
    CHECK(copy_of(pair.target()) == encode_residues("MKUOXBZ"));
    CHECK(pair.scores().gaps.open == 11 * kAdjustedScale);
    CHECK(pair.scores().gaps.extend == 1 * kAdjustedScale);
    CHECK(pair.lambda() * kAdjustedScale == doctest::Approx(0.267));
}

TEST_CASE("low complexity is masked, and scores are those of what is left") {
    Random random(41);
    const Sequence left = random_protein(random, 80), right = random_protein(random, 90);
    Sequence target = left;
    target.insert(target.end(), 40, encode_residues("Q").front());
    target.insert(target.end(), right.begin(), right.end());
    AdjustedPair pair(kAdjuster, kScheme, kStatistics);
    pair.set_query(left);
    REQUIRE(pair.set_masked_target(target));
    const Sequence masked = copy_of(pair.target());
    REQUIRE(masked.size() == target.size());
    CHECK(std::count(masked.begin() + 80, masked.begin() + 120, kCodeX) == 40);
    CHECK(std::count(masked.begin(), masked.begin() + 70, kCodeX) == 0);
    REQUIRE(pair.adjust());
    const PairScores of_masked = pair.scores();

    // Stretches that were found before give the same.
    AdjustedPair other(kAdjuster, kScheme, kStatistics);
    other.set_query(left);
    const std::vector<SegStretch> stretches = low_complexity_of(target);
    REQUIRE(other.set_masked_target(target, stretches));
    CHECK(copy_of(other.target()) == masked);
    REQUIRE(other.adjust());
    CHECK(other.scores().pairs == of_masked.pairs);
    CHECK(low_complexity_of(left).empty());
    CHECK_FALSE(other.set_masked_target(left, {}));
    CHECK(copy_of(other.target()) == left);

    pair.set_target(target);
    REQUIRE(pair.adjust());
    CHECK(pair.scores().pairs != of_masked.pairs);  // the Qs count
    CHECK_FALSE(pair.set_masked_target(left));
    CHECK(copy_of(pair.target()) == left);

    pair.set_target(encode_residues("XXXXBZ"));
    CHECK_FALSE(pair.adjust());
}

TEST_CASE("near copies are known by bits a residue, by length, and by residues") {
    Random random(42);
    const Sequence query = random_protein(random, 200);
    AdjustedPair pair(kAdjuster, kScheme, kStatistics);
    pair.set_query(query);
    // 1.74 bits are 4.52 raw units.
    CHECK(pair.may_be_near_identical({452, 0, 100, 0, 100}));
    CHECK_FALSE(pair.may_be_near_identical({451, 0, 100, 0, 100}));
    CHECK(pair.may_be_near_identical({452, 0, 100, 0, 130}));
    CHECK(pair.may_be_near_identical({300, 0, 49, 0, 49}));
    CHECK_FALSE(pair.may_be_near_identical({300, 0, 48, 0, 48}));
    pair.set_query(std::span(query).first(30));
    CHECK(pair.may_be_near_identical({200, 0, 29, 0, 29}));
    CHECK_FALSE(pair.may_be_near_identical({200, 0, 28, 0, 28}));

    pair.set_query(query);
    Sequence target = random_protein(random, 20);
    target.insert(target.end(), query.begin(), query.end());
    const AlignedBox whole{1000, 0, 200, 20, 220};
    CHECK(pair.is_near_identical(whole, target));
    for (std::size_t k = 25; k < 220; k += 20) target[k] = static_cast<ResidueCode>((target[k] + 1) % kAminoAcids);
    CHECK_FALSE(pair.is_near_identical(whole, target));
}

TEST_CASE("limits before scores are adjusted") {
    CHECK(preliminary_evalue(10, CompositionMode::kNone) == 10);
    CHECK(preliminary_evalue(10, CompositionMode::kScaled) == 10);
    CHECK(preliminary_evalue(10, CompositionMode::kConditional) == 50);
    CHECK(preliminary_evalue(0.1, CompositionMode::kOptimized) == 0.5);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    CHECK(preliminary_evalue(kInfinity, CompositionMode::kConditional) == kInfinity);
    CHECK(preliminary_targets(5) == 1050);
    CHECK(preliminary_targets(500) == 1050);
    CHECK(preliminary_targets(600) == 1250);
}

TEST_CASE("a score that cannot be a near copy's is known before its alignment is") {
    Random random(43);
    AdjustedPair pair(kAdjuster, kScheme, kStatistics);
    const PairScores scores = pair_scores(kScheme);
    int near = 0, ruled_out = 0;
    for (int round = 0; round < 600; ++round) {
        const Sequence query = random_protein(random, 1 + random.below(120));
        const Sequence target = mutated(random, query, 0.3 + 0.1 * static_cast<double>(random.below(8)), 0.02);
        const Alignment alignment = align_local(runnable_cpu_backends().back(), query, target, scores);
        if (alignment.score_raw == 0) continue;
        pair.set_query(query);
        const bool may_be = pair.may_be_near_identical({alignment.score_raw, alignment.query_begin, alignment.query_end,
                                                        alignment.target_begin, alignment.target_end});
        if (may_be) CHECK(pair.may_be_near_identical(alignment.score_raw));
        near += may_be;
        ruled_out += !pair.may_be_near_identical(alignment.score_raw);
    }
    CHECK(near > 50);
    CHECK(ruled_out > 50);

    // The query has only Ws, half as many as the target needs. The alignment has a gap for the
    // rest.
    const Sequence tryptophans(60, encode_residues("W").front());
    pair.set_query(tryptophans);
    const std::int64_t with_gap = 20 * 11 - (11 + 29);
    CHECK(pair.may_be_near_identical({with_gap, 0, 20, 0, 49}));
    CHECK(pair.may_be_near_identical(with_gap));
    CHECK_FALSE(pair.may_be_near_identical(std::int64_t{30}));
}
