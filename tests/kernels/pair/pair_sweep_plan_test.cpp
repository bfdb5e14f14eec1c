// Decisions of the GPU's pair sweeper that the host makes.
#include "kernels/pair/pair_sweep_plan_gpu.h"

#include <doctest/doctest.h>

#include <vector>

#include "libcore/scoring/builtin_matrices.h"

using namespace warpseq;
using namespace warpseq::cuda;

namespace {

ScoringScheme scheme_of(int match, int mismatch, GapCosts gaps) {
    SubstitutionMatrix::Table table;
    for (auto& row : table) row.fill(SubstitutionMatrix::kPaddingScore);
    for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t b = 0; b < 4; ++b) table[a][b] = static_cast<std::int8_t>(a == b ? match : mismatch);
    }
    return {{"letters", table}, gaps};
}

}  // namespace

TEST_CASE("ranges hold a window's numbers and all that is taken off them") {
    for (const PairShape& shape : kPairShapes) {
        if (shape.wide) continue;
        for (const int match : {0, 1, 2, 5, 20, 60, 127}) {
            for (const GapCosts gaps : {GapCosts{0, 0}, GapCosts{5, 2}, GapCosts{11, 1}, GapCosts{300, 30},
                                        GapCosts{20000, 1}, GapCosts{0, 1000}}) {
                const auto range = pair_range(shape, scheme_of(match, -match - 1, gaps));
                const auto drop = static_cast<std::int64_t>(shape.strip_rows() + kChunkColumns + 2 * kWarpLanes) *
                                      (match + gaps.extend) +
                                  2 * gaps.open;
                if (!range) {
                    CHECK(drop > 40000);  // only where numbers are large
                    continue;
                }
                CHECK(range->lowest_h - static_cast<std::int64_t>(gaps.first()) >= range->lowest_gap);
                CHECK(range->lowest_gap >= gaps.first() + gaps.extend + 128);
                CHECK(range->least_top >= range->lowest_h + drop);
                CHECK(range->most_top + static_cast<std::int64_t>(kChunkColumns) * match <= 65535);
                CHECK(range->least_top < range->most_top);
            }
        }
    }
    CHECK(!pair_range({16, false}, scheme_of(127, -127, {0, 1})));
    CHECK(pair_range({4, false}, scheme_of(127, -127, {0, 1})));
    CHECK(!pair_range({4, false}, scheme_of(1, -1, {1'000'000, 1'000'000})));
}

TEST_CASE("shapes by size") {
    const ScoringScheme dna = scheme_of(2, -3, {5, 2}), huge = scheme_of(1, -1, {1'000'000, 1'000'000});
    constexpr int kMultiprocessors = 132;
    CHECK(!choose_pair_shape(4'000'000, 4'000'000, dna, kMultiprocessors).wide);
    CHECK(choose_pair_shape(4'000'000, 4'000'000, dna, kMultiprocessors).rows_per_half >= 8);
    CHECK(choose_pair_shape(30'000, 30'000, dna, kMultiprocessors).strip_rows() <= 512);
    CHECK(choose_pair_shape(4'000'000, 4'000'000, huge, kMultiprocessors) == kWidePairShape);
    CHECK(choose_batch_shape(300, 300, huge, kMultiprocessors, 1000) == kWidePairShape);
    CHECK(!choose_batch_shape(300, 300, dna, kMultiprocessors, 1000).wide);
    CHECK(choose_batch_shape(100'000, 100'000, dna, kMultiprocessors, 2) ==
          choose_pair_shape(100'000, 100'000, dna, kMultiprocessors / 2));
    // If another shape than row_granule() promised may be chosen, its strips must divide the
    // granule.
    for (const PairShape& shape : kPairShapes) {
        CHECK(shape.strip_rows() % kPairShapes[2].strip_rows() == 0);
        CHECK(shape.strip_rows() % kWidePairShape.strip_rows() == 0);
    }
}

TEST_CASE("letters that occur are numbered without gaps") {
    PairLetterNumbers letters;
    letters.add(std::vector<ResidueCode>{5, 16, 5});
    PairLetterNumbers others;
    others.add(std::vector<ResidueCode>{0, 25});
    letters.add(others);
    letters.finish();
    CHECK(letters.count == 4);
    CHECK(letters.index[0] == 0);
    CHECK(letters.index[5] == 1);
    CHECK(letters.index[16] == 2);
    CHECK(letters.index[25] == 3);
    CHECK(letters.occurs(25));
    CHECK(!letters.occurs(1));
}
