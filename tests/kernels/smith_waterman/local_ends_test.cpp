// The ends of best local alignments that avoid pairs. They are compared with whole matrices of the
// recurrence. If nothing is forbidden, they are also compared with the alignment with its path.
#include "kernels/smith_waterman/local_ends.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/smith_waterman/local_alignment.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/random_proteins.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

const CpuBackend kBest = runnable_cpu_backends().back();

using Matrix = std::vector<std::vector<std::int64_t>>;

/// Returns the first highest cell of H, row by row. forbidden[i][j] is set for pairs that must not
/// be aligned.
LocalEnd naive_end(const PairScores& scores, const Sequence& query, const Sequence& target,
                   const std::vector<std::vector<bool>>& forbidden) {
    constexpr std::int64_t kNone = std::numeric_limits<std::int32_t>::min();
    const Matrix empty(query.size() + 1, std::vector<std::int64_t>(target.size() + 1, kNone));
    Matrix h(query.size() + 1, std::vector<std::int64_t>(target.size() + 1, 0)), e = empty, f = empty;
    LocalEnd best;
    for (std::size_t i = 1; i <= query.size(); ++i) {
        for (std::size_t j = 1; j <= target.size(); ++j) {
            e[i][j] = std::max(h[i][j - 1] - scores.gaps.first(), e[i][j - 1] - scores.gaps.extend);
            f[i][j] = std::max(h[i - 1][j] - scores.gaps.first(), f[i - 1][j] - scores.gaps.extend);
            const std::int64_t pair = h[i - 1][j - 1] + scores.pairs[query[i - 1]][target[j - 1]];
            h[i][j] = std::max({std::int64_t{0}, forbidden[i - 1][j - 1] ? 0 : pair, e[i][j], f[i][j]});
            if (h[i][j] > best.score_raw) best = {static_cast<std::int32_t>(h[i][j]), i - 1, j - 1};
        }
    }
    return best;
}

}  // namespace

TEST_CASE(
    "ends and begins are those of the recurrence, whatever is forbidden; the next best alignment scores no more") {
    Random random(61);
    for (const ScoringScheme& scheme :
         {ScoringScheme{*builtin_matrix("BLOSUM62"), {11, 1}}, ScoringScheme{*builtin_matrix("BLOSUM62"), {2, 2}}}) {
        const PairScores scores = pair_scores(scheme);
        int several = 0;
        for (int round = 0; round < 150; ++round) {
            const Sequence query = random_protein(random, 1 + random.below(60));
            Sequence target = mutated(random, query, 0.6);
            if (random.below(2) == 0) target.insert(target.end(), query.begin(), query.end());
            if (target.empty()) continue;
            ForbiddenRanges forbidden(query.size());
            std::vector<std::vector<bool>> is_forbidden(query.size(), std::vector<bool>(target.size()));
            std::int32_t last = std::numeric_limits<std::int32_t>::max();
            for (int turn = 0; turn < 4; ++turn) {
                const LocalEnd expected = naive_end(scores, query, target, is_forbidden);
                const LocalEnd end = find_local_end(scores, query, target, forbidden);
                REQUIRE(end.score_raw == expected.score_raw);
                REQUIRE(end.query == expected.query);
                REQUIRE(end.target == expected.target);
                REQUIRE(end.score_raw <= last);
                last = end.score_raw;
                if (turn == 0) REQUIRE(end.score_raw == align_local(kBest, query, target, scores).score_raw);
                if (end.score_raw == 0) break;
                several += turn == 1;
                const LocalEnd begin = find_local_begin(scores, query, target, end, forbidden);
                REQUIRE(begin.score_raw == end.score_raw);
                REQUIRE(begin.query <= end.query);
                REQUIRE(begin.target <= end.target);
                // The residues between the ends reach the score by themselves. No shorter part of
                // them does.
                const auto between = [](const Sequence& of, std::uint64_t from, std::uint64_t to) {
                    return Sequence(of.begin() + static_cast<std::ptrdiff_t>(from),
                                    of.begin() + static_cast<std::ptrdiff_t>(to) + 1);
                };
                if (turn == 0) {
                    const auto part = align_local(kBest, between(query, begin.query, end.query),
                                                  between(target, begin.target, end.target), scores);
                    REQUIRE(part.score_raw == end.score_raw);
                    REQUIRE(part.query_begin == 0);
                    REQUIRE(part.target_begin == 0);
                }
                forbidden.add(begin.query, end.query + 1, begin.target, end.target);
                for (std::uint64_t i = begin.query; i <= end.query; ++i) {
                    for (std::uint64_t j = begin.target; j <= end.target; ++j) is_forbidden[i][j] = true;
                }
            }
        }
        CHECK(several > 50);
    }
}

TEST_CASE("the first of equal scores is taken, from each side; without a pair above 0 there is no alignment") {
    const PairScores scores = pair_scores({*builtin_matrix("BLOSUM62"), {11, 1}});
    const Sequence query = encode_residues("WAAAW"), target = encode_residues("WPPPPPW");
    const ForbiddenRanges nothing(query.size());
    const LocalEnd end = find_local_end(scores, query, target, nothing);
    CHECK(end.score_raw == 11);
    CHECK(end.query == 0);
    CHECK(end.target == 0);
    const LocalEnd begin = find_local_begin(scores, query, target, {11, 4, 6}, nothing);
    CHECK(begin.query == 4);
    CHECK(begin.target == 6);
    CHECK(find_local_end(scores, encode_residues("W"), encode_residues("P"), ForbiddenRanges(1)).score_raw == 0);
    CHECK(find_local_end(scores, query, {}, nothing).score_raw == 0);
    ForbiddenRanges all(query.size());
    all.add(0, 5, 0, 6);
    CHECK(find_local_end(scores, query, target, all).score_raw == 0);
}
