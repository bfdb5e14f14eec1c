// Alignments, compared with a naive full-matrix implementation of the same rules, on every back end
// and under every memory bound.
#include "kernels/smith_waterman/local_alignment.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "kernels/backends/backend_table.h"
#include "kernels/smith_waterman/local_alignment_simd.h"
#include "kernels/smith_waterman/smith_waterman_reference.h"
#include "libcore/base/random.h"
#include "libcore/scoring/builtin_matrices.h"
#include "libcore/statistics/composition_adjustment.h"
#include "tests/support/random_proteins.h"

using namespace warpseq;
using namespace warpseq::testing;

namespace {

const CpuBackend kBest = runnable_cpu_backends().back();

// Computes H, E and F of every cell, and follows the rules of
// kernels/smith_waterman/local_alignment.h to the letter.
Alignment naive_alignment(std::span<const ResidueCode> query, std::span<const ResidueCode> target,
                          const PairScores& scores) {
    constexpr std::int64_t kMinusInfinity = -(std::int64_t{1} << 40);
    const std::size_t m = query.size(), n = target.size();
    const std::int64_t first = scores.gaps.first(), extend = scores.gaps.extend;
    const auto at = [n](std::size_t i, std::size_t j) { return i * (n + 1) + j; };
    std::vector<std::int64_t> h((m + 1) * (n + 1), 0), e(h.size(), kMinusInfinity), f(h.size(), kMinusInfinity);
    for (std::size_t i = 1; i <= m; ++i) {
        for (std::size_t j = 1; j <= n; ++j) {
            e[at(i, j)] = std::max(e[at(i, j - 1)] - extend, h[at(i, j - 1)] - first);
            f[at(i, j)] = std::max(f[at(i - 1, j)] - extend, h[at(i - 1, j)] - first);
            const std::int64_t match = h[at(i - 1, j - 1)] + scores.pairs[query[i - 1]][target[j - 1]];
            h[at(i, j)] = std::max({std::int64_t{0}, match, e[at(i, j)], f[at(i, j)]});
        }
    }
    Alignment alignment;
    std::size_t i = 0, j = 0;
    for (std::size_t column = 1; column <= n; ++column) {
        for (std::size_t row = 1; row <= m; ++row) {
            if (h[at(row, column)] > alignment.score_raw) {
                alignment.score_raw = h[at(row, column)];
                i = row;
                j = column;
            }
        }
    }
    if (alignment.score_raw == 0) return {};
    alignment.query_end = i;
    alignment.target_end = j;
    const auto add = [&alignment](AlignmentOperation operation) {
        if (alignment.runs.empty() || alignment.runs.back().operation != operation) {
            alignment.runs.push_back({operation, 0});
        }
        ++alignment.runs.back().length;
    };
    char state = 'H';
    while (state != 'H' || h[at(i, j)] != 0) {
        if (state == 'H') {
            if (h[at(i, j)] == h[at(i - 1, j - 1)] + scores.pairs[query[i - 1]][target[j - 1]]) {
                add(AlignmentOperation::kMatch);
                --i;
                --j;
            } else {
                state = h[at(i, j)] == f[at(i, j)] ? 'F' : 'E';
            }
        } else if (state == 'F') {
            add(AlignmentOperation::kInsert);
            if (f[at(i, j)] == h[at(i - 1, j)] - first) state = 'H';
            --i;
        } else {
            add(AlignmentOperation::kDelete);
            if (e[at(i, j)] == h[at(i, j - 1)] - first) state = 'H';
            --j;
        }
    }
    alignment.query_begin = i;
    alignment.target_begin = j;
    std::reverse(alignment.runs.begin(), alignment.runs.end());
    return alignment;
}

std::string to_text(const Alignment& alignment) {
    std::string text = std::to_string(alignment.score_raw) + " query " + std::to_string(alignment.query_begin) + "-" +
                       std::to_string(alignment.query_end) + " target " + std::to_string(alignment.target_begin) + "-" +
                       std::to_string(alignment.target_end) + " ";
    for (const AlignmentRun& run : alignment.runs) {
        text += std::to_string(run.length);
        text += "MID"[static_cast<int>(run.operation)];
    }
    return text;
}

// Compares align_local() on every back end, under several bounds, with the naive alignment. Returns
// the naive one.
Alignment check_pair(std::span<const ResidueCode> query, std::span<const ResidueCode> target,
                     const PairScores& scores) {
    Alignment expected = naive_alignment(query, target, scores);
    for (const CpuBackend backend : runnable_cpu_backends()) {
        CAPTURE(std::string(cpu_backend_name(backend)));
        for (const std::size_t direction_bytes :
             {std::size_t{0}, std::size_t{100}, std::size_t{3000}, std::size_t{1} << 26}) {
            CAPTURE(direction_bytes);
            const Alignment alignment = align_local(backend, query, target, scores, {direction_bytes});
            REQUIRE(to_text(alignment) == to_text(expected));
            REQUIRE(alignment == expected);
        }
    }
    return expected;
}

Alignment check_pair(std::span<const ResidueCode> query, std::span<const ResidueCode> target,
                     const ScoringScheme& scheme) {
    Alignment alignment = check_pair(query, target, pair_scores(scheme));
    REQUIRE(alignment.score_raw == reference_smith_waterman_raw(query, target, scheme));
    REQUIRE(rescore(alignment, query, target, scheme) == alignment.score_raw);
    return alignment;
}

ScoringScheme blosum62(int open = 11, int extend = 1) { return {builtin_matrix("BLOSUM62").value(), {open, extend}}; }

SubstitutionMatrix match_mismatch(int match, int mismatch) {
    SubstitutionMatrix::Table table{};
    for (std::size_t q = 0; q < table.size(); ++q) {
        for (std::size_t t = 0; t < table.size(); ++t) {
            table[q][t] = static_cast<std::int8_t>(q == t ? match : mismatch);
        }
    }
    return SubstitutionMatrix("match", table);
}

}  // namespace

TEST_CASE("alignments by hand") {
    const auto align = [](std::string_view query, std::string_view target, const ScoringScheme& scheme) {
        return to_text(check_pair(encode_residues(query), encode_residues(target), scheme));
    };
    CHECK(align("ACDE", "ACDE", blosum62()) == "24 query 0-4 target 0-4 4M");
    CHECK(align("WWWWCCWWWW", "WWWWWWWW", blosum62(5, 1)) == "81 query 0-10 target 0-8 4M2I4M");
    CHECK(align("WWWWWWWW", "WWWWCCWWWW", blosum62(5, 1)) == "81 query 0-8 target 0-10 4M2D4M");
    CHECK(align("A", "W", blosum62()) == "0 query 0-0 target 0-0 ");
    CHECK(align("", "W", blosum62()) == "0 query 0-0 target 0-0 ");
    CHECK(align("W", "", blosum62()) == "0 query 0-0 target 0-0 ");
    CHECK(align("XXX", "XXX", blosum62()) == "0 query 0-0 target 0-0 ");
    // If two ends are equal, the one with the smaller target position counts, then the one with the
    // smaller query position.
    CHECK(align("WPPPPPPPW", "WGGGGGGGW", blosum62()) == "11 query 0-1 target 0-1 1M");
    CHECK(align("CKW", "W", blosum62()) == "11 query 2-3 target 0-1 1M");
}

TEST_CASE("random pairs under schemes with many ties") {
    Random random(31);
    std::size_t with_gaps = 0, with_both = 0;
    for (int round = 0; round < 400; ++round) {
        Sequence query(1 + random.below(70)), target;
        for (ResidueCode& code : query) code = static_cast<ResidueCode>(random.below(3));
        if (round % 2 == 0) {
            target = mutated(random, query, 0.8, 0.1);
        } else {
            target.resize(1 + random.below(70));
            for (ResidueCode& code : target) code = static_cast<ResidueCode>(random.below(3));
        }
        const ScoringScheme scheme{
            match_mismatch(1 + static_cast<int>(random.below(3)), -static_cast<int>(random.below(4))),
            {static_cast<int>(random.below(4)), static_cast<int>(random.below(3))}};
        const Alignment alignment = check_pair(query, target, scheme);
        const auto has = [&alignment](AlignmentOperation operation) {
            return std::any_of(alignment.runs.begin(), alignment.runs.end(),
                               [operation](const AlignmentRun& run) { return run.operation == operation; });
        };
        const bool inserts = has(AlignmentOperation::kInsert), deletes = has(AlignmentOperation::kDelete);
        with_gaps += inserts || deletes;
        with_both += inserts && deletes;
    }
    CHECK(with_gaps > 100);
    CHECK(with_both > 50);
}

TEST_CASE("relatives under real matrices") {
    Random random(32);
    for (const std::string_view name : builtin_matrix_names()) {
        for (const GapCosts& gaps : {GapCosts{11, 1}, GapCosts{0, 0}, GapCosts{5, 2}, GapCosts{1'000'000, 1'000'000}}) {
            const Sequence query = random_protein(random, 100 + random.below(150));
            Sequence target = random_protein(random, 60);
            const Sequence relative = mutated(random, query, 0.6);
            target.insert(target.end(), relative.begin(), relative.end());
            const Alignment alignment = check_pair(query, target, {builtin_matrix(name).value(), gaps});
            CHECK(alignment.score_raw > 0);
        }
    }
}

TEST_CASE("lengths around the vectors, and a long gap across many ranges") {
    Random random(33);
    for (const std::size_t residues : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 32u, 33u, 63u, 64u, 65u}) {
        const Sequence query = random_protein(random, residues);
        check_pair(query, mutated(random, query, 0.9), blosum62());
        check_pair(query, random_protein(random, 40), blosum62(2, 1));
    }
    // Two halves with a long insertion between them, in the target and in the query.
    const Sequence left = random_protein(random, 120), right = random_protein(random, 130);
    const Sequence between = random_protein(random, 400);
    Sequence joined = left, apart = left;
    joined.insert(joined.end(), right.begin(), right.end());
    apart.insert(apart.end(), between.begin(), between.end());
    apart.insert(apart.end(), right.begin(), right.end());
    const Alignment in_query = check_pair(joined, apart, blosum62(11, 0));
    const Alignment in_target = check_pair(apart, joined, blosum62(11, 0));
    CHECK(std::any_of(in_query.runs.begin(), in_query.runs.end(), [](const AlignmentRun& run) {
        return run.operation == AlignmentOperation::kDelete && run.length >= 350;
    }));
    CHECK(std::any_of(in_target.runs.begin(), in_target.runs.end(), [](const AlignmentRun& run) {
        return run.operation == AlignmentOperation::kInsert && run.length >= 350;
    }));
}

TEST_CASE("a pair whose direction matrix exceeds the bound many times over") {
    Random random(34);
    const Sequence query = random_protein(random, 3000);
    const Sequence target = mutated(random, query, 0.7);
    const ScoringScheme scheme = blosum62();
    const PairScores scores = pair_scores(scheme);
    const Alignment unbounded = align_local(kBest, query, target, scores);
    CHECK(unbounded.score_raw == reference_smith_waterman_raw(query, target, scheme));
    CHECK(rescore(unbounded, query, target, scheme) == unbounded.score_raw);
    CHECK(align_local(kBest, query, target, scores, {std::size_t{1} << 16}) == unbounded);
    CHECK(align_local(kBest, query, target, scores, {std::size_t{1} << 12}) == unbounded);
}

TEST_CASE("an alignment whose path is not wanted has its score alone, in 8, 16 and 32 bits") {
    Random random(39);
    for (const int match : {1, 5, 127}) {
        const ScoringScheme scheme{match_mismatch(match, -20), {11, 1}};
        const Sequence query = random_protein(random, match == 127 ? 900 : match == 5 ? 300 : 200);
        const Sequence target = mutated(random, query, 0.9);
        const PairScores scores = pair_scores(scheme);
        const Alignment wanted = align_local(kBest, query, target, scores);
        REQUIRE(!wanted.runs.empty());
        CHECK((wanted.score_raw < 255) == (match == 1));
        CHECK((wanted.score_raw > 65'535) == (match == 127));
        std::vector<std::int64_t> asked;
        LocalAlignmentLimits limits;
        limits.wants_path = [&](std::int64_t score_raw) {
            asked.push_back(score_raw);
            return score_raw != wanted.score_raw;
        };
        Alignment score_alone;
        score_alone.score_raw = wanted.score_raw;
        CHECK(align_local(kBest, query, target, scores, limits) == score_alone);
        CHECK(asked == std::vector{wanted.score_raw});
        limits.wants_path = [&](std::int64_t score_raw) { return score_raw == wanted.score_raw; };
        CHECK(align_local(kBest, query, target, scores, limits) == wanted);
    }
}

TEST_CASE("an alignment that is stopped ends, with and without ranges within ranges") {
    Random random(38);
    const Sequence query = random_protein(random, 2000);
    const PairScores scores = pair_scores(blosum62());
    std::stop_source stop;
    LocalAlignmentLimits limits{std::size_t{1} << 12, stop.get_token()};
    CHECK(align_local(kBest, query, query, scores, limits) == align_local(kBest, query, query, scores));
    stop.request_stop();
    CHECK(align_local(kBest, query, query, scores, limits).score_raw == 0);
    // A stop may come at any moment.
    for (int delay_us = 0; delay_us < 3000; delay_us += 100) {
        std::stop_source soon;
        limits.stop = soon.get_token();
        std::thread stopper([&] {
            std::this_thread::sleep_for(std::chrono::microseconds(delay_us));
            soon.request_stop();
        });
        align_local(kBest, query, query, scores, limits);
        stopper.join();
    }
}

TEST_CASE("scores at the end of 16 bits and beyond") {
    Random random(35);
    const ScoringScheme scheme{match_mismatch(127, -20), {11, 1}};
    for (const std::size_t residues : {515u, 516u, 517u}) {  // times 127: 65,405, 65,532, 65,659
        const Sequence query = random_protein(random, residues);
        CHECK(check_pair(query, query, scheme).score_raw == static_cast<std::int64_t>(127 * residues));
    }
    const Sequence query = random_protein(random, 1100);
    const Alignment with_gaps = check_pair(query, mutated(random, query, 0.9), scheme);
    CHECK(with_gaps.score_raw > 70'000);
    CHECK(with_gaps.runs.size() > 10);

    // Scores go up to and past 65,535, one point at a time.
    SubstitutionMatrix::Table table = match_mismatch(127, -20).table();
    table[kCodeX][kCodeX] = 1;
    const ScoringScheme with_ones{SubstitutionMatrix("with ones", table), {11, 1}};
    for (const std::size_t ones : {1u, 2u, 3u, 4u}) {  // 65,533 to 65,536
        Sequence pair(516, 0);
        pair.insert(pair.begin() + 100, ones, kCodeX);
        CHECK(check_pair(pair, pair, with_ones).score_raw == static_cast<std::int64_t>(65'532 + ones));
    }
}

TEST_CASE("scores at the end of 8 bits and beyond, one point at a time") {
    SubstitutionMatrix::Table table = match_mismatch(126, -20).table();
    table[kCodeX][kCodeX] = 1;
    const ScoringScheme scheme{SubstitutionMatrix("with ones", table), {11, 1}};
    for (const std::size_t ones : {1u, 2u, 3u, 4u, 5u}) {  // 253 to 257
        Sequence pair(2, 0);
        pair.insert(pair.begin() + 1, ones, kCodeX);
        CHECK(check_pair(pair, pair, scheme).score_raw == static_cast<std::int64_t>(252 + ones));
    }
}

TEST_CASE("gap costs and scores of letters at the ends of 8 and of 16 bits") {
    Random random(41);
    int with_gaps = 0;
    for (const int first : {126, 127, 128, 1022, 1023, 1024}) {
        for (const int extend : {0, 1, first}) {
            const Sequence left = random_protein(random, 60), right = random_protein(random, 60);
            Sequence joined = left, apart = left;
            joined.insert(joined.end(), right.begin(), right.end());
            apart.insert(apart.end(), 1, kCodeX);
            apart.insert(apart.end(), right.begin(), right.end());
            for (const auto& [match, mismatch] : {std::pair(127, -128), {127, -20}, {20, -20}}) {
                const ScoringScheme scheme{match_mismatch(match, mismatch), {first - extend, extend}};
                with_gaps += check_pair(joined, apart, scheme).runs.size() > 1;
                with_gaps += check_pair(apart, joined, scheme).runs.size() > 1;
            }
        }
    }
    CHECK(with_gaps > 30);
    for (const auto& [match, mismatch] :
         {std::pair(127, -128), {128, -128}, {127, -129}, {32'767, -32'768}, {32'768, -32'768}, {32'767, -32'769}}) {
        PairScores scores{{}, {11, 1}};
        for (std::size_t q = 0; q < kResidueTableSize; ++q) {
            for (std::size_t t = 0; t < kResidueTableSize; ++t) scores.pairs[q][t] = q == t ? match : mismatch;
        }
        const Sequence query = random_protein(random, 40);
        CHECK(check_pair(query, mutated(random, query, 0.9), scores).score_raw > match);
    }
}

TEST_CASE("the highest score that 16 bits tell, and one more") {
    constexpr int kExtend = 400;
    for (const CpuBackend backend : runnable_cpu_backends()) {
        const BackendTable* const table = runnable_backend_table(backend);
        if (table == nullptr) continue;  // the scalar reference has none
        const auto lanes = table->kernels.vector_bytes / sizeof(std::int16_t);
        const std::int32_t highest_raw = highest_16_bit(lanes, kExtend);
        SubstitutionMatrix::Table scores = match_mismatch(127, -20).table();
        scores[kCodeX][kCodeX] = 1;
        const ScoringScheme scheme{SubstitutionMatrix("with ones", scores), {0, kExtend}};
        for (const std::int32_t score_raw : {highest_raw, highest_raw + 1}) {
            Sequence pair(static_cast<std::size_t>(score_raw / 127), 0);
            pair.insert(pair.begin() + 50, static_cast<std::size_t>(score_raw % 127), kCodeX);
            CHECK(check_pair(pair, pair, scheme).score_raw == score_raw);
        }
    }
}

TEST_CASE("gaps where scores leave 16 bits, with cheap and with dear extensions") {
    Random random(40);
    int in_16_bits = 0, in_32_bits = 0;
    for (const int extend : {1, 32, 400, 1023}) {
        const ScoringScheme scheme{match_mismatch(127, -128), {0, extend}};
        // Before the gap stands a score from some 31,000 to 66,000, and after it a few pairs.
        for (std::size_t residues = 250; residues < 520; residues += 3) {
            const Sequence left = random_protein(random, residues), right = random_protein(random, 30),
                           between = random_protein(random, 1 + random.below(3));
            Sequence joined = left, apart = left;
            joined.insert(joined.end(), right.begin(), right.end());
            apart.insert(apart.end(), between.begin(), between.end());
            apart.insert(apart.end(), right.begin(), right.end());
            ++(check_pair(joined, apart, scheme).score_raw < 65'535 ? in_16_bits : in_32_bits);
            check_pair(apart, joined, scheme);
        }
    }
    CHECK(in_16_bits >= 100);
    CHECK(in_32_bits >= 10);
}

TEST_CASE("scores of another scale") {
    Random random(36);
    const auto adjuster =
        CompositionAdjuster::create(builtin_matrix("BLOSUM62").value(), CompositionMode::kOptimized).value();
    int in_16_bits = 0, in_32_bits = 0;
    for (const std::size_t residues : {1u, 30u, 33u, 200u, 700u, 900u}) {
        const Sequence query = random_protein(random, residues), target = mutated(random, query, 0.9);
        PairScores scores{{}, {11 * kAdjustedScale, 1 * kAdjustedScale}};
        REQUIRE(
            adjuster.adjust(composition_of(query), query.size(), composition_of(target), target.size(), scores.pairs));
        ++(check_pair(query, target, scores).score_raw < 65'535 ? in_16_bits : in_32_bits);
    }
    CHECK(in_16_bits >= 3);
    CHECK(in_32_bits >= 1);
}

TEST_CASE("asymmetric scores of all sizes, some beyond 16 bits") {
    Random random(37);
    constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min();
    int with_gaps = 0;
    for (int round = 0; round < 60; ++round) {
        // Kind 0 stays within 16 bits. Kind 1 has scores as low as they come. Kind 2 exceeds 16
        // bits, too.
        const int kind = round % 3;
        PairScores scores{{}, {static_cast<int>(random.below(700)), static_cast<int>(random.below(200))}};
        for (std::size_t q = 0; q < kResidueTableSize; ++q) {
            for (std::size_t t = 0; t < kResidueTableSize; ++t) {
                std::int32_t& score = scores.pairs[q][t];
                score = static_cast<std::int32_t>(random.below(900)) - (q == t ? 200 : 700);
                const std::uint64_t dice = random.below(20);
                if (dice == 0) score = kind == 0 ? std::numeric_limits<std::int16_t>::min() : kLowest;
                if (dice == 1 && kind == 2) score = 33'000;
            }
        }
        const Sequence query = random_protein(random, 1 + random.below(120));
        const Alignment alignment = check_pair(query, mutated(random, query, 0.8), scores);
        with_gaps += alignment.runs.size() > 1;
    }
    CHECK(with_gaps > 20);
}
