// Gapped extensions. They are compared with a full matrix if the X-drop cannot matter, with each
// other, and with worked examples.
#include "kernels/seeds/gapped_extension.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <stop_token>
#include <string>
#include <vector>

#include "kernels/smith_waterman/local_alignment.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/random_proteins.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

constexpr int kNoDrop = 1'000'000;

// Returns the highest score of an alignment that begins at the corner and ends anywhere.
std::int64_t best_from_corner(const Sequence& query, const Sequence& target, const ScoringScheme& scheme) {
    constexpr std::int64_t kMinusInfinity = -(std::int64_t{1} << 40);
    const std::size_t n = target.size();
    std::vector<std::int64_t> h(n + 1, kMinusInfinity), f(n + 1, kMinusInfinity);
    std::int64_t best = 0;
    for (std::size_t i = 0; i <= query.size(); ++i) {
        std::int64_t diagonal = kMinusInfinity, e = kMinusInfinity;
        for (std::size_t j = 0; j <= n; ++j) {
            const std::int64_t above = h[j];
            f[j] = std::max(f[j] - scheme.gaps.extend, above - scheme.gaps.first());
            std::int64_t cell = i == 0 && j == 0 ? 0 : kMinusInfinity;
            if (i > 0 && j > 0) cell = std::max(cell, diagonal + scheme.matrix.score_raw(query[i - 1], target[j - 1]));
            cell = std::max({cell, e, i > 0 ? f[j] : kMinusInfinity});
            e = std::max(e - scheme.gaps.extend, cell - scheme.gaps.first());
            diagonal = above;
            h[j] = cell;
            best = std::max(best, cell);
        }
    }
    return best;
}

struct Halves {
    Sequence left_query, left_target, right_query, right_target;  // left ones from the seed outward, the seed included
};
Halves split(const Sequence& query, const Sequence& target, std::size_t query_seed, std::size_t target_seed) {
    Halves halves{{query.begin(), query.begin() + static_cast<std::ptrdiff_t>(query_seed) + 1},
                  {target.begin(), target.begin() + static_cast<std::ptrdiff_t>(target_seed) + 1},
                  {query.begin() + static_cast<std::ptrdiff_t>(query_seed) + 1, query.end()},
                  {target.begin() + static_cast<std::ptrdiff_t>(target_seed) + 1, target.end()}};
    std::ranges::reverse(halves.left_query);
    std::ranges::reverse(halves.left_target);
    return halves;
}

}  // namespace

TEST_CASE("without a drop, both forms reach the best score of each half, and the path scores what it says") {
    Random random(3);
    for (const char* name : {"BLOSUM62", "PAM30"}) {
        const ScoringScheme scheme{*builtin_matrix(name), {11, 1}};
        const PairScores scores = pair_scores(scheme);
        GappedExtender extender(runnable_cpu_backends().back());
        for (int round = 0; round < 60; ++round) {
            const Sequence query = random_protein(random, 2 + random.below(60));
            Sequence target = mutated(random, query, 0.6, 0.05);
            if (target.size() < 2) target = random_protein(random, 5);
            const std::size_t query_seed = random.below(query.size()), target_seed = random.below(target.size());
            const Halves halves = split(query, target, query_seed, target_seed);
            const std::int64_t expected = best_from_corner(halves.left_query, halves.left_target, scheme) +
                                          best_from_corner(halves.right_query, halves.right_target, scheme);
            const auto extent =
                extender.extend(scores, query, target, query_seed, target_seed, kNoDrop, GappedExtender::Form::kScore);
            CHECK(extent.score_raw == expected);
            const Alignment alignment = extender.align(scores, query, target, query_seed, target_seed, kNoDrop);
            // If both halves begin with the same gap, it is one gap that was paid for twice.
            const std::int64_t gain = rescore(alignment, query, target, scheme) - alignment.score_raw;
            CHECK((gain == 0 || gain == scheme.gaps.open));
            CHECK(alignment.score_raw >= expected);  // more where a half ended in a gap
            if (!alignment.runs.empty()) {
                CHECK(alignment.runs.front().operation == AlignmentOperation::kMatch);
                CHECK(alignment.runs.back().operation == AlignmentOperation::kMatch);
            }
        }
    }
}

TEST_CASE("a drop never gains, and a wider one never loses against the local optimum") {
    Random random(5);
    const PairScores scores = pair_scores({*builtin_matrix("BLOSUM62"), {11, 1}});
    GappedExtender extender(runnable_cpu_backends().back());
    for (int round = 0; round < 60; ++round) {
        const Sequence query = random_protein(random, 100), target = mutated(random, query, 0.5, 0.03);
        const std::size_t seed = random.below(std::min(query.size(), target.size()));
        const std::int64_t best = align_local(runnable_cpu_backends().back(), query, target, scores).score_raw;
        for (const int drop : {1, 20, 38, 64}) {
            const auto score =
                extender.extend(scores, query, target, seed, seed, drop, GappedExtender::Form::kScore).score_raw;
            CHECK(score <= best);
            CHECK(extender.align(scores, query, target, seed, seed, drop).score_raw >= score);
            CHECK(extender.align(scores, query, target, seed, seed, drop).score_raw <= best);
        }
    }
}

TEST_CASE("a restricted extension equals the other one where no gap helps, and may miss a gap") {
    const PairScores scores = pair_scores({*builtin_matrix("BLOSUM62"), {11, 1}});
    GappedExtender extender(runnable_cpu_backends().back());
    const auto query = encode_residues("MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ");
    const auto exact = extender.extend(scores, query, query, 16, 16, 38, GappedExtender::Form::kScore);
    const auto restricted = extender.extend(scores, query, query, 16, 16, 38, GappedExtender::Form::kRestrictedScore);
    CHECK(exact.score_raw == restricted.score_raw);
    CHECK(exact.query_begin == 0);
    CHECK(exact.query_end == query.size());
    CHECK(restricted.query_begin == 0);
    CHECK(restricted.query_end == query.size());
    // Between seed and end, the target lacks two residues, those of rows 3 and 4. No restricted gap
    // may begin or end in time there.
    auto target = query;
    target.erase(target.begin() + 20, target.begin() + 22);
    CHECK(extender.extend(scores, query, target, 16, 16, 38, GappedExtender::Form::kScore).score_raw >
          extender.extend(scores, query, target, 16, 16, 38, GappedExtender::Form::kRestrictedScore).score_raw);
}

TEST_CASE("a seed on a last residue: score forms end at it, paths behind it") {
    const PairScores scores = pair_scores({*builtin_matrix("BLOSUM62"), {11, 1}});
    GappedExtender extender(runnable_cpu_backends().back());
    const auto query = encode_residues("WCHWCH");
    const auto extent = extender.extend(scores, query, query, 5, 5, 38, GappedExtender::Form::kScore);
    CHECK(extent.query_begin == 0);
    CHECK(extent.query_end == 5);
    const Alignment alignment = extender.align(scores, query, query, 5, 5, 38);
    CHECK(alignment.query_end == 6);
    CHECK(alignment.score_raw == extent.score_raw);
    CHECK(alignment.runs == std::vector<AlignmentRun>{{AlignmentOperation::kMatch, 6}});
}

TEST_CASE("an extender that is stopped does not go through its rows") {
    const PairScores scores = pair_scores({*builtin_matrix("BLOSUM62"), {11, 1}});
    const Sequence query(700, encode_residues("W")[0]);
    for (const CpuBackend backend : runnable_cpu_backends()) {
        CAPTURE(std::string(cpu_backend_name(backend)));
        GappedExtender extender(backend);
        std::stop_source stop;
        extender.stop = stop.get_token();
        CHECK(extender.extend(scores, query, query, 350, 350, 38, GappedExtender::Form::kScore).score_raw == 700 * 11);
        CHECK(extender.align(scores, query, query, 350, 350, 38).score_raw == 700 * 11);
        stop.request_stop();
        CHECK(extender.extend(scores, query, query, 350, 350, 38, GappedExtender::Form::kScore).score_raw < 100 * 11);
        CHECK(extender.align(scores, query, query, 350, 350, 38).score_raw < 100 * 11);
    }
}

TEST_CASE("long targets are cut around the seed") {
    Random random(11);
    const ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    const PairScores scores = pair_scores(scheme);
    GappedExtender extender(runnable_cpu_backends().back());
    const Sequence query = random_protein(random, 200);
    Sequence target = random_protein(random, 60'000);
    target.insert(target.end(), query.begin(), query.end());
    const Sequence tail = random_protein(random, 40'000);
    target.insert(target.end(), tail.begin(), tail.end());
    const auto extent = extender.extend(scores, query, target, 100, 60'100, 38, GappedExtender::Form::kScore);
    CHECK(extent.target_begin <= 60'000);
    CHECK(extent.target_end >= 60'200);
    const Alignment alignment = extender.align(scores, query, target, 100, 60'100, 64);
    CHECK(alignment.score_raw >= extent.score_raw);
    CHECK(rescore(alignment, query, target, scheme) == alignment.score_raw);
}
