// Relative weights, compared with those that HMMER 3.3.2's hmmbuild -O wrote.
#include "libcore/profile/sequence_weights.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/random.h"
#include "libcore/profile/pairwise_identity.h"

namespace warpseq {
namespace {

AlignedRows rows_of(const std::vector<std::string>& residues) {
    MultipleAlignment alignment;
    for (const std::string& row : residues) alignment.rows.push_back({.name = "s", .residues = row});
    Result<AlignedRows> rows = AlignedRows::from(alignment);
    REQUIRE(rows.ok());
    return *std::move(rows);
}

const std::vector<std::string> kPlain = {"MKVWLATGEHRRK", "MKVWLATGEHRRK", "MRVYIVTKDHRKR",
                                         "LKIWLSTGNYQRK", "MKIF-STPEHRQE", "MKIF-STPEH---"};
const std::vector<std::string> kGappy = {"MKV--LATwx.GH", "MKVA-LAT-..GH", "mrVAB.VTk..GY", "~~~~~~AT-..G~",
                                         "MKI--LST-*.Z-"};

std::vector<double> in_hundredths(std::vector<double> weights) {
    for (double& weight : weights) weight = std::round(weight * 100) / 100;
    return weights;
}

TEST_CASE("position-based weights") {
    CHECK(in_hundredths(position_based_weights(rows_of(kPlain))) ==
          std::vector<double>{0.71, 0.71, 1.60, 1.31, 0.93, 0.74});
    CHECK(in_hundredths(position_based_weights(rows_of(kGappy))) == std::vector<double>{0.88, 0.88, 1.28, 0.76, 1.21});
    CHECK(position_based_weights(rows_of({"---"})) == std::vector<double>{1});
    CHECK(position_based_weights(rows_of({"---", "BXZ"})) == std::vector<double>{1, 1});

    // In the last column both have the same weight. In the first one they do not.
    const AlignedRows rows = rows_of({"AC", "AC", "DC"});
    CHECK(position_based_weights(rows, ".x") == std::vector<double>{1, 1, 1});
    CHECK(position_based_weights(rows, "x.") == std::vector<double>{0.75, 0.75, 1.5});
    CHECK(position_based_weights(rows, "..") == position_based_weights(rows));
}

TEST_CASE("consensus columns of very deep alignments come of a sample") {
    // The first column has a residue in slightly more than half of the rows, so that samples
    // differ.
    constexpr std::size_t kRows = 50'010;
    Random random(7);
    std::vector<std::string> residues;
    for (std::size_t i = 0; i < kRows; ++i) residues.push_back(i % 10 == 0 ? "ACD" : i % 2 == 0 ? "-CE" : "FCD");
    const std::vector<double> weights = position_based_weights(rows_of(residues));
    double sum = 0;
    for (const double weight : weights) sum += weight;
    CHECK(sum == doctest::Approx(kRows));
    CHECK(weights[0] > weights[1]);
}

TEST_CASE("weights from a tree") {
    CHECK(in_hundredths(tree_weights(rows_of(kPlain))) == std::vector<double>{0.69, 0.69, 1.76, 1.39, 0.73, 0.73});
    CHECK(in_hundredths(tree_weights(rows_of(kGappy))) == std::vector<double>{0.44, 0.88, 1.67, 0.44, 1.57});
    CHECK(tree_weights(rows_of({"AC", "AC", "AC"})) == std::vector<double>{1, 1, 1});
    CHECK(tree_weights(rows_of({"AC"})) == std::vector<double>{1});
}

TEST_CASE("clusters and their weights") {
    CHECK(in_hundredths(cluster_weights(rows_of(kPlain), 0.62)) ==
          std::vector<double>{0.75, 0.75, 1.50, 1.50, 0.75, 0.75});
    CHECK(in_hundredths(cluster_weights(rows_of(kGappy), 0.7)) == std::vector<double>{0.56, 0.56, 1.67, 0.56, 1.67});
    CHECK(cluster_weights(rows_of({"AC"}), 0.62) == std::vector<double>{1});
    CHECK(cluster_rows(rows_of(kPlain), 0).count == 1);
    CHECK(cluster_rows(rows_of(kPlain), 1).count == 4);  // the last two are alike where both have residues
}

TEST_CASE("pairwise identity") {
    const auto identity = [](const char* a, const char* b) { return PairwiseIdentity(rows_of({a, b}))(0, 1); };
    CHECK(identity("ACDE", "ACDF") == 0.75);
    CHECK(identity("ACDE", "AC--") == 1);
    CHECK(identity("XX-~", "XX-~") == 0);
    CHECK(identity("AX*B", "AX*B") == 1);
    CHECK(identity(std::string(1000, 'A').c_str(), (std::string(700, 'A') + std::string(300, 'C')).c_str()) == 0.7);
}

}  // namespace
}  // namespace warpseq
