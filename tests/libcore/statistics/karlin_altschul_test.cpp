#include "libcore/statistics/karlin_altschul.h"

#include <doctest/doctest.h>

#include <cmath>
#include <sstream>

#include "libcore/scoring/builtin_matrices.h"

using namespace warpseq;

namespace {

/// Values that blastp 2.12 printed (-comp_based_stats 0 -seg no) for alignments in a database of
/// 9,055,569 residues.
struct Printed {
    const char* matrix;
    int open, extend;
    std::uint64_t query_residues, target_residues;
    std::int32_t score_raw;
    double evalue;
    double bits;
};

constexpr Printed kPrinted[] = {
    {"BLOSUM62", 11, 1, 921, 3130, 56, 98, 26.2},
    {"BLOSUM62", 11, 1, 635, 705, 57, 45, 26.6},
    {"BLOSUM62", 11, 1, 635, 2178, 64, 7.3, 29.3},
    {"BLOSUM62", 11, 1, 57, 310, 46, 18, 22.3},
    {"BLOSUM62", 9, 2, 635, 1243, 66, 2.7, 30.7},
    {"BLOSUM62", 9, 2, 921, 943, 153, 8.36e-11, 65.7},
    {"BLOSUM62", 9, 2, 921, 677, 119, 1.16e-06, 52.0},
    {"BLOSUM45", 14, 2, 57, 504, 59, 24, 21.6},
    {"BLOSUM45", 14, 2, 635, 843, 115, 0.019, 37.3},
    {"BLOSUM45", 14, 2, 921, 958, 146, 6.38e-05, 46.0},
    {"BLOSUM45", 14, 2, 921, 1000, 147, 5.30e-05, 46.3},
    {"BLOSUM80", 10, 1, 237, 460, 51, 27, 25.8},
    {"BLOSUM80", 10, 1, 921, 860, 195, 1.70e-17, 87.9},
    {"BLOSUM80", 10, 1, 635, 1416, 460, 1.16e-52, 202.9},
    {"PAM30", 9, 1, 57, 1021, 50, 16, 24.4},
    {"PAM30", 9, 1, 921, 919, 143, 4.39e-10, 63.8},
    {"PAM30", 9, 1, 635, 1464, 71, 0.51, 33.3},
    {"PAM250", 14, 2, 57, 329, 56, 63, 20.1},
    {"PAM250", 14, 2, 635, 866, 601, 7.12e-47, 163.2},
    {"PAM250", 14, 2, 361, 793, 77, 33, 25.6},
    {"PAM70", 10, 1, 237, 198, 165, 7.27e-14, 72.7},
    {"PAM70", 10, 1, 635, 1433, 347, 3.84e-36, 149.1},
    {"BLOSUM50", 13, 2, 921, 860, 342, 1.19e-21, 100.1},
    {"BLOSUM50", 13, 2, 635, 1152, 90, 4.2, 29.9},
    {"BLOSUM90", 10, 1, 635, 866, 334, 1.10e-34, 143.4},
    {"BLOSUM90", 10, 1, 921, 588, 55, 65, 26.7},
    {"BLOSUM45", 14, 2, 568, 329, 317, 4.92e-22, 94.1},  // 4.93e-22 with a complete error function
    {"IDENTITY", 15, 2, 1934, 1866, 76, 1.9, 33.1},
    {"IDENTITY", 15, 2, 1934, 1866, 273, 1.03e-24, 113},
    {"IDENTITY", 15, 2, 1934, 1975, 342, 3.26e-33, 141},
};

constexpr std::uint64_t kDatabaseResidues = 9'055'569;

}  // namespace

TEST_CASE("E-values and bit scores equal what blastp printed") {
    for (const Printed& row : kPrinted) {
        CAPTURE(row.matrix);
        CAPTURE(row.score_raw);
        const ScoringScheme scheme{*builtin_matrix(row.matrix), {row.open, row.extend}};
        const auto statistics = AlignmentStatistics::find(scheme);
        REQUIRE(statistics);
        const double evalue =
            statistics->evalue(row.score_raw, row.query_residues, row.target_residues, kDatabaseResidues);
        // The tolerance is half a unit of the last printed digit. Two or three significant digits
        // were printed.
        const double digit = row.evalue >= 10       ? 1
                             : row.evalue >= 1      ? 0.1
                             : row.evalue >= 0.1    ? 0.01
                             : row.evalue >= 0.0009 ? 0.001
                                                    : 0.01 * std::pow(10, std::floor(std::log10(row.evalue)));
        CHECK(std::abs(evalue - row.evalue) <= 0.5 * digit * 1.0000001);
        if (row.bits < 99.9) {
            CHECK(std::abs(statistics->bits(row.score_raw) - row.bits) <= 0.0500001);
        } else {
            CHECK(std::floor(statistics->bits(row.score_raw)) == std::floor(row.bits));
        }
    }
}

TEST_CASE("a huge E-value equals what blastp printed with all its digits") {
    const auto statistics = *AlignmentStatistics::find({*builtin_matrix("BLOSUM62"), {11, 1}});
    constexpr std::uint64_t kMostResidues = 9'223'372'036'854'775'807;
    CHECK(std::llround(statistics.evalue(30, 57, 550, kMostResidues)) == 3'325'159'128'818'638);
    CHECK(std::llround(statistics.evalue(30, 57, 349, kMostResidues)) == 3'261'664'739'481'564);
}

TEST_CASE("an effective search space beyond a signed number has negative E-values") {
    const auto statistics = *AlignmentStatistics::find({*builtin_matrix("BLOSUM62"), {11, 1}});
    CHECK(statistics.evalue(60, 300, 300, {.effective = std::uint64_t{1} << 63}) < 0);
    CHECK(statistics.evalue(60, 300, 300, {.effective = (std::uint64_t{1} << 63) - 1}) > 0);
}

TEST_CASE("E falls with the score, and grows with the database") {
    const ScoringScheme scheme{*builtin_matrix("BLOSUM62"), {11, 1}};
    const auto statistics = *AlignmentStatistics::find(scheme);
    for (const std::uint64_t target : {1u, 30u, 300u, 3000u, 35000u}) {
        double previous = statistics.evalue(1, 300, target, 1'000'000);
        for (int score = 2; score < 1000; ++score) {
            const double evalue = statistics.evalue(score, 300, target, 1'000'000);
            CHECK(evalue < previous);
            previous = evalue;
        }
    }
    CHECK(statistics.evalue(60, 300, 300, 2'000'000) ==
          doctest::Approx(2 * statistics.evalue(60, 300, 300, 1'000'000)));
}

TEST_CASE("a database of a negative size has negative E-values, which every score passes") {
    const auto statistics = *AlignmentStatistics::find({*builtin_matrix("BLOSUM62"), {11, 1}});
    SearchSpace space{.database_residues = 1'000'000, .is_negative = true};
    CHECK(statistics.evalue(60, 300, 300, space) == -statistics.evalue(60, 300, 300, 1'000'000));
    CHECK(statistics.cutoff_raw(1e-100, 300, 10, space) == 0);
    space.effective = 1'000'000;
    CHECK(statistics.evalue(60, 300, 300, space) > 0);
    CHECK(statistics.cutoff_raw(1e-100, 300, 10, space) > 0);
}

TEST_CASE("E falls with the score for all known costs, whatever the lengths") {
    for (const std::string_view name : builtin_matrix_names()) {
        std::istringstream known(AlignmentStatistics::known_gap_costs(name));
        for (GapCosts gaps; known >> gaps.open;) {
            char between = 0;
            known >> between >> gaps.extend >> between;
            CAPTURE(name);
            CAPTURE(gaps.open);
            CAPTURE(gaps.extend);
            const auto statistics = AlignmentStatistics::find({*builtin_matrix(name), gaps});
            REQUIRE(statistics);
            for (const std::uint64_t query : {1u, 10u, 100u, 1'000u, 10'000u}) {
                for (const std::uint64_t target : {1u, 10u, 100u, 1'000u, 35'000u, 40'000'000u}) {
                    double previous = statistics->evalue(0, query, target, 1'000'000);
                    int score = 1;
                    for (; score < 1'000; ++score) {
                        const double evalue = statistics->evalue(score, query, target, 1'000'000);
                        if (previous < 1e-290) break;
                        if (evalue >= previous) break;
                        previous = evalue;
                    }
                    CHECK_MESSAGE((score == 1'000 || previous < 1e-290), "query ", query, ", target ", target,
                                  ", score ", score);
                }
            }
        }
    }
}

TEST_CASE("unknown combinations have no statistics, and the known ones are listed") {
    CHECK_FALSE(AlignmentStatistics::find({*builtin_matrix("BLOSUM62"), {0, 0}}));
    CHECK_FALSE(AlignmentStatistics::find({*builtin_matrix("BLOSUM62"), {-1, -1}}));
    CHECK(AlignmentStatistics::find({*builtin_matrix("BLOSUM62"), {12, 1}}));
    // At these costs no gap pays.
    const auto without = AlignmentStatistics::find({*builtin_matrix("BLOSUM62"), {32'767, 32'767}});
    REQUIRE(without);
    CHECK(without->gapped().lambda == without->ungapped().lambda);
    CHECK_FALSE(AlignmentStatistics::find({*builtin_matrix("BLOSUM62"), {32'767, 1}}));
    CHECK(AlignmentStatistics::known_gap_costs("BLOSUM62").find("11/1") != std::string::npos);
    CHECK(AlignmentStatistics::known_gap_costs("mine").empty());
    // These are all costs that blastp lists for them.
    CHECK(AlignmentStatistics::known_gap_costs("PAM30") == "7/2, 6/2, 5/2, 10/1, 9/1, 8/1, 15/3, 14/2, 14/1, 13/3");
    CHECK(AlignmentStatistics::known_gap_costs("PAM70") == "8/2, 7/2, 6/2, 11/1, 10/1, 9/1, 11/2, 12/3");
    for (const std::string_view name : builtin_matrix_names()) {
        const auto gaps = AlignmentStatistics::default_gap_costs(name);
        REQUIRE(gaps);
        CHECK(AlignmentStatistics::find({*builtin_matrix(name), *gaps}));
    }
}

TEST_CASE("a matrix that only bears a known name has no statistics") {
    auto table = builtin_matrix("BLOSUM62")->table();
    table[0][0] = 5;
    CHECK_FALSE(AlignmentStatistics::find({SubstitutionMatrix("BLOSUM62", table), {11, 1}}));
}
