// The frequencies nearest to those of a matrix: what they sum to, that nothing is nearer, and that
// every instruction set gives the same bits.
#include "libcore/statistics/nearest_frequencies.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "libcore/base/random.h"

using namespace warpseq;

namespace {

constexpr std::size_t kLetters = kAminoAcids;
constexpr double kEntropyNats = 0.44;
constexpr std::string_view kMatrices[] = {"BLOSUM45", "BLOSUM50", "BLOSUM62", "BLOSUM80",
                                          "BLOSUM90", "PAM30",    "PAM70",    "PAM250"};

LetterShares background_of(const JointFrequencies& q) {
    LetterShares background;
    for (std::size_t a = 0; a < kLetters; ++a) background[a] = std::accumulate(q[a].begin(), q[a].end(), 0.0);
    return background;
}

/// Returns shares of which `unlikeness` is the part that does not come from the background. It
/// favours few letters if `power` is high.
LetterShares random_shares(Random& random, const LetterShares& background, double unlikeness, double power) {
    LetterShares shares;
    for (double& share : shares) share = std::pow(random.uniform(), power);
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (std::size_t a = 0; a < kLetters; ++a)
        shares[a] = unlikeness * shares[a] / sum + (1 - unlikeness) * background[a];
    return shares;
}

bool have_same_bits(const JointFrequencies& a, const JointFrequencies& b) {
    for (std::size_t i = 0; i < kLetters; ++i) {
        for (std::size_t j = 0; j < kLetters; ++j) {
            if (std::bit_cast<std::uint64_t>(a[i][j]) != std::bit_cast<std::uint64_t>(b[i][j])) return false;
        }
    }
    return true;
}

}  // namespace

TEST_CASE("nearest frequencies have the sums and the relative entropy that are asked for, and none are nearer") {
    Random random(53);
    for (const std::string_view matrix : kMatrices) {
        CAPTURE(matrix);
        const JointFrequencies q = *joint_frequencies(matrix);
        const LetterShares rows = random_shares(random, background_of(q), 0.4, 1),
                           columns = random_shares(random, background_of(q), 0.6, 1);
        const auto x = nearest_frequencies(q, rows, columns, kEntropyNats);
        REQUIRE(x);
        double entropy = 0;
        const auto odds = [&](std::size_t i, std::size_t j) { return std::log((*x)[i][j] / (rows[i] * columns[j])); };
        const auto change = [&](std::size_t i, std::size_t j) { return std::log((*x)[i][j] / q[i][j]); };
        for (std::size_t i = 0; i < kLetters; ++i) {
            double row = 0, column = 0;
            for (std::size_t j = 0; j < kLetters; ++j) {
                row += (*x)[i][j];
                column += (*x)[j][i];
                entropy += (*x)[i][j] * odds(i, j);
            }
            CHECK(std::abs(row - rows[i]) < 1e-7);
            CHECK(std::abs(column - columns[i]) < 1e-7);
        }
        CHECK(std::abs(entropy - kEntropyNats) < 1e-7);
        // At the minimum, the change is the entropy's multiplier times the odds, plus a number of
        // the row and one of the column. Differences of differences do not have these two.
        const auto crossed = [](const auto& of, std::size_t i, std::size_t j) {
            return of(i, j) - of(i, 0) - of(0, j) + of(0, 0);
        };
        const double multiplier = crossed(change, 1, 1) / crossed(odds, 1, 1);
        CHECK(multiplier < 1);
        for (std::size_t i = 1; i < kLetters; ++i) {
            for (std::size_t j = 1; j < kLetters; ++j)
                CHECK(std::abs(crossed(change, i, j) - multiplier * crossed(odds, i, j)) < 1e-6);
        }
    }
}

TEST_CASE("frequencies that need no change stay") {
    const JointFrequencies q = *joint_frequencies("BLOSUM62");
    const LetterShares background = background_of(q);
    double entropy = 0;
    for (std::size_t i = 0; i < kLetters; ++i) {
        for (std::size_t j = 0; j < kLetters; ++j)
            entropy += q[i][j] * std::log(q[i][j] / (background[i] * background[j]));
    }
    const auto x = nearest_frequencies(q, background, background, entropy);
    REQUIRE(x);
    for (std::size_t i = 0; i < kLetters; ++i) {
        for (std::size_t j = 0; j < kLetters; ++j) CHECK(std::abs((*x)[i][j] - q[i][j]) < 1e-9);
    }
}

TEST_CASE("instruction sets: the same frequencies to the last bit, and the same problems without a solution") {
    const SolverBackend best = best_solver_backend();
    if (best == SolverBackend::kBaseline) MESSAGE("skipped: this processor or build has one instruction set only");
    Random random(59);
    int solved = 0, unsolved = 0;
    for (const std::string_view matrix : kMatrices) {
        CAPTURE(matrix);
        const JointFrequencies q = *joint_frequencies(matrix);
        const LetterShares background = background_of(q);
        for (int k = 0; k < 200; ++k) {
            // Sequences with few letters, and entropies that take many steps or have no solution,
            // are among the problems.
            const double unlikeness = random.uniform(), power = 1 + 8 * random.uniform();
            const LetterShares rows = random_shares(random, background, unlikeness, power),
                               columns = random_shares(random, background, random.uniform(), power);
            const double entropy = k % 4 != 0 ? kEntropyNats : 3 * random.uniform();
            const auto one = nearest_frequencies(q, rows, columns, entropy, SolverBackend::kBaseline);
            const auto other = nearest_frequencies(q, rows, columns, entropy, best);
            REQUIRE(one.has_value() == other.has_value());
            if (one) REQUIRE(have_same_bits(*one, *other));
            ++(one ? solved : unsolved);
        }
    }
    CHECK(solved > 1000);
    CHECK(unsolved > 0);
    CHECK(!nearest_frequencies(*joint_frequencies("BLOSUM62"), background_of(*joint_frequencies("BLOSUM62")),
                               background_of(*joint_frequencies("BLOSUM62")), 10, best));
}
