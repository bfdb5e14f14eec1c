// Every back end of kernels/seeds/gapped_extension.h gives the same scores, ends and paths.
#include "kernels/seeds/gapped_extension.h"

#include <doctest/doctest.h>

#include <deque>
#include <string>
#include <tuple>

#include "kernels/seeds/gapped_extension_simd.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "tests/support/random_proteins.h"
#include "tests/support/under_sanitizers.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

auto key(const GappedExtent& extent) {
    return std::tuple(extent.score_raw, extent.query_begin, extent.query_end, extent.target_begin, extent.target_end);
}

auto key(const Alignment& alignment) {
    return std::tuple(alignment.score_raw, alignment.query_begin, alignment.query_end, alignment.target_begin,
                      alignment.target_end, alignment.runs);
}

}  // namespace

TEST_CASE("all back ends, bands from a column to the whole target, related and unrelated sequences") {
    Random random(23);
    constexpr std::size_t kRounds = fewer(150, 40);
    std::size_t with_gaps = 0, restricted_differ = 0, moved_on = 0;
    for (const auto& [name, gaps] : {std::pair{"BLOSUM62", GapCosts{11, 1}}, std::pair{"BLOSUM45", GapCosts{14, 2}},
                                     std::pair{"PAM30", GapCosts{9, 1}}, std::pair{"BLOSUM62", GapCosts{0, 7}}}) {
        const ScoringScheme scheme{*builtin_matrix(name), gaps};
        PairScores scores = pair_scores(scheme);
        GappedExtender reference(CpuBackend::kReference);
        for (const CpuBackend backend : runnable_cpu_backends()) {
            GappedExtender extender(backend);
            for (std::size_t round = 0; round < kRounds; ++round) {
                const Sequence query = round % 5 == 0 ? random_codes(random, 1 + random.below(400))
                                                      : random_protein(random, 1 + random.below(400));
                Sequence target = round % 3 == 0
                                      ? random_protein(random, 1 + random.below(700))
                                      : mutated(random, query, 0.3 + 0.2 * static_cast<double>(round % 4), 0.02);
                if (target.empty()) target = random_protein(random, 1);
                const std::uint64_t query_seed = random.below(query.size());
                const std::uint64_t target_seed = round % 3 == 0
                                                      ? random.below(target.size())
                                                      : std::min<std::uint64_t>(query_seed, target.size() - 1);
                for (const int drop : {0, 15, 38, 64, 1'000'000}) {
                    CAPTURE(std::string(cpu_backend_name(backend)));
                    CAPTURE(drop);
                    CAPTURE(round);
                    const auto extend = [&](GappedExtender& by, GappedExtender::Form form) {
                        return by.extend(scores, query, target, query_seed, target_seed, drop, form);
                    };
                    const GappedExtent exact = extend(reference, GappedExtender::Form::kScore);
                    const GappedExtent restricted = extend(reference, GappedExtender::Form::kRestrictedScore);
                    const Alignment path = reference.align(scores, query, target, query_seed, target_seed, drop);
                    REQUIRE(key(extend(extender, GappedExtender::Form::kScore)) == key(exact));
                    REQUIRE(key(extend(extender, GappedExtender::Form::kRestrictedScore)) == key(restricted));
                    REQUIRE(key(extender.align(scores, query, target, query_seed, target_seed, drop)) == key(path));
                    with_gaps += path.runs.size() > 1;
                    restricted_differ += key(restricted) != key(exact);
                    moved_on += exact.target_begin > 64;
                }
            }
        }
    }
    CHECK(with_gaps > 7 * kRounds);
    CHECK(restricted_differ > 7 * kRounds);
    CHECK(moved_on > 7 * kRounds);
}

TEST_CASE("scores, costs and drops at the bounds of 16-bit rows and above: every back end gives the same") {
    Random random(37);
    constexpr std::size_t kRounds = fewer(40, 12);
    struct Bounds {
        std::int32_t highest_pair, lowest_pair;
        GapCosts gaps;
        int drop;
        bool fits_16_bits;
    };
    std::size_t with_gaps = 0, beyond_16_bits = 0, dropped = 0;
    for (const auto& bounds : {
             Bounds{kHighestPair, -kLowestPair, {kHighestCost - 187, 187}, kHighestCost, true},
             Bounds{kHighestPair, -kLowestPair - 1, {11, 1}, kHighestCost, true},
             Bounds{kHighestPair, -1'000'000'000, {300, 187}, kHighestCost, true},
             Bounds{kHighestPair, -5000, {300, 32}, 2500, true},
             Bounds{kHighestPair + 1, -20'000, {300, 32}, kHighestCost, false},
             Bounds{kHighestPair, -20'000, {300, 32}, kHighestCost + 1, false},
             Bounds{kHighestPair, -20'000, {kHighestCost - 186, 187}, kHighestCost, false},
             Bounds{kHighestPair, -20'000, {300, 188}, kHighestCost, false},
             Bounds{kHighestPair, -20'000, {0, 0}, 0, true},
         }) {
        PairScores scores;
        scores.gaps = bounds.gaps;
        for (auto& row : scores.pairs) {
            for (auto& score : row) {
                score =
                    random.below(5) == 0 ? bounds.lowest_pair : static_cast<std::int32_t>(random.below(6000)) - 5500;
            }
        }
        for (std::size_t code = 0; code < scores.pairs.size(); ++code) {
            scores.pairs[code][code] =
                code % 2 == 0 ? bounds.highest_pair : static_cast<std::int32_t>(random.below(2000));
        }
        GappedExtender reference(CpuBackend::kReference);
        std::deque<GappedExtender> extenders;
        for (const CpuBackend backend : runnable_cpu_backends()) extenders.emplace_back(backend);
        for (std::size_t round = 0; round < kRounds; ++round) {
            const Sequence query = random_protein(random, 1 + random.below(300));
            Sequence target = mutated(random, query, 0.5 + 0.1 * static_cast<double>(round % 5), 0.02);
            if (target.empty()) target = random_protein(random, 1);
            const std::uint64_t query_seed = random.below(query.size()),
                                target_seed = std::min<std::uint64_t>(query_seed, target.size() - 1);
            CAPTURE(round);
            CAPTURE(bounds.drop);
            const auto extend = [&](GappedExtender& by, GappedExtender::Form form) {
                return by.extend(scores, query, target, query_seed, target_seed, bounds.drop, form);
            };
            const GappedExtent exact = extend(reference, GappedExtender::Form::kScore);
            const GappedExtent restricted = extend(reference, GappedExtender::Form::kRestrictedScore);
            const Alignment path = reference.align(scores, query, target, query_seed, target_seed, bounds.drop);
            for (std::size_t b = 0; b < extenders.size(); ++b) {
                CAPTURE(std::string(cpu_backend_name(runnable_cpu_backends()[b])));
                REQUIRE(key(extend(extenders[b], GappedExtender::Form::kScore)) == key(exact));
                REQUIRE(key(extend(extenders[b], GappedExtender::Form::kRestrictedScore)) == key(restricted));
                REQUIRE(key(extenders[b].align(scores, query, target, query_seed, target_seed, bounds.drop)) ==
                        key(path));
                const CpuBackend backend = runnable_cpu_backends()[b];
                const bool has_16_bits = backend == CpuBackend::kAvx2 || backend == CpuBackend::kAvx512;
                REQUIRE(extenders[b].had_16_bits() == (has_16_bits && bounds.fits_16_bits));
            }
            with_gaps += path.runs.size() > 1;
            beyond_16_bits += bounds.fits_16_bits && path.score_raw > 2 * 32'768;
            dropped += path.query_end - path.query_begin < query.size() / 2;
        }
    }
    CHECK(with_gaps > kRounds);
    CHECK(beyond_16_bits > kRounds / 4);
    CHECK(dropped > kRounds);
}
